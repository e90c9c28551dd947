// The model's seat: the request as the model sees it, and a form to answer with.
import { h, parsed } from "./dom.js";
import { message } from "./desk.js";
import { valued } from "./table.js";
import { show } from "./viewer.js";

/** Show what waits for an answer; `answer` is told { text, calls } or { back: true }. */
export function seat(host, data, answer, level = 3) {
  host.classList.add("switchboard", "seat");
  const back = h("button", { type: "button", disabled: !data.answered, click: () => answer({ back: true }) }, "Take the last answer back");
  if (data.run) {
    const board = h("div");
    host.replaceChildren(h("p", { role: "status" }, data.error ? `✕ The run broke: ${data.error}` : `The run is over, after ${data.answered} answers of yours. `, back), board);
    show(board, data.run, { level });
    return;
  }
  const asked = h("section", { class: "asked", "aria-label": "The request" }, h(`h${level + 1}`, { class: "subtitle" }, "What the model sees"), data.messages.map((each) => message(each)),
    h("details", {}, h("summary", {}, `${data.tools.length} tools it may call`), data.tools.map((tool) => h("article", { class: "bubble" }, h("b", {}, tool.name), h("p", {}, tool.description), valued(tool.parameters.properties ?? {})))),
    data.form ? h("details", { open: true }, h("summary", {}, "The form that its answer has to have"), valued(data.form.properties ?? data.form)) : null);
  const words = h("textarea", { rows: 3, "aria-label": "Words of the answer" }), calls = h("div", { class: "calls" });
  const add = h("button", { type: "button", click: () => { calls.append(call(data.tools)); calls.lastChild.querySelector("select").focus(); } }, data.tools.length ? "Call a tool" : "Call a tool that is not there");
  const send = h("button", { type: "button", class: "send", click: () => answer({ text: words.value, calls: [...calls.children].map((each) => each.read()) }) }, "Answer");
  const form = h("section", { class: "answer", "aria-label": "Your answer" },
    h(`h${level + 1}`, { class: "subtitle" }, "Your answer"), h("label", {}, "Words", words), calls, h("p", {}, add, " ", send, " ", back));
  host.replaceChildren(h("p", { class: "kicker" }, `You are ${data.model}, asked by ${data.agent || "an agent"}; answer ${data.answered + 1}`), h("div", { class: "places" }, asked, form));
}

/** A call: a tool of the list or any name, with a field for each parameter, or any text. */
function call(tools) {
  const name = h("input", { "aria-label": "Name of the tool", placeholder: "a tool's name" }), fields = h("div", { class: "fields" });
  const choice = h("select", { "aria-label": "Tool", change: () => draw() }, tools.map((tool) => h("option", { value: tool.name }, tool.name)), h("option", { value: "" }, "another name …"));
  const raw = h("input", { type: "checkbox", change: () => draw() }), text = h("textarea", { rows: 2, "aria-label": "Arguments as text" }, "{}");
  const box = h("fieldset", { class: "call" }, h("legend", {}, "A call"), choice, name, h("label", {}, raw, " write the arguments yourself"), fields, h("button", { type: "button", click: () => box.remove() }, "Leave this call out"));
  function draw() {
    const tool = tools.find((each) => each.name === choice.value), own = raw.checked || !tool;
    name.hidden = !!tool;
    fields.replaceChildren(...(own ? [text] : Object.entries(tool.parameters.properties ?? {}).map(([key, schema]) => field(key, schema, (tool.parameters.required ?? []).includes(key)))));
  }
  box.read = () => {
    const tool = tools.find((each) => each.name === choice.value), own = raw.checked || !tool;
    const given = [...fields.querySelectorAll("[data-key]")].filter((each) => each.value !== "").map((each) => [each.dataset.key, typed(each.value, each.dataset.type)]);
    return { name: tool ? tool.name : name.value, arguments: own ? text.value : JSON.stringify(Object.fromEntries(given)) };
  };
  draw();
  return box;
}

function field(key, schema, required) {
  const type = [schema.type].flat().find((each) => each && each !== "null") ?? "text", about = { "data-key": key, "data-type": type };
  const options = schema.enum ?? (type === "boolean" ? [true, false] : null);
  const made = options ? h("select", about, required ? null : h("option", { value: "" }, "–"), options.map((each) => h("option", { value: String(each) }, String(each))))
    : h("input", { ...about, placeholder: schema.description ?? type, type: type === "integer" || type === "number" ? "number" : "text", step: type === "number" ? "any" : null });
  return h("label", {}, `${key}${required ? " *" : ""}`, made);
}

/** A field's words as a value of its type; what does not fit goes as it is, as a model's would. */
function typed(text, type) {
  if (type === "string" || type === "text") return text;
  const read = parsed(text);
  return read === null ? text : read;
}
