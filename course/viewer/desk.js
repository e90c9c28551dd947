// The desk: one step as messages. What the model had seen before is folded, what is new lies open;
// calls and results are small tables. An answer comes when the clock is there, not before.
import { count, h, parsed, price, seconds } from "./dom.js";
import { valued } from "./table.js";

const [OLD, NEW, GROWN] = [0, 1, 2];
const ROLES = { system: "Instructions", user: "Asked", assistant: "Said", tool: "Result", call: "Calls", error: "Failed" };
const DOES = {
  chat: "asks the model", handoff: "takes over", refine: "rewrites the task", plan: "plans", route: "is chosen", wait: "waits", fault: "meets a fault",
  aggregate: "puts the answers together", synthesise: "puts the answers together", select: "chooses an answer", skip: "is skipped", enter: "takes over", take_down: "takes down what is wanted", approve: "asks a person", escalate: "gives it up",
};

function bubble(role, content, { fresh = false, note = "" } = {}) {
  const name = ROLES[role] ?? role;
  return h("article", { class: `bubble ${role}${fresh ? " fresh" : ""}`, "aria-label": name }, h("header", {}, name, note ? h("span", {}, note) : null), content);
}

/** A message in parts as a bubble. */
export function message(told, more = {}) {
  const parts = told.parts.map((part) => {
    if (part.type === "tool_call") return valued(part.arguments ?? {}, part.name);
    if (part.type === "tool_call_response") return result(part.response);
    return valued(part.content ?? `(${part.type})`);
  });
  return bubble(told.parts.some((part) => part.type === "tool_call") ? "call" : told.role, more.added ? valued(more.added) : parts, more);
}

function result(text) {
  const read = parsed(text);
  return read && typeof read === "object" && typeof read.error === "string" ? h("p", { class: "text error" }, `✕ ${read.error}`) : valued(text);
}

const facts = (pairs) => h("dl", { class: "facts" }, pairs.filter((pair) => pair && pair[1] !== "" && pair[1] != null).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, String(value)))));

/** What the model saw as a bar: by kind, what is new in full colour, tools' descriptions striped. */
function context(view, step) {
  const most = view.most, tools = step.tools?.[1] ?? 0, seen = step.seen.map(([place, state]) => ({ ...view.messages[place], state }));
  const fresh = seen.reduce((sum, m) => sum + (m.state === NEW ? m.tokens : 0), 0);
  const bars = [{ role: "tools", tokens: tools, state: step.first ? NEW : OLD }, ...seen];
  return h("div", { class: "context" },
    h("div", { class: "bar", role: "img", "aria-label": `${count(step.in)} tokens of at most ${count(most)} in this run` },
      bars.filter((bar) => bar.tokens).map((bar) => h("i", { class: `${bar.role} ${bar.state === OLD ? "old" : "fresh"}`, style: `width:${(bar.tokens / most) * 100}%`, title: `${bar.role === "tools" ? "tools' descriptions" : ROLES[bar.role] ?? bar.role}: about ${count(bar.tokens)} tokens` }))),
    h("p", {}, step.in ? [h("b", {}, count(step.in)), " tokens seen"] : "nobody counted the tokens", step.first ? ", its first look" : [", about ", h("b", {}, count(fresh)), " of them new"], tools ? `; about ${count(tools)} describe ${step.tools[0].length} tools: ${step.tools[0].join(", ")}` : ""));
}

function chat(view, step, open) {
  if (!step.seen.length) return [h("p", { class: "note" }, "This trace keeps no messages: make the run with Trace(name, messages=True).")];
  const seen = step.seen.map(([place, state, added]) => ({ told: view.messages[place], state, added }));
  const old = seen.filter((m) => m.state === OLD && m.told.role !== "system"), out = [context(view, step)];
  for (const { told, state, added } of seen.filter((m) => m.told.role === "system")) {
    const lines = told.parts.map((part) => part.content ?? "").join("\n").split("\n").length;
    out.push(h("details", {}, h("summary", {}, `Instructions, ${lines} line${lines > 1 ? "s" : ""}${state === GROWN ? ", grown" : ""}`), message(told)));
    if (state === GROWN) out.push(message(told, { added, fresh: true, note: "added since" }));
  }
  if (old.length) out.push(h("details", {}, h("summary", {}, `${old.length} message${old.length > 1 ? "s" : ""} it had seen before`), old.map((m) => message(m.told))));
  for (const { told, state, added } of seen) if (state !== OLD && told.role !== "system") out.push(message(told, { fresh: true, note: step.first ? "" : "new", added: state === GROWN ? added : "" }));
  out.push(h("p", { class: "note" }, open ? `The model, after ${seconds(step.b - step.a)}` : "The model is thinking …"));
  if (open) out.push(...step.answer.map((place) => message(view.messages[place], { fresh: true })));
  return out;
}

/** What the desk shows at a moment; `level` is the heading's. */
export function desk(view, state, level) {
  const moment = view.moments[state.moment], step = view.steps[moment.step], heading = (words) => h(`h${level}`, { class: "subtitle" }, words);
  if (!step) {
    const last = moment.phase === "end";
    return [heading(last ? "The caller hears" : "The caller asks"), facts([["at", seconds(moment.t)], ...(last ? [["model calls", count(view.calls)], ["tokens", count(view.tokens)], ["price", price(view.cost)]] : [])]),
      moment.words ? bubble(last ? "assistant" : "user", valued(moment.words), { fresh: true }) : h("p", { class: "note" }, "This trace keeps no messages.")];
  }
  const open = moment.phase !== "begin", job = view.jobs[step.job], who = step.who || job?.agent || step.name;
  const does = step.op === "execute_tool" ? `calls ${step.name}` : step.op === "stage" ? `${open ? "ends" : "begins"} ${step.name}` : DOES[step.op] ?? (open ? "reports back" : "gets a task");
  const out = [heading(`${job?.id ? `${job.id} · ` : ""}${who} ${does}`),
    facts([["from", seconds(step.a)], ["took", open ? seconds(step.b - step.a) : "…"], step.in > 0 && ["tokens", `${count(step.in)} + ${open ? count(step.out) : "…"}`], open && ["price", price(step.cost)], ["call tried", step.attempt], ["try at the task", step.try], ["model", step.model]])];
  if (open && step.bad) out.push(h("p", { class: "text error" }, `✕ ${step.error ?? "failed"}`));
  if (step.op === "chat") return [...out, ...chat(view, step, open)];
  const later = ["assistant", "tool"]; // what came of it
  for (const said of step.bubbles ?? []) if (open || !later.includes(said.role))
    out.push(said.role === "error" ? h("p", { class: "text error" }, `✕ ${said.text}`) : bubble(said.role, said.role === "tool" ? result(said.text) : valued(said.text, said.name), { fresh: true }));
  if (step.table && open) out.push(...[valued(step.table)].flat());
  return out;
}
