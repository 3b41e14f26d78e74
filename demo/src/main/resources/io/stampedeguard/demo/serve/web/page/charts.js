// The charts: one for each measure, with a curve for each fleet.
"use strict";

const SECONDS = 120;
const SHORTEST_SECONDS = 30;
const GROWS_BY_SECONDS = 10;
const STEPS = [5, 10, 20, 30, 60];
const LABEL_PIXELS = 56;
const LINE_PIXELS = 13;
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

/** Returns how much time the charts show: the time so far, from 30 s to two minutes. */
function shownSeconds(samples) {
  const seconds = (samples[samples.length - 1].at - samples[0].at) / 1000;
  return Math.min(SECONDS, Math.max(SHORTEST_SECONDS, Math.ceil(seconds / GROWS_BY_SECONDS) * GROWS_BY_SECONDS));
}

/** Draws a line at each press, with the name of its button where there is room; the last one first. */
const MARKS = {
  id: "marks",
  afterDatasetsDraw(chart) {
    const { ctx, chartArea: area, scales } = chart;
    let free = Infinity;
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = colour("quiet");
    ctx.font = "11px system-ui, sans-serif";
    ctx.textBaseline = "top";
    ctx.setLineDash([3, 3]);
    for (const mark of [...(chart.marks ?? [])].reverse()) {
      const x = scales.x.getPixelForValue(mark.x);
      if (x < area.left) {
        break;
      }
      ctx.beginPath();
      ctx.moveTo(x, area.top);
      ctx.lineTo(x, area.bottom);
      ctx.stroke();
      if (x <= free && x - LINE_PIXELS > area.left && ctx.measureText(mark.name).width < area.height) {
        ctx.save();
        ctx.translate(x - 1, area.top + 2);
        ctx.rotate(Math.PI / 2);
        ctx.fillText(mark.name, 0, 0);
        ctx.restore();
        free = x - LINE_PIXELS;
      }
    }
    ctx.restore();
  },
};

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
    this.canvas.setAttribute("aria-label", measure.name + ", " + measure.sides.join(" and ") + ", over the last " + SECONDS + " s at most");
    parent.append(figure);
    this.chart = new Chart(this.canvas, this.config());
    this.paint();
  }

  config() {
    return {
      type: "line",
      plugins: [MARKS],
      data: {
        datasets: this.measure.sides.map((side) => ({
          label: side, data: [], borderWidth: side === "guarded" ? 2.5 : 1.5, pointRadius: 0, fill: true, stepped: "middle",
          order: side === "guarded" ? 0 : 1,
        })),
      },
      options: {
        animation: false, parsing: false, responsive: true, maintainAspectRatio: false,
        interaction: { mode: "index", axis: "x", intersect: false },
        plugins: {
          legend: { display: false },
          tooltip: {
            itemSort: (one, other) => one.datasetIndex - other.datasetIndex,
            callbacks: {
              title: ([point]) => Math.round(-point.parsed.x) + " s ago",
              label: (point) => point.dataset.label + " " + shown(point.parsed.y, this.measure.unit),
            },
          },
        },
        scales: {
          x: { type: "linear", max: 0, ticks: { includeBounds: false, maxRotation: 0, callback: (at) => (at === 0 ? "now" : at + " s") } },
          y: { min: 0, afterFit: (axis) => { axis.width = 64; } },
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

  show(samples, presses) {
    const { field, unit, least, sides } = this.measure;
    const last = samples[samples.length - 1];
    sides.forEach((side, i) => {
      this.chart.data.datasets[i].data = samples.map((sample) => ({ x: (sample.at - last.at) / 1000, y: sample[side][field] }));
      this.now[i].textContent = side + " " + shown(last[side][field], unit);
    });
    const highest = Math.max(least, ...samples.flatMap((sample) => sides.map((side) => sample[side][field])));
    const { x, y } = this.chart.options.scales;
    y.max = roundedUp(highest);
    y.ticks.stepSize = y.max / 2;
    x.min = -shownSeconds(samples);
    x.ticks.stepSize = STEPS.find((step) => (step * this.chart.width) / -x.min > LABEL_PIXELS) ?? SECONDS;
    this.chart.marks = presses.map(({ at, button }) => ({ x: Math.min(0, at - last.at) / 1000, name: button }));
    this.chart.update("none");
  }
}

class Charts {
  /** The first measure is shown on the first screen, the others below. */
  constructor(first, others) {
    this.plots = MEASURES.map((measure, i) => new Plot(measure, i === 0 ? first : others));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.plots.forEach((plot) => plot.paint()));
  }

  show(samples, presses) {
    this.plots.forEach((plot) => plot.show(samples, presses));
  }

  /** Returns the part of the first chart in which it draws. */
  area() {
    return this.plots[0].chart.chartArea;
  }
}
