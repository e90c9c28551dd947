// The viewer: one plain object of state, and functions that draw a view at it.
// A view is what course/viewer/picture.py makes of a trace; `state.moment` is the event shown.
import { board, doing } from "./board.js";
import { desk } from "./desk.js";
import { count, h, price, seconds } from "./dom.js";
import { lines } from "./lines.js";
import { told } from "./table.js";

const SPEEDS = [["event", "by event"], [0.25, "¼×"], [1, "1×"], [10, "10×"], [30, "30×"]];
const BY = [["task", "by task"], ["agent", "agent"], ["step", "step"]];
const MARKS = { plan: "◇", handoff: "→", delegation: "⇄", retry: "↻", failure: "✕", aggregation: "Σ" };
const WEIGHT = ["failure", "handoff", "retry", "aggregation", "plan", "delegation"];
const TELLING = 100; // milliseconds between words while the clock moves
const EVENT = 1300; // milliseconds that an event stays, when playing by event
let viewers = 0; // names of radio groups are the page's

/** A view with its parts by name: cords as objects, steps that know their number and events. */
export function ready(view) {
  const steps = view.steps;
  steps.forEach((step, n) => Object.assign(step, { n, begins: 0, ends: 0 }));
  view.moments.forEach((moment, n) => {
    const step = steps[moment.step];
    if (!step) return;
    if (!step.ends) step.begins = n;
    step.ends = n;
  });
  view.cords = view.cords.map(([kind, a, b, begin, end, n, lane, bad]) => ({ kind, a, b, begin, end, step: n, lane, bad: !!bad, in: steps[n]?.in ?? 0, since: steps[n]?.a ?? 0, until: steps[n]?.b ?? 0 }));
  view.waits = steps.filter((step) => step.op === "wait" && step.b > step.a);
  view.most = steps.reduce((most, step) => Math.max(most, step.in ?? 0), 1);
  return view;
}

/** Show a view in an element.
 *  `options`: `end`, seconds of the clock if more than the run's; `level`, of the title's heading;
 *  `keys`, where keys are heard; `by`, what a row is at first: task, agent or step; `moved`, told each new state; `step`, another way to step. */
export function show(host, view, options = {}) {
  ready(view);
  const end = options.end ?? view.end, level = options.level ?? 2, last = view.moments.length - 1;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches, whole = () => [0, end * 1.03 || 1];
  const state = { moment: 0, time: 0, playing: false, speed: still ? "event" : 1, by: options.by ?? "task", range: whole(), find: "", glow: 0, chosen: -1, at: options.at ?? 0 };
  const name = `switchboard-${++viewers}`, named = (part) => (options.letter ? `${part}: ${options.letter}` : part);

  const caption = h("p", { class: "caption", "aria-live": "polite" });
  const paper = h("section", { class: "desk", tabindex: 0, "aria-label": named("The chosen step as messages") });
  const boardHost = h("div", { class: "cordboard", tabindex: 0, role: "region", "aria-label": named("Switchboard") }), linesHost = h("div", { class: "plotted" });
  const now = h("b"), clock = h("output", { class: "time" }, now, ` of ${seconds(end)}`), marks = h("div", { class: "marks" });
  const slider = h("input", { type: "range", min: 0, max: end || 1, step: (end || 1) / 2000, value: 0, "aria-label": "Virtual seconds", input: () => seek(Number(slider.value), true) });
  const play = h("button", { type: "button", class: "play", click: () => toggle() });
  const button = (label, sign, act) => h("button", { type: "button", "aria-label": label, title: label, click: act }, sign);
  const facts = [seconds(view.end), `${count(view.calls)} model call${view.calls === 1 ? "" : "s"}`, view.tokens ? `${count(view.tokens)} tokens` : "", price(view.cost), `seed ${view.seed}`].filter(Boolean).join("  ·  ");
  const sample = (kind, words) => h("span", {}, h("i", { class: kind }), words);

  const stage = h("div", { class: "stage" },
    h("header", { class: "head" }, h("p", { class: "kicker" }, options.letter ? h("b", {}, options.letter) : null, view.name), h(`h${level}`, { class: "title" }, view.request || view.name), h("p", { class: "soft" }, facts), view.told.length ? h("p", { class: "warning" }, `⚠ ${view.told.join("; ")}`) : null),
    h("section", { class: "board", "aria-label": named("Board") }, boardHost, caption),
    h("section", { class: "lines", "aria-label": named("Lines") },
      h("div", { class: "tools" }, h(`h${level + 1}`, { class: "subtitle" }, "Who did what, when"),
        h("p", { class: "legend" }, sample("chat", "model"), sample("gem", "tool"), sample("refine", "rewriting"), sample("wait", "waiting"), sample("critical", "critical path")),
        choice("Rows", BY, "by", frame), h("input", { type: "search", class: "find", placeholder: "find", "aria-label": "Find rows", input: (event) => { state.find = event.target.value; frame(); } }),
        button("Zoom in (+)", "+", () => zoom(0.6)), button("Zoom out (−)", "−", () => zoom(1 / 0.6))), linesHost),
    paper,
    h("footer", { class: "clock" }, h("div", { class: "keys" }, button("Previous event (←)", "‹", () => step(-1)), play, button("Next event (→)", "›", () => step(1))), clock, h("div", { class: "track" }, marks, slider), choice("Speed", SPEEDS, "speed", () => { since = 0; })));
  host.classList.add("switchboard");
  host.replaceChildren(stage, told(view));
  const cords = board(boardHost, view, choose), gantt = lines(linesHost, view, state, choose, zoom, named("Rows"));

  function choice(legend, options_, key, then) {
    return h("fieldset", { class: "choice" }, h("legend", {}, legend), options_.map(([value, label]) => h("label", {}, h("input", { type: "radio", name: `${name}-${key}`, checked: state[key] === value, change: () => { state[key] = value; then(); } }), h("span", {}, label))));
  }

  // --- the clock: `go` to an event, `seek` a second
  const momentAt = (time) => { let [low, high] = [0, last]; while (low < high) { const middle = (low + high + 1) >> 1; if (view.moments[middle].t <= time + 1e-9) low = middle; else high = middle - 1; } return low; };
  function go(moment, chosen) {
    state.moment = Math.max(0, Math.min(last, moment));
    Object.assign(state, { time: view.moments[state.moment].t, glow: 0 });
    draw(chosen);
    options.moved?.(state);
  }
  function seek(time, moving = false) {
    state.time = Math.max(0, Math.min(end, time));
    state.moment = state.time <= 0 ? 0 : momentAt(state.time);
    draw(undefined, moving);
    options.moved?.(state, moving);
  }
  function step(by) {
    if (state.playing) toggle(false);
    if (options.step) options.step(by, state);
    else go(state.moment + by);
  }
  let since = 0, before = 0;
  function toggle(on = !state.playing) {
    state.playing = on;
    if (on && state.moment >= last) go(0);
    [before, since] = [performance.now(), 0];
    state.glow = 0;
    draw();
    if (on) requestAnimationFrame(tick);
  }
  function tick(now) {
    if (!state.playing || !host.isConnected) return;
    const gone = now - before;
    before = now;
    if (state.speed === "event") {
      since += gone;
      if (since > EVENT) { since = 0; if (options.step) options.step(1, state); else go(state.moment + 1); }
    } else {
      state.glow = 0.35 * state.speed;
      seek(state.time + (gone / 1000) * state.speed, true);
    }
    if (state.time >= end && state.moment >= last) toggle(false);
    else requestAnimationFrame(tick);
  }
  function zoom(by, around = state.time) {
    const all = end * 1.03 || 1, [a, b] = state.range, wide = Math.min(all, Math.max(all / 2000, (b - a) * by));
    const from = Math.max(0, Math.min(all - wide, around - ((around - a) * wide) / (b - a)));
    state.range = [from, from + wide];
    frame();
  }
  function choose(chosen, time) {
    const own = view.steps[chosen];
    if (own) go(own.ends || nearest(own), chosen);
    else if (time != null) seek(time);
  }
  const nearest = (own) => (view.jobs[own.job] ? view.jobs[own.job].from : momentAt(own.a));

  // --- drawing: `frame` what hangs on the room there is, `draw` what hangs on the moment
  let drawn = -1, later = 0;
  /** While the clock is `moving`, words follow ten times a second: nobody reads more, and each
   *  frame would be laid out for them. */
  function draw(chosen = view.moments[state.moment].step, moving = false) {
    const moment = view.moments[state.moment], states = cords.draw(state);
    gantt.draw();
    slider.value = state.time;
    now.textContent = state.time.toFixed(2);
    if (moving) {
      later ||= setTimeout(() => draw(), TELLING);
      return;
    }
    clearTimeout(later);
    later = 0;
    slider.setAttribute("aria-valuetext", `${seconds(state.time)} of ${seconds(end)}: ${moment.text}`);
    play.textContent = state.playing ? "❚❚" : "▶";
    play.setAttribute("aria-label", state.playing ? "Pause" : "Play");
    if (drawn === state.moment && chosen === state.chosen) return;
    [drawn, state.chosen] = [state.moment, chosen];
    caption.setAttribute("aria-live", state.playing ? "off" : "polite");
    caption.classList.toggle("bad", moment.bad);
    caption.replaceChildren(h("b", {}, `${MARKS[moment.mark] ?? ""} ${seconds(moment.t)}`), " ", moment.text, ...meanwhile(states, moment.who));
    paper.replaceChildren(...desk(view, state, level + 1).flat(Infinity).filter(Boolean));
    paper.scrollTop = 0;
    gantt.choose(chosen);
  }
  function meanwhile(states, who) {
    const busy = [...states].filter(([other, one]) => one.lamp === "on" && one.text !== "on the line" && other !== who && other !== "caller").map(([other]) => other);
    if (!busy.length || who === "caller") return [];
    const list = busy.length > 1 ? `${busy.slice(0, -1).join(", ")} and ${busy.at(-1)} are` : `${busy[0]} is`;
    return [h("small", {}, ` Meanwhile ${list} at work.`)];
  }
  function frame() {
    cords.frame();
    gantt.frame();
    drawn = -1;
    draw(state.chosen >= 0 ? state.chosen : undefined);
    chapters();
  }
  /** Chapter marks; what lies too close together is one. */
  function chapters() {
    const near = (24 / Math.max(160, marks.clientWidth)) * end, groups = [];
    view.moments.forEach((moment, n) => {
      if (!moment.mark) return;
      const group = groups.at(-1);
      if (group && moment.t - group.t < near) group.list.push(n);
      else groups.push({ t: moment.t, list: [n] });
    });
    marks.replaceChildren(...groups.map(({ list }) => {
      const n = [...list].sort((x, y) => WEIGHT.indexOf(view.moments[x].mark) - WEIGHT.indexOf(view.moments[y].mark))[0], { mark, t } = view.moments[n];
      const more = list.length > 1 ? `, and ${list.length - 1} more` : "";
      return h("button", { type: "button", class: mark, style: `left:${end ? (t / end) * 100 : 0}%`, title: list.slice(0, 12).map((m) => view.moments[m].text).join("\n"), "aria-label": `${mark} at ${seconds(t)}${more}`, click: () => go(n) }, MARKS[mark]);
    }));
  }

  const PRESS = { ArrowRight: () => step(1), ArrowLeft: () => step(-1), Home: () => go(0), End: () => go(last), " ": () => toggle(), "+": () => zoom(0.6), "-": () => zoom(1 / 0.6), 0: () => { state.range = whole(); frame(); } };
  (options.keys ?? host).addEventListener("keydown", (event) => {
    const { target, key } = event, act = PRESS[key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    if (target.matches?.("input[type=search], textarea") || (key === " " && target.matches?.("button, summary, input")) || (target.type === "radio" && key.startsWith("Arrow"))) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  });
  frame();
  let width = host.clientWidth;
  new ResizeObserver(() => { if (host.clientWidth !== width) { width = host.clientWidth; frame(); } }).observe(host);
  if (options.at) go(options.at);
  return { view, state, go, seek, toggle, step, zoom, frame, doing: () => doing(view, state) };
}
