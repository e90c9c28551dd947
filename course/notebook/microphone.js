// The browser's end of a call: a microphone, a loudspeaker, who is speaking, and what was said.
// Sound travels as 16-bit samples over the kernel's own connection, so no other port is needed.

const EAR = `
class Ear extends AudioWorkletProcessor {
  constructor(options) {
    super();
    this.step = sampleRate / options.processorOptions.rate;
    this.piece = new Int16Array(options.processorOptions.size);
    this.filled = 0; this.sum = 0; this.count = 0; this.next = this.step; this.seen = 0;
  }
  process([[samples]]) {
    for (const sample of samples ?? []) {  // the mean of a step: no sound above the new rate
      this.sum += sample; this.count += 1; this.seen += 1;
      if (this.seen < this.next) continue;
      const mean = Math.max(-1, Math.min(1, this.sum / this.count));
      this.piece[this.filled++] = Math.round(mean * 32767);
      this.sum = this.count = 0; this.next += this.step;
      if (this.filled === this.piece.length) {
        this.port.postMessage(this.piece.slice().buffer);
        this.filled = 0;
      }
    }
    return true;
  }
}
registerProcessor("switchboard-ear", Ear);
`;
const LEAD_SECONDS = 0.08; // so that a late piece does not leave a gap

function element(kind, parent, style = "") {
  const made = document.createElement(kind);
  made.style.cssText = style;
  parent.append(made);
  return made;
}

function render({ model, el }) {
  const button = element("button", el);
  const state = element("span", el, "margin-left: 1em");
  const said = element("div", el, "margin: .5em 0; max-height: 16em; overflow: auto");
  const trace = element("pre", el, "font-size: smaller; max-height: 16em; overflow: auto");
  state.setAttribute("role", "status");
  said.setAttribute("role", "log");
  trace.setAttribute("aria-label", "trace of the call");
  let context, stream, next = 0;
  const playing = new Set();

  function hush() {
    for (const source of playing) source.stop();
    playing.clear();
    next = 0;
  }

  function play(view) {
    const samples = new Int16Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
    const buffer = context.createBuffer(1, samples.length, model.get("rate"));
    buffer.getChannelData(0).set(Float32Array.from(samples, (sample) => sample / 32768));
    const source = context.createBufferSource();
    source.buffer = buffer;
    source.connect(context.destination);
    if (next < context.currentTime) next = context.currentTime + LEAD_SECONDS;
    source.start(next);
    next += buffer.duration;
    playing.add(source);
    source.onended = () => playing.delete(source);
  }

  async function open() {
    if (!navigator.mediaDevices) {
      state.textContent = "✗ no microphone: the page has to come over https or from localhost";
      return false;
    }
    try {
      stream = await navigator.mediaDevices.getUserMedia({
        audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true },
      });
    } catch (error) {
      state.textContent = `✗ no microphone (${error.name}): allow it in the address bar`;
      return false;
    }
    context = new AudioContext();
    const url = URL.createObjectURL(new Blob([EAR], { type: "text/javascript" }));
    await context.audioWorklet.addModule(url);
    URL.revokeObjectURL(url);
    const ear = new AudioWorkletNode(context, "switchboard-ear", {
      processorOptions: { rate: model.get("rate"), size: model.get("piece") },
    });
    ear.port.onmessage = ({ data }) => model.send({ kind: "sound" }, undefined, [data]);
    context.createMediaStreamSource(stream).connect(ear);
    return true;
  }

  async function close() {
    hush();
    for (const track of stream?.getTracks() ?? []) track.stop();
    if (context && context.state !== "closed") await context.close();
  }

  function show() {
    const on = model.get("on");
    button.textContent = on ? "Hang up" : "Call";
    state.textContent = model.get("state");
    said.replaceChildren(
      ...model.get("lines").map(([who, words]) => {
        const line = document.createElement("div");
        const name = document.createElement("b");
        name.textContent = `${who}: `;
        line.append(name, words);
        return line;
      }),
    );
    said.scrollTop = said.scrollHeight;
    trace.textContent = model.get("trace");
  }

  async function toggled() {
    show();
    if (!model.get("on")) await close();
  }

  button.onclick = async () => {
    if (model.get("on")) model.send({ kind: "hang up" });
    else if (await open()) model.send({ kind: "call" });
  };
  function received(message, buffers) {
    if (message.kind === "hush") hush();
    else if (message.kind === "play" && context) play(buffers[0]);
  }
  model.on("msg:custom", received);
  model.on("change:on", toggled);
  model.on("change:state change:lines change:trace", show);
  show();
  return () => {
    model.off("msg:custom", received);
    model.send({ kind: "hang up" });
    close();
  };
}

export default { render };
