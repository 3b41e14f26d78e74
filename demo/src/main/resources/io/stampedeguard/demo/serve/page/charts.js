// The charts: one row for each measure, a chart for each fleet, both with the same scale.
"use strict";

const SECONDS = 120;
const SIDES = ["naive", "guarded"];
const MEASURES = [
  { name: "Queries to the database, per second", field: "queries", unit: "", least: 20 },
  { name: "Callers waiting", field: "waiting", unit: "", least: 20 },
  { name: "Latency: 99 in 100 calls take less than", field: "p99", unit: " ms", least: 100 },
  { name: "Stale answers, per second", field: "stale", unit: "", least: 20 },
];

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

/** The next number that reads well on an axis. */
function roundedUp(number) {
  const power = 10 ** Math.floor(Math.log10(number));
  return [1, 2, 5, 10].map((step) => step * power).find((bound) => bound >= number);
}

function shown(number, unit) {
  const digits = unit && number < 10 ? 1 : 0;
  return number.toLocaleString("en", { maximumFractionDigits: digits }) + unit;
}

class Plot {
  constructor(measure, side, parent) {
    this.measure = measure;
    this.side = side;
    const figure = document.createElement("figure");
    figure.className = side;
    figure.innerHTML = "<figcaption><span></span><b></b></figcaption><div class=plot><canvas role=img></canvas></div>";
    figure.querySelector("span").textContent = side;
    this.now = figure.querySelector("b");
    this.canvas = figure.querySelector("canvas");
    this.canvas.setAttribute("aria-label", measure.name + ", " + side + ", over the last two minutes");
    parent.append(figure);
    this.chart = new Chart(this.canvas, this.config());
    this.paint();
  }

  config() {
    return {
      type: "line",
      data: { datasets: [{ data: [], borderWidth: 1.5, pointRadius: 0, fill: true, stepped: "middle" }] },
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
    const set = this.chart.data.datasets[0];
    set.borderColor = colour(this.side);
    set.backgroundColor = colour(this.side) + "33";
    for (const axis of Object.values(this.chart.options.scales)) {
      axis.ticks.color = colour("quiet");
      axis.grid = { color: colour("line") };
    }
    this.chart.update("none");
  }

  highest(samples) {
    return Math.max(0, ...samples.map((sample) => sample[this.side][this.measure.field]));
  }

  show(samples, bound) {
    const last = samples[samples.length - 1];
    this.chart.data.datasets[0].data = samples.map((sample) => ({
      x: (sample.at - last.at) / 1000,
      y: sample[this.side][this.measure.field],
    }));
    this.chart.options.scales.y.max = bound;
    this.chart.update("none");
    this.now.textContent = shown(last[this.side][this.measure.field], this.measure.unit);
  }
}

class Charts {
  constructor(parent) {
    this.rows = MEASURES.map((measure) => {
      const row = document.createElement("div");
      row.className = "measure";
      row.innerHTML = "<h3></h3><div class=pair></div>";
      row.querySelector("h3").textContent = measure.name;
      parent.append(row);
      return SIDES.map((side) => new Plot(measure, side, row.querySelector(".pair")));
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () =>
      this.rows.flat().forEach((plot) => plot.paint()));
  }

  show(samples) {
    for (const row of this.rows) {
      const highest = Math.max(row[0].measure.least, ...row.map((plot) => plot.highest(samples)));
      row.forEach((plot) => plot.show(samples, roundedUp(highest)));
    }
  }
}
