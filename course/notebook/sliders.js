// Sliders by name, three numbers, how much luck ends well, and the board of the run they make.
// The viewer's scripts stand above. `send` is told the value of each slider that moves.
export function sliders(host, given, send, level = 3) {
  host.classList.add("switchboard", "seat", "sliders");
  const values = {}, numbers = h("dl", { class: "facts", role: "status" }), lucks = h("p", { class: "soft" }), board = h("div");
  const one = ({ name, low, high, step, first }) => {
    const said = h("b"), range = h("input", { type: "range", min: low, max: high, step, value: first, "aria-label": name, input: () => { tell(); send(values); } });
    const tell = () => { values[name] = Number(range.value); said.textContent = Number.isInteger(step) ? range.value : Number(range.value).toFixed(2); };
    tell();
    return h("label", {}, h("span", {}, name, " ", said), range);
  };
  host.replaceChildren(h("div", { class: "choices" }, given.map(one)), numbers, lucks, board);
  let shown = null; // of a run that is made anew, the same second stays in sight
  return {
    came(facts) { numbers.replaceChildren(...Object.entries(facts).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))); },
    count(signs) {
      const well = signs.split("✓").length - 1;
      lucks.replaceChildren(...(signs ? [`Seeds 0 to ${signs.length - 1}: `, h("span", { "aria-hidden": "true" }, signs), ` ${well} of ${signs.length} succeed.`] : []));
    },
    play(run) {
      const time = shown?.state.time ?? 0, place = h("div");
      board.replaceChildren(place);
      shown = show(place, run, { level });
      if (time) shown.seek(time);
    },
  };
}

export default {
  render({ model, el }) {
    let nth = 0, waiting = false, next = null; // a slider that runs ahead of the kernel skips what lies between
    const go = () => {
      model.set("said", { values: next, nth: ++nth });
      model.save_changes();
      waiting = true;
      next = null;
    };
    const host = h("div"), { came, count, play } = sliders(host, structuredClone(model.get("sliders")), (values) => {
      next = { ...values };
      if (!waiting) go();
    });
    el.replaceChildren(host);
    const hear = (name, act) => {
      model.on(`change:${name}`, () => act(structuredClone(model.get(name))));
      act(structuredClone(model.get(name)));
    };
    hear("came", came);
    hear("lucks", count);
    hear("run", (run) => {
      play(run);
      waiting = false;
      if (next) go();
    });
  },
};
