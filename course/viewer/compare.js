// Two runs on one clock, one beside or below the other: where they part, and why.
import { h, seconds } from "./dom.js";
import { show } from "./viewer.js";

/** Show two views in an element. `parting` is { time, sentence, a, b } or null, and `said` what
 *  belongs above: the sentence of a contract that one of them broke; `by` is what a row is. */
export function compare(host, { views, names, parting, said, by }, options = {}) {
  const level = options.level ?? 2, end = Math.max(...views.map((view) => view.end));
  const hosts = views.map(() => h("div", { class: "half" })), shown = [];
  const follow = (n) => (state, moving) => shown.forEach((one, other) => { if (other !== n && Math.abs(one.state.time - Math.min(state.time, end)) > 1e-9) silently(one, state.time, moving); });
  let quiet = false;
  function silently(one, time, moving) { if (quiet) return; quiet = true; one.seek(time, moving); quiet = false; }
  host.classList.add("compare", "switchboard");
  host.replaceChildren(
    h("header", { class: "parting" }, h(`h${level}`, { class: "title" }, views[0].request || views[0].name), said ? h("p", { class: "warning" }, `✗ ${said}`) : null,
      h("p", {}, parting ? `${parting.sentence} ` : "The two runs are the same. ", parting ? h("button", { type: "button", click: () => meet() }, `show ${seconds(parting.time)}`) : null)),
    h("div", { class: "halves" }, hosts));
  views.forEach((view, n) => shown.push(show(hosts[n], view, { end, level, by, letter: names[n], keys: n ? hosts[n] : options.keys ?? host, moved: follow(n), step })));
  hosts.slice(1).forEach((half) => half.querySelector(".clock").remove()); // one clock for both
  host.append(hosts[0].querySelector(".clock"));
  const times = [...new Set(views.flatMap((view) => view.moments.map((moment) => moment.t)))].sort((x, y) => x - y);
  function step(by, { time }) {
    const next = by > 0 ? times.find((each) => each > time + 1e-9) : times.findLast((each) => each < time - 1e-9);
    if (next != null) shown[0].seek(next);
  }
  function meet() {
    quiet = true;
    shown.forEach((one, n) => { // one clock: what comes later is not there yet
      const { moments } = views[n], place = n ? parting.b : parting.a, by = parting.time + 1e-6;
      one.go(moments[place].t > by ? moments.findLastIndex((moment) => moment.t <= by) : place);
    });
    quiet = false;
  }
  if (parting) meet();
  return { shown, meet };
}
