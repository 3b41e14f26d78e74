// The guided tour: presses the buttons one after another, and ends on the total of both fleets.
"use strict";

const TOUR = [
  { act: "expire-hot", seconds: 4 },
  { act: "send-nonexistent-keys", seconds: 4 },
  { act: "kill-process", seconds: 5 },
  { act: "slow-database", seconds: 4 },
  { act: "expire-all", seconds: 4 },
  { act: "quick-database", seconds: 5 },
  { act: "stop-redis", seconds: 4 },
  { act: "start-redis", seconds: 4 },
];

class Tour {
  /**
   * `send` sends an action, and resolves to whether the server accepted it; `begins` is called before the first one, and `ends` after
   * the last one, with whether the tour was completed.
   */
  constructor(button, { send, begins, ends }) {
    this.button = button;
    this.send = send;
    this.begins = begins;
    this.ends = ends;
    this.name = button.textContent;
    this.secondMillis = 1000;
    this.wake = null;
    this.running = false;
    this.over = true;
  }

  /** While a stopped tour switches back what it switched, it can neither be stopped again nor started. */
  toggle() {
    if (this.running) {
      this.stop();
    } else if (this.over) {
      this.run();
    }
  }

  /** Ends the tour before its next step. What it has switched is switched back. */
  stop() {
    this.running = false;
    this.wake?.();
  }

  async run() {
    this.running = true;
    this.over = false;
    this.begins();
    const switched = new Set();
    let completed = true;
    for (const [i, step] of TOUR.entries()) {
      const button = document.querySelector(`[data-act="${step.act}"], [data-back="${step.act}"]`);
      this.button.textContent = `Stop the tour, ${i + 1} of ${TOUR.length}`;
      button.classList.add("toured");
      const wasOn = button.dataset.on === "true";
      if (await this.send(step.act)) {
        if (button.dataset.back === step.act) {
          switched.delete(step.act);
        } else if (button.dataset.back && !wasOn) {
          switched.add(button.dataset.back);
        }
        await this.wait(step.seconds);
      } else {
        this.running = false;
      }
      button.classList.remove("toured");
      if (!this.running) {
        completed = false;
        break;
      }
    }
    for (const back of switched) {
      await this.send(back);
    }
    this.running = false;
    this.over = true;
    this.button.textContent = this.name;
    this.ends(completed);
  }

  wait(seconds) {
    return this.running
      ? new Promise((resolve) => {
          this.wake = resolve;
          setTimeout(resolve, seconds * this.secondMillis);
        })
      : Promise.resolve();
  }
}
