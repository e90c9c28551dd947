// The same scripts in a notebook: the kernel gives the data, and gives others where it changes them.
export default {
  render({ model, el }) {
    const draw = () => {
      const given = structuredClone(model.get("data")), host = h("div");
      el.replaceChildren(host);
      if (given.views) compare(host, given, { level: 3 });
      else if (given.answered !== undefined) seat(host, given, answer);
      else if (given.moments) show(host, given, { level: 3 });
    };
    const answer = (said) => {
      model.set("said", { ...said, nth: (model.get("said").nth ?? 0) + 1 });
      model.save_changes();
    };
    draw();
    model.on("change:data", draw);
  },
};
