// The guided tour: presses the buttons one after another, with a caption for each.
"use strict";

const TOUR = [
  { act: "expire-hot", seconds: 5, text:
    "The hot key expires. Each naive caller that finds nothing queries; the guarded fleet answers with the stale value." },
  { act: "slow-database", seconds: 1, text: "The database becomes slow: each query now takes 2 s." },
  { act: "expire-all", seconds: 6, text: "All keys expire while the database is slow. Compare the slowest call." },
  { act: "quick-database", seconds: 2, text: "The database is fast again." },
  { act: "send-nonexistent-keys", seconds: 5, text:
    "Callers request products that do not exist. The key filter of the guarded fleet rejects nearly all." },
  { act: "kill-process", seconds: 4, text: "One process of each fleet is killed. Another one starts in its place in 5 s." },
  { act: "stop-redis", seconds: 4, text: "Redis stops. Naive calls are queries now; guarded callers of a process share loads." },
  { act: "start-redis", seconds: 3, text: "Redis starts again, empty." },
];

class Tour {
  /** `send` sends an action, and resolves to whether the server accepted it. */
  constructor(button, caption, send) {
    this.button = button;
    this.caption = caption;
    this.send = send;
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
    this.button.textContent = "Stop the tour";
    const switched = new Set();
    let end = "The tour is over.";
    for (const [i, step] of TOUR.entries()) {
      const button = document.querySelector(`[data-act="${step.act}"], [data-back="${step.act}"]`);
      this.caption.textContent = `${i + 1} of ${TOUR.length}: ${step.text}`;
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
        end = "The tour was stopped.";
        break;
      }
    }
    for (const back of switched) {
      await this.send(back);
    }
    this.running = false;
    this.over = true;
    this.button.textContent = this.name;
    this.caption.textContent = end;
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
