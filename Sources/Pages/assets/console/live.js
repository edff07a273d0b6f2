import { announce, h } from "../common/dom.js";
import { follow } from "../common/stream.js";
import { now } from "../common/time.js";

const shownMost = 120;
const drawEvery = 250;
// Away for longer than the sparks reach back: what is shown begins anew, and not with all that came meanwhile.
const awayMost = 60_000;

/**
 * Holds the newest events of a stream and tells a few times a second that there are more, however many come: texts are
 * kept as they came and only what is shown is read. Pausing ends the stream; going on takes it up where it was. Whoever comes back
 * to the page after a while finds the newest, as if it had just been opened.
 */
export class Live {
  constructor(door, path, { signal, ondraw, onstate }) {
    Object.assign(this, { door, path, signal, ondraw, onstate });
    this.newest = [];
    this.seen = 0;
    this.seconds = new Array(60).fill(0);
    this.second = Math.floor(now() / 1000);
    this.last = null;
    this.isPaused = false;
    this.timer = setInterval(() => this.draw(), drawEvery);
    signal.addEventListener("abort", () => { clearInterval(this.timer); this.running?.abort(); });
    // In front of the stream's own listener, which would go on behind the last event.
    document.addEventListener("visibilitychange", () => this.look(), { signal });
    this.run();
  }

  run() {
    this.running = new AbortController();
    const isFirst = this.last === null;
    follow(this.door, isFirst ? `${this.path}&backlog=40` : this.path, {
      signal: this.running.signal, lastId: this.last,
      onevent: (event) => this.take(event),
      onstate: this.onstate,
    });
  }

  look() {
    if (document.hidden) {
      this.left = now();
    } else if (!this.isPaused && now() - this.left > awayMost) {
      this.running.abort();
      this.last = null;
      this.newest = [];
      this.seconds.fill(0);
      this.run();
    }
  }

  take({ id, type, data }) {
    if (id !== null) this.last = id;
    this.newest.push(data);
    if (this.newest.length > shownMost * 2) this.newest.splice(0, this.newest.length - shownMost);
    this.seen += 1;
    this.isChanged = true;
    this.turn();
    const place = placeOf(data, this.second);
    if (place >= 0) this.seconds[place] += 1;
    this.lastType = type;
  }

  turn() {
    const second = Math.floor(now() / 1000);
    const passed = Math.min(60, second - this.second);
    if (passed <= 0) return false;
    this.seconds.splice(0, passed);
    while (this.seconds.length < 60) this.seconds.push(0);
    this.second = second;
    return true;
  }

  draw() {
    if (this.isPaused || document.hidden) return;
    const hasTurned = this.turn();
    if (!this.isChanged && !hasTurned) return;
    const events = this.isChanged ? this.newest.slice(-shownMost).reverse().map((text) => JSON.parse(text)) : null;
    // What could not be drawn just now is drawn next time.
    this.isChanged = this.ondraw(events, this.seconds) === false;
  }

  pause() {
    this.isPaused = true;
    this.running.abort();
  }

  resume() {
    this.isPaused = false;
    this.run();
  }
}

/**
 * Where among the sixty seconds up to one an event was recorded; below 0, or no number, where in none of them: what a stream begins
 * with, or catches up on, may be of yesterday. The event is the text that came; when it was recorded stands near its beginning.
 */
export function placeOf(event, second) {
  const recorded = Date.parse(/"at":"([^"]+)"/.exec(event.slice(0, 100))?.[1]);
  return Math.min(59, 59 - second + Math.floor(recorded / 1000));
}

const states = { connecting: "Connecting…", live: "Live", broken: "Connection lost; trying again", paused: "Paused" };

/** How a live view is, and the button that pauses it: `onstate` is told what `follow` says. */
export function pausable({ pause, resume }) {
  let isPaused = false;
  const state = h("span", { class: "live-state" }, states.connecting);
  const onstate = (name, problem) => {
    if (isPaused && name !== "paused") return;
    state.className = `live-state ${name}`;
    state.textContent = states[name] ?? problem?.message ?? name;
  };
  const button = h("button", { type: "button", "data-pause": true, "aria-pressed": "false", onclick: () => {
    isPaused = !isPaused;
    button.setAttribute("aria-pressed", String(isPaused));
    if (isPaused) {
      pause();
      onstate("paused");
    } else resume();
    announce(isPaused ? "Paused" : "Live again");
  } }, "Pause");
  return { state, button, onstate, isPaused: () => isPaused };
}
