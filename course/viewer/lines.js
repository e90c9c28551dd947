// The lines: a row for each job (what was asked of whom), for each agent, or for each step, on one
// axis of virtual seconds. Only the rows in sight are in the page, so thousands cost what twenty do.
import { count, fitted, h, parsed, s, seconds, short, SMALL } from "./dom.js";

const ROW = 26; // pixels
const BAR = 13;
const STRIP = 78; // pixels of the tokens' strip

/** The rows of a view: { who, label, parts, a, b, status, error, tries, job, depth }. */
export function rows(view, by) {
  const drawn = (parts) => parts.map((n) => view.steps[n]);
  if (by === "step") return view.steps.map((step) => ({
    who: step.who, label: `${does(step)} ${values(step)}`, parts: [step], a: step.a, b: step.b,
    status: step.bad ? "failed" : "done", tries: [], step: step.n, depth: step.depth ?? 0, from: step.begins, to: step.ends }));
  const each = view.jobs.map((job) => ({
    who: job.id ? `${job.id} ${job.agent}` : job.agent, agent: job.agent, label: job.words, parts: drawn(job.parts), a: job.a, b: job.b,
    status: job.status, error: job.error, tries: job.tries, job, step: job.step, depth: job.depth, from: job.from, to: job.to }));
  if (by === "task") return each.sort((x, y) => (x.status === "skipped") - (y.status === "skipped") || x.a - y.a);
  const agents = Map.groupBy ? Map.groupBy(each, (row) => row.agent) : grouped(each);
  return [...agents].map(([who, own]) => ({
    who, label: own.length > 1 ? `${own.length} jobs` : own[0].label, parts: own.flatMap((row) => row.parts), a: Math.min(...own.map((row) => row.a)), b: Math.max(...own.map((row) => row.b)),
    status: own.every((row) => row.status === "done") ? "done" : "mixed", tries: own.flatMap((row) => row.tries), step: own[0].step, depth: 0 }));
}

/** What a step is: of a tool its name, which tells it from the others in little room. */
function does(step) {
  if (step.op === "execute_tool") return step.name;
  return step.op === "chat" ? `asks ${step.name}` : `${step.op.replaceAll("_", " ")} ${step.name}`;
}

/** What a tool was called with, in a few words. */
function values(step) {
  const call = step.bubbles?.find((bubble) => bubble.role === "call"), given = call && parsed(call.text);
  return given && typeof given === "object" ? Object.values(given).filter((value) => typeof value !== "object").join(", ") : "";
}

function grouped(each) {
  const found = new Map();
  for (const row of each) found.set(row.agent, [...(found.get(row.agent) ?? []), row]);
  return found;
}

/** The lines in an element: `frame` lays them out, `draw` moves the clock's line over them. */
export function lines(host, view, state, choose, zoom, label) {
  const names = h("ol", { class: "names" }), plot = s("svg", { class: "plot", "aria-hidden": "true" });
  const veil = h("div", { class: "veil" }), now = h("div", { class: "now" });
  const stack = h("div", { class: "stack" }, plot, veil, now);
  const axis = s("svg", { class: "axis", "aria-hidden": "true" });
  const body = h("div", { class: "rows" }, names, stack), scroll = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, body);
  const strip = s("svg", { class: "strip", role: "img" }), note = h("p", { class: "note" });
  host.replaceChildren(axis, scroll, strip, note);
  const critical = new Set(view.critical);
  let list = [], width = 1, from = -1, told = [], rowOf = new Map();

  const x = (time) => ((time - state.range[0]) / (state.range[1] - state.range[0])) * width;
  const timeAt = (clientX) => state.range[0] + ((clientX - plot.getBoundingClientRect().left) / width) * (state.range[1] - state.range[0]);
  const at = (time) => Math.max(0, view.moments.findIndex((moment) => moment.t >= time));
  const clip = (value) => Math.max(-3, Math.min(width + 3, value));
  scroll.addEventListener("scroll", () => fill());
  stack.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) return;
    event.preventDefault();
    zoom(Math.exp((event.deltaY || event.deltaX) / 300), timeAt(event.clientX));
  }, { passive: false });
  plot.addEventListener("click", (event) => {
    const part = event.target.closest("[data-step]");
    choose(part ? Number(part.dataset.step) : -1, timeAt(event.clientX));
  });

  function frame() {
    const find = state.find.toLowerCase();
    list = rows(view, state.by).filter((row) => !find || `${row.who} ${row.label}`.toLowerCase().includes(find));
    rowOf = new Map(list.flatMap((row, n) => [[row.step, n], ...row.parts.map((step) => [step.n, n])]));
    const height = list.length * ROW;
    body.style.height = `${height}px`;
    width = Math.max(60, stack.clientWidth);
    for (const [svg, tall] of [[plot, 1], [axis, 18], [strip, STRIP]]) { svg.setAttribute("width", width); svg.setAttribute("height", tall); }
    const left = `${names.offsetWidth}px`;
    axis.style.marginLeft = strip.style.marginLeft = left;
    note.textContent = list.length ? "" : "No row has these words.";
    from = -1;
    fill();
    ticks();
    stairs();
  }

  function fill() {
    const first = Math.max(0, Math.floor(scroll.scrollTop / ROW) - 6), last = Math.min(list.length, first + Math.ceil((scroll.clientHeight || 400) / ROW) + 12);
    if (first === from && plot.childNodes.length && names.childNodes.length === last - first) return;
    from = first;
    const seen = list.slice(first, last);
    told = [];
    names.style.transform = plot.style.transform = `translateY(${first * ROW}px)`;
    plot.setAttribute("height", seen.length * ROW);
    names.replaceChildren(...seen.map((row) => h("li", { style: `padding-left:${Math.min(row.depth, 8) * 9}px` },
      h("button", { type: "button", title: row.label, "data-row": row.step, click: () => choose(row.step, row.a) }, h("b", {}, row.who), " ", short(row.label, 160)))));
    plot.replaceChildren(...seen.flatMap(drawRow), s("path", { class: "critical", d: path(seen) }));
    reveal();
    if (state.chosen >= 0) mark(state.chosen);
  }

  /** What is not known yet is not shown: a failure, a try, an end, a task that is skipped. */
  function later(element, moment, name = "later") {
    told.push([element, moment, name]);
    return element;
  }
  function reveal() {
    for (const [element, moment, name] of told) element.classList.toggle(name, (state.moment >= moment) === (name === "bad"));
  }

  function drawRow(row, n) {
    const y = n * ROW + ROW / 2, a = x(row.a), b = x(row.b), out = [];
    if (row.status === "skipped") {
      const place = Math.min(a, width - 18), end = place > width / 2, [words] = fitted(`skipped: ${row.error}`, end ? place - 8 : width - place - 24, SMALL);
      return [later(s("g", { class: "skip" }, s("title", {}, row.error), s("rect", { x: place, y: y - 8, width: 16, height: 16, rx: 3 }), s("text", end ? { x: place - 6, y: y + 4, "text-anchor": "end" } : { x: place + 22, y: y + 4 }, words)), row.from)];
    }
    if (b < 0 || a > width) return out;
    out.push(s("path", { class: "life", d: `M${clip(a)} ${y}H${clip(b)}` }));
    const ends = [], lane = new Map();
    for (const step of row.parts) if (step.b > step.a) {
      const free = ends.findIndex((end) => end <= step.a + 1e-9), own = free < 0 ? ends.length : free;
      ends[own] = step.b;
      lane.set(step, own);
    }
    const thick = ends.length > 1 ? Math.max(3, BAR / ends.length - 1) : BAR, gems = [];
    for (const step of row.parts) {
      const left = x(step.a), right = x(step.b);
      if (right < -3 || left > width + 3) continue;
      const kind = step.refine ? "refine" : step.op, title = s("title", {}, `${step.op.replaceAll("_", " ")} ${step.name}: ${seconds(step.b - step.a)}`);
      const small = right - left < 3;
      const part = small ? s("path", { class: `gem ${kind}`, "data-step": step.n, d: `M${left} ${y - 7}l6 7l-6 7l-6 -7z` }, title)
        : s("rect", { class: `part ${kind}`, "data-step": step.n, x: clip(left), y: y - BAR / 2 + (lane.get(step) ?? 0) * (thick + 1), width: Math.max(1.5, clip(right) - clip(left) - 1), height: thick, rx: Math.min(3, thick / 3) }, title);
      (small ? gems : out).push(part);
      if (!step.bad) continue;
      later(part, step.ends, "bad");
      gems.push(later(s("text", { class: "cross", x: small ? Math.max(left, 5) : clip(right) - 8, y: y + 4 }, "✕"), step.ends));
    }
    for (const time of row.tries) gems.push(later(s("g", { class: "notch" }, s("path", { d: `M${x(time)} ${y - 11}v22` }), s("text", { x: x(time) + 3, y: y - 5 }, "↻")), at(time)));
    if (row.status !== "mixed" && b < width) gems.push(later(s("text", { class: `end ${row.status}`, x: Math.min(b + 6, width - 12), y: y + 4 }, row.status === "failed" ? "✕" : "✓"), row.to));
    return [...out, ...gems];
  }

  /** The critical path: under its steps, and down or up from row to row. */
  function path(seen) {
    const seat = new Map();
    seen.forEach((row, n) => { for (const step of row.parts) if (critical.has(step.n)) seat.set(step.n, n * ROW + ROW / 2 + BAR / 2 + 3); });
    let d = "", joined = false;
    for (const n of view.critical) {
      const y = seat.get(n), step = view.steps[n];
      if (y == null || x(step.b) < 0 || x(step.a) > width) { joined = false; continue; }
      d += joined ? `H${clip(x(step.a))}V${y}H${clip(x(step.b))}` : `M${clip(x(step.a))} ${y}H${clip(x(step.b))}`;
      joined = true;
    }
    return d;
  }

  function ticks() {
    const span = state.range[1] - state.range[0], ten = 10 ** Math.floor(Math.log10(span / Math.max(3, width / 90)));
    const step = [1, 2, 5, 10].map((n) => n * ten).find((n) => n >= span / Math.max(3, width / 90)) ?? ten, made = [];
    for (let t = Math.ceil(state.range[0] / step) * step; t <= state.range[1] + 1e-9; t += step) {
      const place = x(t), anchor = place < 16 ? "start" : place > width - 16 ? "end" : "middle";
      made.push(s("text", { x: place, y: 13, "text-anchor": anchor }, `${Number(t.toFixed(4))}${t < step / 2 ? " s" : ""}`));
    }
    axis.replaceChildren(...made);
  }

  /** What the calls of each job saw: stairs that grow with its context. */
  function stairs() {
    const calls = view.steps.filter((step) => step.op === "chat" && step.in), most = Math.max(1, ...calls.map((step) => step.in));
    strip.style.display = calls.length && state.by !== "step" ? "block" : "none";
    const tall = (step) => STRIP - 6 - (step.in / most) * (STRIP - 24), made = [];
    for (const [n, own] of (view.callsOf ??= byJob(calls))) {
      const d = own.map((step) => `V${tall(step).toFixed(1)}H${clip(x(step.b)).toFixed(1)}`).join("");
      made.push(s("path", { class: "stair", "data-job": n, d: `M${clip(x(own[0].a)).toFixed(1)} ${STRIP - 6}${d}V${STRIP - 6}` }));
    }
    strip.setAttribute("aria-label", `Tokens seen, call by call: at most ${count(most)}`);
    strip.replaceChildren(...made, s("path", { class: "life", d: `M0 ${STRIP - 6}H${width}` }), s("text", { x: 2, y: 12 }, `tokens seen, call by call: up to ${count(most)}`));
  }

  function mark(chosen) {
    for (const old of host.querySelectorAll(".chosen, .here")) old.classList.remove("chosen", "here");
    const step = view.steps[chosen];
    if (!step) return;
    plot.querySelector(`[data-step="${chosen}"]`)?.classList.add("chosen");
    strip.querySelector(`[data-job="${step.job}"]`)?.classList.add("here");
    const row = rowOf.get(chosen) ?? rowOf.get(view.jobs[step.job]?.step) ?? -1;
    names.children[row - from]?.classList.add("here");
    return row;
  }

  return {
    frame,
    draw() {
      const place = x(state.time);
      now.style.transform = `translateX(${Math.min(Math.max(place, 0), width - 2)}px)`;
      veil.style.transform = `translateX(${Math.min(Math.max(place, 0), width)}px)`;
      reveal();
    },
    choose(chosen) {
      const row = mark(chosen);
      if (row >= 0 && (row * ROW < scroll.scrollTop || (row + 1) * ROW > scroll.scrollTop + scroll.clientHeight)) {
        scroll.scrollTop = row * ROW - scroll.clientHeight / 2;
        fill();
        mark(chosen);
      }
    },
  };
}

function byJob(calls) {
  const found = new Map();
  for (const step of calls) found.set(step.job, [...(found.get(step.job) ?? []), step]);
  return [...found];
}
