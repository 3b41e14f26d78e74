// Shows what the server sends each second, and sends what the buttons request.
"use strict";

const LINES = 60;
const AGAIN_MILLIS = 3000;
const READ_MILLIS = 500;
const MILLION = 1000000;
const charts = new Charts(document.getElementById("chart"), document.getElementById("charts"));
const facts = document.getElementById("facts");
const note = document.getElementById("note");
const log = document.getElementById("log");
const buttons = [...document.querySelectorAll("button[data-act]")];
const repository = document.getElementById("repository");
const help = document.getElementById("help");
const helpButton = document.getElementById("help-button");
const tourButton = document.getElementById("tour");
const tour = new Tour(tourButton, document.getElementById("caption"), send);
let samples = [];
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
  button.setAttribute("aria-label", text);
  button.textContent = text;
}

function duration(millis) {
  return millis >= 1000 ? (millis / 1000).toFixed(1) + "\u00a0s" : millis.toFixed(millis < 10 ? 1 : 0) + "\u00a0ms";
}

/** A phone has no room for all digits from a million on. */
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

/** Returns "naive → guarded", each figure in the colour of its fleet. */
function pair(told, figure) {
  const [naive, guarded] = SIDES.map((side) => {
    const part = document.createElement("b");
    part.className = side;
    part.textContent = figure(told[side]);
    return part;
  });
  return [naive, "\u00a0→\u00a0", guarded];
}

/** Shows the server's figures for the last button pressed. */
function showContrast(told) {
  const line = document.getElementById("contrast-line");
  if (told.seconds === 0) {
    line.textContent = "Measuring …";
  } else {
    line.replaceChildren(
      ...pair(told, (side) => counted(side.queries)), "\u00a0queries, ", ...pair(told, (side) => side.slowest.replace(" ", "\u00a0")));
  }
  document.getElementById("contrast-of").textContent =
    `${told.of}: naive → guarded, queries and slowest call, ${told.seconds} of ${told.within} s`;
}

function draw() {
  waitingToDraw = false;
  const last = samples[samples.length - 1];
  if (last) {
    SIDES.forEach((side) => showCounters(side, last));
    toggle("slow-database", last.slow, last.slow ? "Make the database fast" : "Make the database slow");
    toggle("stop-redis", !last.redis, last.redis ? "Stop Redis" : "Start Redis");
    charts.show(samples);
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
  log.replaceChildren();
  document.getElementById("contrast-line").textContent = "Press a button to compare the fleets.";
  document.getElementById("contrast-of").textContent = "";
  clearTimeout(aloud);
  log.setAttribute("aria-live", "off");
  facts.textContent = `Each fleet: ${told.processes} processes, ${told.callers} callers, ${told.keys} keys with a TTL of ${told.ttlSeconds} s; `
    + `a query takes about ${told.queryMillis} ms. Three in four calls request the same key, the hot one.`;
  const locked = told.tokenNeeded && !token();
  [...buttons, tourButton].forEach((button) => { button.disabled = locked; });
  repository.hidden = !told.repository;
  repository.href = told.repository ?? "";
  say(locked ? "To press buttons, open the address with the token that was printed at the start." : "");
}

/** A screen reader reads out new lines only: the past ones are in the log before this is switched on. */
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
  events.addEventListener("line", (event) => addLine(JSON.parse(event.data)));
  events.addEventListener("contrast", (event) => showContrast(JSON.parse(event.data)));
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
