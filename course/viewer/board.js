// The board: who has the conversation, who was asked, who talks to the model, at one event.
// Caller and agents stand in a row, their tools above them, the model is a bar below; cords hang,
// so that nothing crosses but arcs and drops. In a narrow place the picture turns by 90 degrees.
import { count, fitted, NAME, s, SMALL } from "./dom.js";

const NARROW = 520; // pixels, below which the board stands upright
const TOOLS = 5; // tools of an agent that are drawn
const LANES = 5; // cords between the same two that are told apart
const ASIDE = 30; // pixels by which the second row stands to the right, clear of the first one's drops
const CALLER = "caller", PERSON = "the person"; // who is asked for a yes
const SIGNS = { lent: "⇄", handed: "→" };
const WORDS = {
  held: "has the conversation", lent: "is asked, and comes back", handed: "handed over",
  tool: "tool call", model: "model call",
};

/** The cords that lie at a moment. On a running clock, what has just been is held for a moment:
 *  a tool takes no time, and could not be seen otherwise. */
export function lying(view, { moment, glow, time }) {
  return view.cords.filter((c) => c.begin <= moment
    && (moment < c.end || (glow > 0 && view.moments[c.begin].t > time - glow)));
}

/** What each one does at a moment: { text, lamp: off | on | wait | failed, load }. */
export function doing(view, state, cords = lying(view, state)) {
  const { moment, time } = state, over = moment >= view.moments.length - 1, heard = view.moments.at(-1).words ? "has the answer" : "waits no more";
  const states = new Map([[CALLER, { text: over ? heard : "waits", lamp: over ? "on" : "wait", load: "" }]]);
  for (const { name } of view.agents) states.set(name, { text: "", lamp: "off", load: "", out: [], asked: "" });
  for (const c of cords) {
    states.get(c.a)?.out?.push(c);
    if (states.has(c.b) && c.kind !== "handed") states.get(c.b).asked ||= c.kind;
  }
  for (const step of view.waits) {
    const one = states.get(step.who);
    if (one?.out && step.begins <= moment && time < step.b) one.waits = step.name;
  }
  for (const job of view.jobs) {
    const one = states.get(job.agent);
    if (!one?.out) continue;
    if (job.status !== "done" && job.to <= moment) (one.lost ??= []).push(job);
    else if (job.to <= moment) one.done = true;
    else if (job.from <= moment) one.begun = job;
  }
  for (const [name, one] of states) if (name !== CALLER) Object.assign(one, said(one, over));
  const person = states.get(PERSON);
  if (person?.lamp === "on") person.text = "decides";
  return states;
}

function said({ out, asked, waits, begun, done, lost }, over) {
  const of = (kind) => out.filter((c) => c.kind === kind);
  const tools = of("tool"), calls = of("model"), lent = of("lent");
  const read = calls.reduce((sum, c) => sum + c.in, 0);
  const load = [calls.length > 1 ? `${calls.length} calls` : "", read ? `${count(read)} tok` : ""].filter(Boolean).join(", ");
  if (tools.length) return { text: tools.length > 1 ? `calls ${tools.length} tools` : "calls a tool", lamp: "on", load };
  if (waits && !calls.length) return { text: `waits: ${waits}`, lamp: "wait", load };
  if (calls.length) return { text: calls.length > 1 ? `${calls.length} model calls` : "asks the model", lamp: "on", load };
  if (lost) return { text: lost.length > 1 ? `${lost.length} not done` : `${lost[0].id} ${lost[0].status}`.trim(), lamp: "failed", load };
  if (lent.length) return { text: `waits for ${lent.length > 1 ? lent.length : lent[0].b}`, lamp: "wait", load };
  if (begun || (asked === "lent" && !over)) return { text: "at work", lamp: "on", load };
  if (asked && !over) return { text: "on the line", lamp: "on", load };
  return { text: done ? "done" : "", lamp: "off", load };
}

/** Each agent of the first row with those who work for it in the second. */
function rooms(view) {
  return view.agents.filter((agent) => !agent.under).map((agent) => [agent, view.agents.filter((each) => each.under === agent.name)]);
}

/** Where everything stands in a box of this width. */
export function layout(view, width) {
  const places = new Map(), tools = new Map(), inRooms = rooms(view);
  if (width < NARROW) return { ...upright(inRooms, width, places, tools), places, tools };
  const wide = inRooms.reduce((sum, [, below]) => sum + Math.max(1, below.length), 0), second = inRooms.some(([, below]) => below.length);
  const first = Math.min(140, (width - 20) / (wide + 1)), edge = second ? ASIDE + 20 : 20, room = Math.max(112, (width - first - edge) / Math.max(1, wide));
  const most = (agents) => 20 * Math.max(0, ...agents.map((agent) => Math.min(TOOLS, agent.tools.length)));
  const y = 34 + most(inRooms.map(([agent]) => agent)), low = y + 74 + most(inRooms.flatMap(([, below]) => below)), bar = (second ? low : y) + (view.models.length ? 142 : 92), named = view.models.length ? 50 : 34;
  const stand = (agent, x, at, words) => {
    places.set(agent.name, { x, y: at, room: words - 40 });
    agent.tools.slice(0, TOOLS).forEach((tool, n) => tools.set(`${agent.name}\n${tool}`, { x, y: at - 30 - n * 20, room: room - 22, name: tool }));
  };
  stand({ name: CALLER, tools: [] }, 34, y, first);
  let x = 34 + first;
  for (const [agent, below] of inRooms) {
    const own = Math.max(1, below.length) * room;
    stand(agent, x, y, own);
    below.forEach((each, n) => stand(each, x + ASIDE + n * room, low, n + 1 < below.length ? room : room - 10));
    x += own;
  }
  return { places, tools, bar, upright: false, width: Math.max(width, first + wide * room + edge), height: bar + named };
}

function upright(inRooms, width, places, tools) {
  const bar = width - 24, rows = inRooms.flatMap(([agent, below]) => [agent, ...below]);
  let y = 30;
  for (const { name, tools: all, under } of [{ name: CALLER, tools: [] }, ...rows]) {
    places.set(name, { x: under ? 74 + ASIDE / 2 : 74, y, room: bar - 130 });
    const own = all.slice(0, 2), room = (bar - 110) / Math.max(1, own.length);
    own.forEach((tool, n) => tools.set(`${name}\n${tool}`, { x: 106 + n * room, y: y + 30, room: room - 14, name: tool }));
    y += own.length ? 74 : 56;
  }
  return { bar, upright: true, width, height: y - 8 };
}

/** The curve of a cord: eight numbers, of a cubic from jack to jack. */
export function curve(c, at) {
  const { x, y } = at.places.get(c.a), lane = Math.min(c.lane, LANES);
  if (c.kind === "tool") {
    const tool = at.tools.get(`${c.a}\n${c.b}`) ?? { x: x + 8, y: y - (at.upright ? -30 : 26) };
    if (at.upright) return [x + 2, y + 14, x + 6, y + 44, tool.x - 14, tool.y + 12, tool.x, tool.y];
    return [x - 5, y - 12, x - 24, y - 20, x - 22, tool.y + 10, tool.x, tool.y];
  }
  if (c.kind === "model") {
    if (at.upright) return [x + 6, y - 13, x + 14, y - 36 - lane * 4, x + 70, y - 22 - lane * 4, at.bar, y - 22 - lane * 4];
    const drop = x + 6 + lane * 12;
    return [x + 4 + lane * 2, y + 14, drop, y + 50, drop, at.bar - 50, drop, at.bar];
  }
  const to = at.places.get(c.b), way = Math.sign(at.upright ? to.y - y : to.x - x) || 1;
  const low = c.kind === "handed" ? 0.5 : 1;
  if (at.upright) {
    const far = Math.min(58, 22 + Math.abs(to.y - y) * 0.12) * low + lane * 6;
    return [x - 13, y + 5 * way, x - 16 - far, y + 9 * way, to.x - 16 - far, to.y - 9 * way, to.x - 13, to.y - 5 * way];
  }
  const sag = Math.min(120, 42 + Math.abs(to.x - x) * 0.15) * low + lane * 10;
  const deep = to.y + 12 + Math.min(110, (to.x - x) * 0.5) + lane * 8;
  if (to.y > y) return [x + 4, y + 14, x + 4, deep, to.x - 20, deep, to.x - 9, to.y + 10];
  return [x + 8 * way, y + 12, x + 16 * way, y + 12 + sag, to.x - 16 * way, to.y + 12 + sag, to.x - 8 * way - lane * 2 * way, to.y + 12];
}

export function along(p, f) {
  const g = 1 - f, mix = (i) => g ** 3 * p[i] + 3 * g * g * f * p[i + 2] + 3 * g * f * f * p[i + 4] + f ** 3 * p[i + 6];
  return [mix(0), mix(1)];
}

/** The board in an element: `frame` draws what stands, `draw` what lies at a moment. */
export function board(host, view, choose) {
  let at, svg, cordsLayer, parts, drawn, shown;
  return {
    frame() {
      at = layout(view, host.clientWidth || 800);
      [drawn, parts, shown] = [new Map(), new Map(), ""];
      cordsLayer = s("g", { class: "cords" });
      svg = s("svg", { width: at.width, height: at.height, viewBox: `0 0 ${at.width} ${at.height}`, role: "img" }, trunk(), cordsLayer, toolJacks(), jacks());
      host.replaceChildren(svg);
    },
    draw(state) {
      const cords = lying(view, state), wanted = new Set(cords);
      for (const [c, g] of drawn) if (!wanted.has(c)) { g.remove(); drawn.delete(c); }
      for (const c of cords) {
        if (!drawn.has(c)) { drawn.set(c, plug(c)); cordsLayer.append(drawn.get(c)); }
        if (c.kind === "model") move(drawn.get(c), c, state.time);
      }
      const states = doing(view, state, cords);
      label(states, cords);
      follow(view.moments[state.moment].who);
      return states;
    },
  };

  /** Where the board is wider than its place: whoever it is about stays in sight. */
  function follow(who) {
    const place = at.places.get(who);
    if (!place || at.width <= host.clientWidth) return;
    const { scrollLeft, clientWidth } = host;
    if (place.x < scrollLeft + 20 || place.x + place.room > scrollLeft + clientWidth) host.scrollLeft = place.x + place.room / 2 - clientWidth / 2;
  }

  function trunk() {
    if (!view.models.length) return s("g", { class: "trunk" });
    const [models] = fitted(view.models.join(", "), at.width - 56, SMALL);
    if (at.upright) return s("g", { class: "trunk" },
      s("rect", { x: at.bar - 8, y: 8, width: 17, height: at.height - 16, rx: 8 }),
      s("text", { transform: `translate(${at.bar + 5} ${at.height - 18}) rotate(-90)` }, "the model"));
    return s("g", { class: "trunk" },
      s("rect", { x: 14, y: at.bar - 9, width: at.width - 28, height: 19, rx: 9 }),
      s("text", { x: 28, y: at.bar + 5 }, "the model"), s("text", { class: "soft", x: 28, y: at.bar + 42 }, models));
  }

  function toolJacks() {
    return s("g", {}, [...at.tools].map(([key, t]) => s("g", { class: "tool", "data-tool": key },
      s("circle", { cx: t.x, cy: t.y, r: 5 }), s("text", { x: t.x + 10, y: t.y + 4 }, fitted(t.name, t.room, SMALL), s("title", {}, t.name)))));
  }

  function jacks() {
    return s("g", {}, [...at.places].map(([name, { x, y, room }]) => {
      const state = s("text", { class: "soft", x: x + 22, y: y + 12 });
      const load = at.upright ? s("text", { class: "soft", x: at.bar - 14, y: y - 4, "text-anchor": "end" }) : s("text", { class: "soft", x: x + 2, y: at.bar + 26 });
      const jack = s("g", { class: "jack" },
        s("circle", { class: "ring", cx: x, cy: y, r: 14 }), s("circle", { class: "hole", cx: x, cy: y, r: 9.5 }), s("circle", { class: "lamp", cx: x, cy: y, r: 5.5 }),
        s("text", { class: "cross", x, y: y + 5, "text-anchor": "middle" }, "✕"),
        stacked(s("text", { class: "name" }), fitted(name, room, NAME, 2), x + 22, y - 3, -1), s("title", {}, name), state, load);
      parts.set(name, { jack, state, load, x: x + 22, y: y + 12, room });
      return jack;
    }));
  }

  /** Lines below a place, or above it. */
  function stacked(text, lines, x, y, way = 1) {
    const first = way < 0 ? y - 13 * (lines.length - 1) : y;
    text.replaceChildren(...lines.map((line, n) => s("tspan", { x, y: first + 13 * n }, line)));
    return text;
  }

  function plug(c) {
    const p = curve(c, at), d = `M${p[0]} ${p[1]}C${p.slice(2).join(" ")}`, [x, y] = along(p, 0.5);
    const g = s("g", { class: `cord ${c.kind}${c.bad ? " bad" : ""}`, click: () => c.step >= 0 && choose(c.step) },
      s("title", {}, `${c.a} – ${c.b}: ${WORDS[c.kind]}`),
      s("path", { class: "edge", d }), s("path", { class: "core", d, pathLength: c.kind === "handed" ? null : 1 }),
      s("circle", { class: "plug", cx: p[0], cy: p[1], r: 4 }), s("circle", { class: "plug", cx: p[6], cy: p[7], r: 4 }));
    const sign = c.bad ? "✕" : SIGNS[c.kind], [sx, sy] = c.bad ? [p[6], p[7]] : [x, y];
    if (sign && (c.bad || !c.lane)) g.append(s("circle", { class: "disc", cx: sx, cy: sy, r: 9 }), s("text", { class: "sign", x: sx, y: sy + 4.5, "text-anchor": "middle" }, sign));
    if (c.kind === "model") g.append((g.bead = s("circle", { class: "bead", r: 4.5 })));
    g.curve = p;
    return g;
  }

  /** The bead of a model call: out to the model, and back with the answer. */
  function move(g, c, time) {
    const f = c.until > c.since ? Math.min(1, Math.max(0, (time - c.since) / (c.until - c.since))) : 0.5;
    const [x, y] = along(g.curve, 1 - Math.abs(1 - 2 * f));
    g.bead.setAttribute("cx", x);
    g.bead.setAttribute("cy", y);
  }

  function label(states, cords) {
    const key = JSON.stringify([...states].map(([name, one]) => [name, one.text, one.lamp, one.load]));
    if (key === shown) return;
    shown = key;
    for (const [name, one] of states) {
      const { jack, state, load, x, y, room } = parts.get(name);
      jack.dataset.lamp = one.lamp;
      jack.classList.toggle("seen", one.text !== "");
      stacked(state, fitted(one.text, room, SMALL, 2), x, y);
      load.textContent = one.load;
    }
    const called = new Set(cords.filter((c) => c.kind === "tool").map((c) => `${c.a}\n${c.b}`));
    for (const tool of svg.querySelectorAll(".tool")) tool.classList.toggle("on", called.has(tool.dataset.tool));
    const told = [...states].filter(([, one]) => one.text).map(([name, one]) => `${name} ${one.text}`);
    svg.setAttribute("aria-label", `The board: ${told.join("; ")}`);
  }
}
