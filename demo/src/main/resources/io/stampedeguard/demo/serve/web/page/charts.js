// The charts: one for each measure, with a curve for each fleet.
"use strict";

const SECONDS = 120;
const SIDES = ["naive", "guarded"];
const MEASURES = [
  { name: "Queries per second", field: "queries", unit: "", least: 20, sides: SIDES },
  { name: "Callers stuck for more than 0.1 s", field: "stuck", unit: "", least: 20, sides: SIDES },
  { name: "Latency: 99 in 100 calls take less than", field: "p99", unit: " ms", least: 100, sides: SIDES },
  { name: "Stale answers, per second", field: "stale", unit: "", least: 20, sides: ["guarded"] },
];

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

/** Returns the next number that reads well on an axis. */
function roundedUp(number) {
  const power = 10 ** Math.floor(Math.log10(number));
  return [1, 2, 5, 10].map((step) => step * power).find((bound) => bound >= number);
}

function shown(number, unit) {
  const digits = unit && number < 10 ? 1 : 0;
  return number.toLocaleString("en", { maximumFractionDigits: digits }) + unit;
}

class Plot {
  constructor(measure, parent) {
    this.measure = measure;
    const figure = document.createElement("figure");
    figure.innerHTML = "<figcaption><span></span></figcaption><div class=plot><canvas role=img></canvas></div>";
    figure.querySelector("span").textContent = measure.name;
    this.now = measure.sides.map((side) => {
      const last = document.createElement("b");
      last.className = side;
      figure.querySelector("figcaption").append(last);
      return last;
    });
    this.canvas = figure.querySelector("canvas");
    this.canvas.setAttribute("aria-label", measure.name + ", " + measure.sides.join(" and ") + ", over the last two minutes");
    parent.append(figure);
    this.chart = new Chart(this.canvas, this.config());
    this.paint();
  }

  config() {
    return {
      type: "line",
      data: {
        datasets: this.measure.sides.map((side) => ({
          label: side, data: [], borderWidth: side === "guarded" ? 2.5 : 1.5, pointRadius: 0, fill: true, stepped: "middle",
          order: side === "guarded" ? 0 : 1,
        })),
      },
      options: {
        animation: false, events: [], parsing: false, responsive: true, maintainAspectRatio: false,
        plugins: { legend: { display: false }, tooltip: { enabled: false } },
        scales: {
          x: { type: "linear", min: -SECONDS, max: 0, ticks: { stepSize: 30, callback: (at) => (at === 0 ? "now" : at + " s") } },
          y: { min: 0, ticks: { maxTicksLimit: 4 }, afterFit: (axis) => { axis.width = 48; } },
        },
      },
    };
  }

  paint() {
    for (const set of this.chart.data.datasets) {
      set.borderColor = colour(set.label);
      set.backgroundColor = colour(set.label) + "33";
    }
    for (const axis of Object.values(this.chart.options.scales)) {
      axis.ticks.color = colour("quiet");
      axis.grid = { color: colour("line") };
    }
    this.chart.update("none");
  }

  show(samples) {
    const { field, unit, least, sides } = this.measure;
    const last = samples[samples.length - 1];
    sides.forEach((side, i) => {
      this.chart.data.datasets[i].data = samples.map((sample) => ({ x: (sample.at - last.at) / 1000, y: sample[side][field] }));
      this.now[i].textContent = side + " " + shown(last[side][field], unit);
    });
    const highest = Math.max(least, ...samples.flatMap((sample) => sides.map((side) => sample[side][field])));
    this.chart.options.scales.y.max = roundedUp(highest);
    this.chart.update("none");
  }
}

class Charts {
  /** The first measure is shown on the first screen, the others below. */
  constructor(first, others) {
    this.plots = MEASURES.map((measure, i) => new Plot(measure, i === 0 ? first : others));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.plots.forEach((plot) => plot.paint()));
  }

  show(samples) {
    this.plots.forEach((plot) => plot.show(samples));
  }
}
