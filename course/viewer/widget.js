// The same script in a notebook: the kernel gives the data, and gives others where it changes them.
export default {
  render({ model, el }) {
    const draw = () => {
      const given = structuredClone(model.get("data")), host = h("div");
      el.replaceChildren(host);
      if (given.views) compare(host, given, { level: 3 });
      else show(host, given, { level: 3 });
    };
    draw();
    model.on("change:data", draw);
  },
};
