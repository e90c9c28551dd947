// The same scripts in a notebook: the kernel gives the data, and gives others where it changes them.
export default {
  render({ model, el }) {
    let shown = null; // of a run that is made anew, the same second stays in sight
    const draw = () => {
      const time = shown?.state?.time ?? 0;
      const given = structuredClone(model.get("data")), host = h("div");
      el.replaceChildren(host);
      if (given.views) compare(host, given, { level: 3 });
      else if (given.answered !== undefined) seat(host, given, answer);
      else shown = given.moments ? show(host, given, { level: 3 }) : null;
      if (time) shown?.seek(time);
    };
    const answer = (said) => {
      model.set("said", { ...said, nth: (model.get("said").nth ?? 0) + 1 });
      model.save_changes();
    };
    draw();
    model.on("change:data", draw);
  },
};
