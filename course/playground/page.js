// A conversation with a system, and its trace as it grows: the page asks for what is new.
const log = document.querySelector("#said");
const form = document.querySelector("form");
const field = document.querySelector("#text");
const state = document.querySelector("#state");
const trace = document.querySelector("#trace");
const run = document.querySelector("#run");
let said = 0;
let steps = -1;
let played = -1;

function show(entry) {
  const line = document.createElement("p");
  const who = document.createElement("b");
  who.textContent = `${entry.who}: `;
  const words = document.createElement("span");
  words.textContent = entry.words;
  line.append(who, words);
  if (entry.note) {
    const note = document.createElement("small");
    note.textContent = ` (${entry.note})`;
    line.append(note);
  }
  log.append(line);
  line.scrollIntoView({ block: "nearest" });
}

async function look() {
  let rest = 400; // milliseconds
  try {
    const answer = await fetch(`state?said=${said}&steps=${steps}`);
    const news = await answer.json();
    news.said.forEach(show);
    said += news.said.length;
    document.title = document.querySelector("#name").textContent = news.name;
    if (news.trace !== null) trace.textContent = news.trace;
    steps = news.steps;
    trace.hidden = !news.busy && steps > 0; // while it works, the steps; then the run, to be played
    run.hidden = !trace.hidden;
    if (trace.hidden && played !== steps) run.src = `run?steps=${(played = steps)}`;
    state.textContent = news.over ? "The conversation is over." : news.busy ? "It is working …" : "";
    form.querySelector("button").disabled = news.busy || news.over;
    if (news.over) return;
  } catch {
    state.textContent = "The server has stopped.";
    rest = 5000;
  }
  setTimeout(look, rest);
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const text = field.value.trim();
  if (!text || form.querySelector("button").disabled) return;
  const sent = await fetch("say", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ text }),
  });
  if (sent.ok) field.value = "";
  else state.textContent = (await sent.json()).error.message;
});

look();
