// Elements, and how numbers are said. Words only ever go in as text, never as markup.

const FOCUSED = ["button", "input", "select", "textarea", "summary"];

/** An HTML element; what is null or false is left out, a function is heard. */
export function h(name, attributes = {}, ...children) {
  const made = filled(document.createElement(name), attributes, children);
  // JupyterLab takes the keys of whatever has the focus, unless that itself says that it wants them.
  if (FOCUSED.includes(name) || "tabindex" in attributes) made.setAttribute("data-lm-suppress-shortcuts", "true");
  return made;
}

/** An SVG element. */
export function s(name, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function filled(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value == null || value === false) continue;
    if (typeof value === "function") made.addEventListener(key, value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter((child) => child != null && child !== false));
  return made;
}

const THOUSANDS = new Intl.NumberFormat("en"); // made once: a number's own way makes one each time
export const count = (n) => THOUSANDS.format(Math.round(n));
export const price = (dollars) => (dollars ? `${Number((dollars * 100).toPrecision(2))} ¢` : "");

export function seconds(time) {
  if (time >= 100) return `${time.toFixed(0)} s`;
  return time === 0 || time >= 0.005 ? `${time.toFixed(2)} s` : `${time.toPrecision(1)} s`;
}

export function short(text, most) {
  const line = String(text ?? "").replace(/\s+/g, " ").trim();
  return line.length > most ? `${line.slice(0, Math.max(1, most - 1)).trimEnd()}…` : line;
}

const FONT = 'Inter, "Helvetica Neue", Arial, sans-serif';
export const SMALL = `11.5px ${FONT}`, NAME = `650 13.5px ${FONT}`;
const RULER = document.createElement("canvas").getContext("2d");

/** Words in so many lines of at most `room` pixels: broken between words, cut in the last line. */
export function fitted(text, room, font, most = 1) {
  RULER.font = font;
  const fits = (words) => RULER.measureText(words).width <= room, made = [];
  let left = String(text ?? "");
  while (left && !fits(left) && made.length + 1 < most) {
    const breaks = [...left.matchAll(/(?<=[\s_-])/g)].map((found) => found.index).filter((place) => place && fits(left.slice(0, place).trimEnd()));
    if (!breaks.length) break;
    made.push(left.slice(0, breaks.at(-1)).trimEnd());
    left = left.slice(breaks.at(-1));
  }
  let letters = left.length;
  while (letters > 1 && !fits(letters < left.length ? `${left.slice(0, letters)}…` : left)) letters--;
  return left ? [...made, letters < left.length ? `${left.slice(0, letters).trimEnd()}…` : left] : made;
}

/** What a JSON text holds, or null. */
export function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
