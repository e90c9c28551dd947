// Values as small tables, and the run as one: what a screen reader and a printer get.
import { count, h, parsed } from "./dom.js";

const WIDE = 5, ROWS = 40; // columns of a table across, rows that are shown
const words = (key) => String(key).replaceAll("_", " ");
const plain = (value) => value === null || typeof value !== "object";

/** A value as an element: an object downwards, a list of objects across, all else as text. */
export function valued(value, caption) {
  if (typeof value === "string" && /^\s*[[{]/.test(value)) value = parsed(value) ?? value;
  const head = caption ? h("caption", {}, caption) : null;
  if (plain(value)) return h("p", { class: "text" }, caption ? h("b", {}, `${caption} `) : null, value === null || value === undefined ? "–" : String(value));
  if (!Array.isArray(value)) return h("table", {}, head, h("tbody", {}, Object.entries(value).map(([key, each]) => h("tr", {}, h("th", { scope: "row" }, words(key)), h("td", {}, cell(each))))));
  if (!value.length || value.some(plain)) return h("p", { class: "text" }, caption ? h("b", {}, `${caption} `) : null, value.map((each) => (plain(each) ? String(each) : JSON.stringify(each))).join(", ") || "nothing");
  const keys = [...new Set(value.flatMap(Object.keys))], more = value.length > ROWS ? h("p", { class: "note" }, `and ${value.length - ROWS} more`) : null;
  if (keys.length > WIDE) return [head && h("p", {}, h("b", {}, caption)), ...value.slice(0, ROWS).map((each) => valued(each)), more];
  return [h("table", {}, head, h("thead", {}, h("tr", {}, keys.map((key) => h("th", { scope: "col" }, words(key))))),
    h("tbody", {}, value.slice(0, ROWS).map((row) => h("tr", {}, keys.map((key) => h("td", {}, cell(row[key] ?? null))))))), more];
}

const cell = (value) => (plain(value) ? (value === null ? "–" : String(value)) : Array.isArray(value) && value.every(plain) ? value.join(", ") || "–" : valued(value));

/** Every event of a run in its order, up to `most`. */
export function told(view, most = 2000) {
  const left = view.moments.length - most;
  return h("details", { class: "told-table" }, h("summary", {}, "The run as a table"),
    h("table", {}, h("thead", {}, h("tr", {}, ["Second", "Who", "What happened", "Tokens"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, view.moments.slice(0, most).map((moment) => {
        const step = view.steps[moment.step], used = step?.in && moment.phase === "end" ? `${count(step.in)} + ${count(step.out)}` : "";
        return h("tr", {}, h("td", {}, moment.t.toFixed(2)), h("td", {}, moment.who), h("td", {}, `${moment.bad ? "✕ " : ""}${moment.text}`), h("td", {}, used));
      }))), left > 0 ? h("p", { class: "note" }, `and ${count(left)} events more`) : null);
}
