// What the server tells each second is shown; what a button says is asked of the server.
"use strict";

const LINES = 60;
const AGAIN_MILLIS = 3000;
const READ_MILLIS = 500;
const MILLION = 1000000;
const charts = new Charts(document.getElementById("charts"));
const facts = document.getElementById("facts");
const note = document.getElementById("note");
const log = document.getElementById("log");
const buttons = [...document.querySelectorAll("button[data-act]")];
let samples = [];
let waitingToDraw = false;
let aloud = 0;
let again = 0;
let events = null;

/** Asked for each time, as another address may be pasted into a tab where the page is already. */
function token() {
  return new URLSearchParams(location.hash.slice(1)).get("token");
}

/** What is said already is not said again, as a reader of screens would read it out again. */
function say(text) {
  if (note.textContent !== text) {
    note.textContent = text;
  }
}

/** What the button says is sent, be it so already or not: a second click does not undo the first. */
function press(button) {
  const { act, back, on } = button.dataset;
  const known = token();
  const headers = known ? { "X-Stampede-Token": known } : {};
  fetch("act/" + (on === "true" ? back : act), { method: "POST", headers })
    .then(async (answer) => say(answer.ok ? "" : (await answer.text()).trim()))
    .catch(() => say("The server does not answer."));
}

function toggle(act, on, text) {
  const button = document.querySelector(`button[data-act="${act}"]`);
  button.dataset.on = on;
  button.setAttribute("aria-label", text);
  button.textContent = text;
}

function duration(millis) {
  return millis >= 1000 ? (millis / 1000).toFixed(1) + " s" : millis.toFixed(millis < 10 ? 1 : 0) + " ms";
}

/** From a million on there is no room for all digits on a phone. */
function counted(number) {
  return number.toLocaleString("en", number < MILLION ? {} : { notation: "compact", maximumFractionDigits: 2 });
}

function showCounters(side, last) {
  const values = { ...last[side].total, processes: last[side].processes };
  for (const cell of document.querySelectorAll(`#${side} [data-count]`)) {
    const count = cell.dataset.count;
    cell.textContent = count === "slowest"
      ? duration(Math.max(...samples.map((sample) => sample[side].longest)))
      : counted(values[count]);
  }
}

function draw() {
  waitingToDraw = false;
  const last = samples[samples.length - 1];
  if (last) {
    SIDES.forEach((side) => showCounters(side, last));
    toggle("slow-database", last.slow, last.slow ? "Make the database quick" : "Make the database slow");
    toggle("stop-redis", !last.redis, last.redis ? "Stop Redis" : "Start Redis");
    charts.show(samples);
  }
}

/** Two minutes come at once in the beginning, and are drawn once. */
function drawSoon() {
  if (!waitingToDraw) {
    waitingToDraw = true;
    setTimeout(draw, 30);
  }
}

function start(told) {
  samples = [];
  log.replaceChildren();
  clearTimeout(aloud);
  log.setAttribute("aria-live", "off");
  facts.textContent = `Each fleet: ${told.processes} processes, ${told.callers} callers, ${told.keys} keys with a TTL of ${told.ttlSeconds} s; `
    + `a query takes about ${told.queryMillis} ms. Three in four calls ask for the same key, the hot one.`;
  const locked = told.tokenNeeded && !token();
  buttons.forEach((button) => { button.disabled = locked; });
  say(locked ? "To press buttons, open the address with the token that was printed at the start." : "");
}

/** The lines of the past are there, and are not read out; those to come are, once a reader of screens has seen the past ones. */
function readAloudFromNowOn() {
  aloud = setTimeout(() => log.setAttribute("aria-live", "polite"), READ_MILLIS);
}

function addLine(line) {
  const item = document.createElement("p");
  const time = document.createElement("time");
  time.dateTime = new Date(line.at).toISOString();
  time.textContent = new Date(line.at).toLocaleTimeString("en-GB");
  item.append(time, line.text);
  log.prepend(item);
  while (log.children.length > LINES) {
    log.lastChild.remove();
  }
}

/**
 * A page that nobody sees keeps no connection: a browser has but six for a server, over all tabs, and a button needs one.
 * A browser tries again by itself when a connection breaks, but not when the answer was an error, and too soon when there is
 * no room.
 */
function connect() {
  clearTimeout(again);
  events?.close();
  if (document.hidden) {
    return;
  }
  events = new EventSource("events");
  events.addEventListener("full", () => {
    events.close();
    say("Too many browsers look at this page; trying again …");
    again = setTimeout(connect, AGAIN_MILLIS);
  });
  events.addEventListener("start", (event) => start(JSON.parse(event.data)));
  events.addEventListener("line", (event) => addLine(JSON.parse(event.data)));
  events.addEventListener("now", readAloudFromNowOn);
  events.addEventListener("sample", (event) => {
    samples.push(JSON.parse(event.data));
    samples = samples.slice(-SECONDS);
    drawSoon();
  });
  events.addEventListener("error", () => {
    say("The connection is lost; trying again …");
    if (events.readyState === EventSource.CLOSED) {
      again = setTimeout(connect, AGAIN_MILLIS);
    }
  });
}

connect();
document.addEventListener("visibilitychange", connect);
addEventListener("hashchange", connect);
buttons.forEach((button) => button.addEventListener("click", () => press(button)));
