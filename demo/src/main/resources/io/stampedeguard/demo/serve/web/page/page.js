// Shows what the server sends each second, and sends what the buttons request.
"use strict";

const AGAIN_MILLIS = 3000;
const READ_MILLIS = 500;
const charts = new Charts(document.getElementById("chart"), document.getElementById("charts"));
const results = new Results();
const strips = new Strips(document.querySelector("#chart figure"), () => charts.area());
const facts = document.getElementById("facts");
const note = document.getElementById("note");
const sentence = document.getElementById("sentence");
const buttons = [...document.querySelectorAll("button[data-act]")];
const near = document.getElementById("near");
const repository = document.getElementById("repository");
const help = document.getElementById("help");
const helpButton = document.getElementById("help-button");
const tourButton = document.getElementById("tour");
const tour = new Tour(tourButton, { send, begins: beginTotal, ends: showTotal });
let samples = [];
let beforeTour = null;
let waitingToDraw = false;
let aloud = 0;
let again = 0;
let events = null;

/** Read each time, because another address may be pasted into the tab. */
function token() {
  return new URLSearchParams(location.hash.slice(1)).get("token");
}

/** A text that is shown already is not set again, because a screen reader would read it out again. */
function say(text) {
  if (note.textContent !== text) {
    note.textContent = text;
  }
}

/** Sends an action; resolves to whether the server accepted it. It is sent even if the page is closed meanwhile. */
async function send(act) {
  const known = token();
  const headers = known ? { "X-Stampede-Token": known } : {};
  try {
    const answer = await fetch("act/" + act, { method: "POST", headers, keepalive: true });
    say(answer.ok ? "" : (await answer.text()).trim());
    return answer.ok;
  } catch {
    say("The server does not answer.");
    return false;
  }
}

/** Sends what the button shows, whatever the state is: a second click does not undo the first. */
function press(button) {
  const { act, back, on } = button.dataset;
  send(on === "true" ? back : act);
}

function showHelp(shown) {
  help.hidden = !shown;
  helpButton.setAttribute("aria-expanded", shown);
}

function toggle(act, on, text) {
  const button = document.querySelector(`button[data-act="${act}"]`);
  button.dataset.on = on;
  button.textContent = text;
}

function longest(side, some) {
  return some.reduce((one, other) => (other[side].longest >= one[side].longest ? other : one));
}

function showCounters(side, last) {
  const values = { ...last[side].total, processes: last[side].processes };
  const slowest = longest(side, samples);
  const seconds = Math.round((last.at - slowest.at) / 1000);
  for (const cell of document.querySelectorAll(`#${side} [data-count]`)) {
    const count = cell.dataset.count;
    cell.textContent = count === "slowest" ? duration(slowest[side].longest) : counted(values[count]);
  }
  document.querySelector(`#${side} [data-age]`).textContent = `slowest call, ${seconds} s ago`;
}

function beginTotal() {
  beforeTour = samples[samples.length - 1];
}

/** Shows the totals of the tour's time; of a part of it, where the page was connected again meanwhile. */
function showTotal(completed) {
  const during = samples.filter((sample) => sample.at > (beforeTour?.at ?? Infinity));
  if (!completed || during.length === 0) {
    say(completed ? "The tour is over." : "The tour was stopped.");
    return;
  }
  const last = during[during.length - 1];
  const slowest = (side) => longest(side, during)[side].longest;
  const [naive, guarded] = SIDES.map((side) => ({
    queries: last[side].total.queries - beforeTour[side].total.queries,
    stuck: Math.max(...during.map((sample) => sample[side].stuck)),
    slowest: duration(slowest(side)),
  }));
  results.total({ button: "The whole tour", seconds: during.length, ended: true, naive, guarded, sentence:
    `The naive fleet sent ${counted(naive.queries)} queries to its database, the guarded one ${counted(guarded.queries)}.`
      + (slowest("guarded") > slowest("naive") ? " A guarded caller waited for a value that its process did not have, or for a core." : "") });
}

function draw() {
  waitingToDraw = false;
  const last = samples[samples.length - 1];
  if (last) {
    SIDES.forEach((side) => showCounters(side, last));
    toggle("slow-database", last.slow, last.slow ? "Fast database" : "Slow database");
    toggle("stop-redis", !last.redis, last.redis ? "Stop Redis" : "Start Redis");
    toggle("near-cache-off", !last.near, last.near ? "near cache on" : "near cache off");
    near.setAttribute("aria-checked", last.near);
    charts.show(samples, results.marks);
    strips.show(samples);
  }
}

/** At the start two minutes arrive at once, and are drawn once. */
function drawSoon() {
  if (!waitingToDraw) {
    waitingToDraw = true;
    setTimeout(draw, 30);
  }
}

function start(told) {
  samples = [];
  results.clear(told.callers);
  clearTimeout(aloud);
  sentence.setAttribute("aria-live", "off");
  facts.textContent = `Each fleet: ${told.processes} processes, ${told.callers} callers, ${told.keys} keys with TTLs of ${told.shortestTtlMinutes} to ${told.ttlMinutes} min; `
    + `a query takes about ${told.queryMillis} ms. Three in four calls request the same key, the hot one.`;
  const locked = told.tokenNeeded && !token();
  [...buttons, tourButton].forEach((button) => { button.disabled = locked; });
  repository.hidden = !told.repository;
  repository.href = told.repository ?? "";
  say(locked ? "To press buttons, open the address with the token that was printed at the start." : "");
}

/** A screen reader reads out new sentences only: the past ones are there before this is switched on. */
function readAloudFromNowOn() {
  aloud = setTimeout(() => sentence.setAttribute("aria-live", "polite"), READ_MILLIS);
}

/**
 * A hidden page closes its connection, because a browser has only six per server for all tabs, and a button needs one.
 * A browser reconnects by itself after a broken connection, but not after an error, and too soon after a "full".
 */
function connect() {
  clearTimeout(again);
  events?.close();
  if (document.hidden) {
    tour.stop();
    return;
  }
  events = new EventSource("events");
  events.addEventListener("full", () => {
    events.close();
    say("Too many browsers show this page; trying again …");
    again = setTimeout(connect, AGAIN_MILLIS);
  });
  events.addEventListener("start", (event) => start(JSON.parse(event.data)));
  events.addEventListener("press", (event) => results.press(JSON.parse(event.data)));
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
tourButton.addEventListener("click", () => tour.toggle());
helpButton.addEventListener("click", () => showHelp(help.hidden));
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !help.hidden) {
    showHelp(false);
    helpButton.focus();
  }
});
