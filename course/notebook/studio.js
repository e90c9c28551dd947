// The studio: a form that says who is on the board, with which tools, wired how; and what came of it.
// The viewer's scripts stand above. `send` is told { world, task, pattern, seed } to see another
// world or request, and with { run: true, request, given } as well to run what is wired.
const COLUMNS = ["success", "calls", "tokens", "seconds"];

export function studio(host, send, level = 3) {
  host.classList.add("switchboard", "seat", "studio");
  const form = h("section", { "aria-label": "Wiring" }), status = h("p", { role: "status" }), came = h("section", { "aria-label": "What came of it" });
  const table = h("div", { class: "compared", tabindex: 0, role: "region", "aria-label": "The patterns beside each other" }), board = h("div"), note = h("p", { class: "soft" });
  host.replaceChildren(h("div", { class: "places" }, h("div", {}, form, status), came), board);
  let shown = null, fields = {};

  const list = (label, options, chosen, change) => {
    const made = h("select", { "aria-label": label, change }, options.map(([value, words]) => h("option", { value, selected: value === chosen }, words)));
    return [h("label", {}, label, made), made];
  };
  const chosen = (over = {}) => ({ world: fields.world.value, task: fields.task.value, pattern: fields.pattern.value, seed: Number(fields.seed.value) || 0, ...over });

  /** Another world is another form; another request only changes its words. */
  function ask(data) {
    const same = shown?.world === data.world;
    shown = data;
    if (same) {
      fields.request.value = data.request;
      return;
    }
    const named = (names) => names.map((name) => [name, name]);
    const [worlds, world] = list("World", named(data.worlds), data.world, () => send(chosen({ task: "" })));
    const [requests, task] = list("Request", named(data.tasks), data.task, () => send(chosen()));
    const [patterns, pattern] = list("Pattern", data.patterns.map((each) => [each.name, `${each.name} (chapter ${each.chapter})`]), data.pattern, () => tell());
    const seed = h("input", { type: "number", min: 0, max: 999, value: data.seed }), request = h("textarea", { rows: 2 }, data.request), costs = h("p", { class: "soft" });
    const tell = () => { costs.textContent = `It costs ${data.patterns.find((each) => each.name === pattern.value).costs}.`; };
    note.textContent = data.note ? `Bear in mind: ${data.note}.` : "";
    fields = { world, task, pattern, seed, request, panel: panel(data.agents) };
    tell();
    form.replaceChildren(h("div", { class: "choices" }, worlds, requests, patterns, h("label", {}, "Seed", seed)), h("label", {}, "What is asked", request),
      h("div", { class: "patches", tabindex: 0, role: "region", "aria-label": "Who is on the board" }, fields.panel), costs, h("p", {}, h("button", { type: "button", class: "send", click: run }, "Run")));
  }
  function run() {
    status.textContent = "Running …";
    send(chosen({ run: true, request: fields.request.value, given: fields.panel.given() }));
  }

  /** What came of a run: a fault in one line, or answer, table, Python and board. */
  function tell(told) {
    status.textContent = told.fault ? `✕ ${told.fault}` : told.success ?? "";
    status.className = told.fault ? "error" : "";
    came.replaceChildren();
    board.replaceChildren();
    if (!told.run) return;
    const copy = h("button", { type: "button", click: () => navigator.clipboard?.writeText(told.lines).then(() => { copy.textContent = "Copied"; }) }, "Copy");
    came.append(h("p", { class: "answered" }, told.answer || "There is no answer."), table, h("details", {}, h("summary", {}, "Show the Python"), copy, h("pre", { tabindex: 0, "aria-label": "The Python that does the same" }, told.lines)));
    show(board, told.run, { level });
  }
  function compare(rows) {
    const head = h("tr", {}, ["pattern", ...COLUMNS].map((name) => h("th", { scope: "col" }, name)));
    table.replaceChildren(h("table", {}, h("caption", {}, "The same request, agents and luck"), h("thead", {}, head),
      h("tbody", {}, rows.map((row) => h("tr", {}, h("th", { scope: "row" }, row.pattern === fields.pattern.value ? `${row.pattern} ◂ yours` : row.pattern), COLUMNS.map((name) => h("td", { title: name === "success" ? row.why : null }, written(name, row[name]))))))), note);
  }
  return { ask, tell, compare };
}

const written = (name, value) => (value === undefined ? "" : name === "seconds" ? value.toFixed(2) : typeof value === "number" ? count(value) : value);

/** The panel: a column for each specialist, a row for each tool, a box where they cross. */
function panel(agents) {
  const tools = [...new Set(agents.flatMap((agent) => agent.tools))], boxes = new Map();
  const on = agents.map((agent) => {
    const box = h("input", { type: "checkbox", checked: true, change: () => { for (const each of boxes.get(agent.name).values()) each.disabled = !box.checked; } });
    boxes.set(agent.name, new Map(tools.map((tool) => [tool, h("input", { type: "checkbox", checked: agent.tools.includes(tool), "aria-label": `${agent.name} has ${tool}` })])));
    return [agent, box];
  });
  const made = h("table", {}, h("caption", {}, "Who is on the board, with what"),
    h("thead", {}, h("tr", {}, h("td"), on.map(([agent, box]) => h("th", { scope: "col", title: agent.told }, h("label", {}, box, " ", agent.name))))),
    h("tbody", {}, tools.map((tool) => h("tr", {}, h("th", { scope: "row" }, tool), agents.map((agent) => h("td", {}, boxes.get(agent.name).get(tool)))))));
  made.given = () => Object.fromEntries(on.filter(([, box]) => box.checked).map(([{ name }]) => [name, tools.filter((tool) => boxes.get(name).get(tool).checked)]));
  return made;
}

export default {
  render({ model, el }) {
    let nth = 0;
    const host = h("div"), { ask, tell, compare } = studio(host, (said) => {
      model.set("said", { ...said, nth: ++nth });
      model.save_changes();
    });
    el.replaceChildren(host);
    const hear = (name, act) => {
      model.on(`change:${name}`, () => act(structuredClone(model.get(name))));
      act(structuredClone(model.get(name)));
    };
    hear("form", ask);
    hear("rows", compare);
    hear("told", tell);
  },
};
