// A scatter plot of runs: each point says on hover what it is, and is picked by click or Enter.
const NS = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [680, 340, 70, 46, 12];

function node(name, attributes, text) {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function ticks(low, high) {
  return [0, 1, 2, 3, 4].map((n) => low + ((high - low) * n) / 4);
}

function render({ model, el }) {
  const draw = () => {
    const points = model.get("points");
    const range = (key) => {
      const values = points.map((point) => point[key]);
      const [low, high] = [Math.min(...values), Math.max(...values)];
      const margin = (high - low) * 0.05 || 1;
      return [low - margin, high + margin];
    };
    const [x0, x1] = range("x");
    const [y0, y1] = range("y");
    const place = (point) => [
      LEFT + ((point.x - x0) / (x1 - x0)) * (WIDTH - LEFT - 20),
      HEIGHT - BOTTOM - ((point.y - y0) / (y1 - y0)) * (HEIGHT - BOTTOM - TOP),
    ];
    const svg = node("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", style: "max-width: 100%" });
    svg.setAttribute("aria-label", model.get("alt"));
    for (const value of ticks(x0, x1)) {
      const [x] = place({ x: value, y: y0 });
      svg.append(node("line", { x1: x, x2: x, y1: TOP, y2: HEIGHT - BOTTOM, stroke: "#eee" }));
      svg.append(node("text", { x, y: HEIGHT - BOTTOM + 16, "text-anchor": "middle", "font-size": 11 },
        String(Number(value.toPrecision(3)))));
    }
    for (const value of ticks(y0, y1)) {
      const [, y] = place({ x: x0, y: value });
      svg.append(node("line", { x1: LEFT, x2: WIDTH - 20, y1: y, y2: y, stroke: "#eee" }));
      svg.append(node("text", { x: LEFT - 8, y: y + 4, "text-anchor": "end", "font-size": 11 },
        String(Number(value.toPrecision(3)))));
    }
    svg.append(node("text", { x: (LEFT + WIDTH) / 2, y: HEIGHT - 8, "text-anchor": "middle", "font-size": 12 },
      model.get("x_label")));
    svg.append(node("text", { x: 14, y: HEIGHT / 2, "text-anchor": "middle", "font-size": 12,
      transform: `rotate(-90 14 ${HEIGHT / 2})` }, model.get("y_label")));
    for (const point of points) {
      const [x, y] = place(point);
      const here = point.id === model.get("picked");
      const mark = node("text", { x, y: y + 5, "text-anchor": "middle", "font-size": here ? 22 : 13,
        fill: point.colour, tabindex: 0, role: "button", style: "cursor: pointer" }, point.sign);
      mark.setAttribute("aria-label", point.told);
      mark.append(node("title", {}, point.told));
      const pick = () => { model.set("picked", point.id); model.save_changes(); };
      mark.addEventListener("click", pick);
      mark.addEventListener("keydown", (event) => { if (event.key === "Enter") pick(); });
      svg.append(mark);
    }
    el.replaceChildren(svg);
  };
  draw();
  for (const name of ["points", "picked"]) model.on(`change:${name}`, draw);
}

export default { render };
