// What came of the buttons: the figures of the last one, and a table of all.
"use strict";

const ROWS = 60;
const MILLION = 1000000;

function duration(millis) {
  return millis >= 1000 ? (millis / 1000).toFixed(1) + " s" : millis.toFixed(millis < 10 ? 1 : 0) + " ms";
}

/** A phone has no room for all digits from a million on. */
function counted(number) {
  return number.toLocaleString("en", number < MILLION ? {} : { notation: "compact", maximumFractionDigits: 2 });
}

function element(name, className, text) {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

class Results {
  constructor() {
    this.figures = document.getElementById("figures");
    this.of = document.getElementById("contrast-of");
    this.sentence = document.getElementById("sentence");
    this.table = document.getElementById("results");
    this.first = this.figures.innerHTML;
    this.clear(0);
  }

  clear(callers) {
    this.callers = callers;
    this.last = 0;
    this.groups?.forEach((group) => group.remove());
    this.groups = new Map();
    this.marks = [];
    this.figures.innerHTML = this.first;
    this.of.textContent = "";
    this.sentence.textContent = "";
  }

  /** Shows a press, which comes again when its figures change. An older one than the last is in the table only. */
  press(told) {
    if (!this.groups.has(told.id)) {
      this.begin(told.id);
      this.marks = [...this.marks, { at: told.at, button: told.button }].slice(-ROWS);
    }
    this.fill(this.groups.get(told.id), told);
    if (told.id >= this.last) {
      this.last = told.id;
      this.contrast(told);
    }
  }

  /** Shows what is no press, until the next press. */
  total(told) {
    this.last++;
    this.contrast(told);
  }

  contrast(told) {
    const seconds = told.seconds === told.within || told.ended ? told.seconds : `${told.seconds} of ${told.within}`;
    this.of.textContent = told.naive ? `${told.button}, ${seconds} s:` : `${told.button}:`;
    // A text that is shown already is not set again, because a screen reader would read it out again.
    if (this.sentence.textContent !== told.sentence) {
      this.sentence.textContent = told.sentence;
    }
    this.figures.replaceChildren(...(told.naive ? [
      this.duel(told, "queries", "queries", (side) => counted(side.queries)),
      this.duel(told, "stuck", `of ${this.callers} callers stuck`, (side) => String(side.stuck)),
      this.duel(told, "slowest", "slowest call", (side) => side.slowest),
    ] : []));
  }

  /** Returns "37 vs 1 queries", with the names above the figures. */
  duel(told, name, label, figure) {
    const duel = element("div", "duel", "");
    duel.dataset.duel = name;
    const [naive, guarded] = SIDES.map((side) => [
      element("small", `name ${side}`, side),
      element("b", side, told.seconds === 0 ? "…" : figure(told[side])),
    ]);
    duel.append(...naive, element("span", "vs", "vs"), ...guarded, element("span", "label", label));
    return duel;
  }

  /** Each press is a group of two rows: its figures, and its sentence. */
  begin(id) {
    const group = document.createElement("tbody");
    this.groups.set(id, group);
    this.table.tHead.after(group);
    if (this.groups.size > ROWS) {
      const [oldest] = this.groups.keys();
      this.groups.get(oldest).remove();
      this.groups.delete(oldest);
    }
  }

  fill(group, told) {
    group.dataset.ended = told.ended ?? true;
    const time = element("time", "", new Date(told.at).toLocaleTimeString("en-GB"));
    time.dateTime = new Date(told.at).toISOString();
    const first = element("td", "", "");
    first.append(time);
    const figures = told.naive
      ? [
          ...SIDES.map((side) => element("td", side, counted(told[side].queries))),
          ...SIDES.map((side) => element("td", side, told[side].slowest)),
        ]
      : [];
    const button = element("th", "", told.button);
    button.dataset.time = time.textContent; // shown where there is no room for a column of times
    const row = element("tr", "", "");
    row.append(first, button, ...figures);
    const sentence = element("tr", "sentence", "");
    const cell = element("td", "quiet", told.sentence);
    cell.colSpan = 6;
    sentence.append(cell);
    group.replaceChildren(row, sentence);
  }
}
