// A strip for each process: what it did in each of the seconds that the charts show.
"use strict";

class Strips {
  /** `area` returns the part of the chart above that the strips are aligned with. */
  constructor(parent, area) {
    this.area = area;
    this.strips = element("div", "strips", "");
    const legend = element("p", "legend quiet", "");
    legend.append(...["fresh", "stale", "loading", "dead"].map((state) => element("span", state, state)));
    parent.append(this.strips, legend);
  }

  show(samples) {
    const last = samples[samples.length - 1];
    const processes = SIDES.flatMap((side) => last[side].states.split(" ").map((now, i) => ({ side, i, now })));
    while (this.strips.children.length < processes.length) {
      const strip = element("div", "strip", "");
      strip.setAttribute("role", "img");
      strip.append(element("span", "", ""), element("i", "", ""));
      this.strips.append(strip);
    }
    processes.forEach((process, i) => this.draw(this.strips.children[i], process, samples));
  }

  draw(strip, { side, i, now }, samples) {
    const { left, width } = this.area();
    const [name, bar] = strip.children;
    name.textContent = `${side} ${i + 1}`;
    name.className = side;
    name.style.width = left + "px";
    bar.style.width = width + "px";
    bar.style.background = this.colours(samples.map((sample) => ({ at: sample.at, state: sample[side].states.split(" ")[i] })));
    strip.setAttribute("aria-label", `Process ${i + 1} of the ${side} fleet: ${now}`);
    strip.title = `${side} ${i + 1}: ${now}`;
  }

  /** Returns a gradient without transitions; a second ends at the time of its sample. */
  colours(states) {
    const all = shownSeconds(states);
    const end = states[states.length - 1].at;
    const percent = (at) => Math.max(0, 100 + (at - end) / 10 / all).toFixed(2) + "%";
    const stops = states.map(({ at, state }, i) => {
      const from = i === 0 ? at - 1000 : states[i - 1].at;
      return `var(--${state}) ${percent(from)} ${percent(at)}`;
    });
    return `linear-gradient(to right, transparent ${percent(states[0].at - 1000)}, ${stops.join(", ")})`;
  }
}
