import { remember, remembered } from "./storage.js";

// An instant is shown in UTC, in the reader's zone, in the person's zone, or as how long ago it was; whichever the reader chose.

export const modes = [
  { value: "theirs", label: "Person’s time" },
  { value: "mine", label: "My time" },
  { value: "utc", label: "UTC" },
  { value: "relative", label: "Relative" },
];

const changes = new EventTarget();
let mode = modes.some((one) => one.value === remembered("times")) ? remembered("times") : "theirs";

export const timeMode = () => mode;

export function setTimeMode(value) {
  mode = value;
  remember("times", value);
  changes.dispatchEvent(new Event("change"));
}

/** Draws anew what is no element of its own when the reader chooses. */
export const onTimeMode = (draw, signal) => changes.addEventListener("change", draw, { signal });

/** On a page of one person’s own there is nothing to choose: times are theirs, wherever their browser is. */
export function showTheirTimes() { mode = "theirs"; }

// The worker’s clock, by the last answer: the reader’s own may be off. Whole seconds are all that an answer says.
let ahead = 0;
export function heardTime(date) {
  const at = Date.parse(date ?? "");
  if (!Number.isNaN(at)) ahead = Math.abs(at - Date.now()) < 3000 ? 0 : at - Date.now();
}
/** Now, as the worker has it. */
export const now = () => Date.now() + ahead;

export const mine = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

const formats = new Map();
function format(zone, key, options) {
  const name = `${zone} ${key}`;
  if (!formats.has(name)) {
    let made;
    try {
      made = new Intl.DateTimeFormat("en-GB", { timeZone: zone, hourCycle: "h23", ...options });
    } catch {
      made = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", hourCycle: "h23", ...options });
    }
    formats.set(name, made);
  }
  return formats.get(name);
}

// From when on a zone's clocks are how far ahead of UTC, as the worker has it: a browser's own tables may be of another year (T1).
// An answer tells of the year about a moment and no further. That of a day, which has a date, is about that day, and the others are about
// now: of a zone the last of both is kept.
const clocks = new Map();
export function heardClock({ timezone, clock: spans, date = null } = {}) {
  if (!timezone || !Array.isArray(spans)) return;
  const told = spans.map(({ from, seconds }) => ({ from: Date.parse(from), seconds }));
  clocks.set(timezone, { ...clocks.get(timezone), [date === null ? "ofNow" : "ofDay"]: told });
}
const yearMs = 360 * 86_400_000;
// What a day's answer tells of: it begins 370 days before the day, and ends 370 days after it.
const daysMs = 2 * 370 * 86_400_000;

/** What the worker told of a zone's clocks at an instant; nothing where it told nothing. */
function toldOf(zone, instant) {
  const { ofNow, ofDay } = clocks.get(zone) ?? {};
  const isOfNow = ofNow && Math.abs(instant - now()) < yearMs;
  const spans = isOfNow ? ofNow : instant < ofDay?.[0]?.from + daysMs ? ofDay : null;
  return spans?.findLast((one) => one.from <= instant) ?? null;
}

function inZone(at, zone, key, options) {
  const instant = new Date(at).getTime();
  const known = toldOf(zone, instant);
  return known ? format("UTC", key, options).format(instant + known.seconds * 1000) : format(zone, key, options).format(instant);
}

export const clock = (at, zone, seconds = false) => inZone(at, zone, seconds ? "clock s" : "clock",
  { hour: "2-digit", minute: "2-digit", ...(seconds ? { second: "2-digit" } : {}) });

/** How far a zone's clocks are ahead of UTC at an instant, in milliseconds. */
function offset(at, zone) {
  const second = Math.floor(at / 1000) * 1000;
  return Date.parse(`${localDate(second, zone)}T${clock(second, zone, true)}Z`) - second;
}

/** A clock's time by which an instant is told from any other: where the clocks show it twice, with how far they are from UTC. */
export function timeTold(at, zone, seconds = false) {
  const time = clock(at, zone, seconds);
  const instant = new Date(at).getTime();
  const own = offset(instant, zone);
  const isTwice = [-turnMs, turnMs].some((way) => {
    const other = offset(instant + way, zone);
    // Beyond the ends of the calendar there is nothing to tell it from.
    if (Number.isNaN(own) || Number.isNaN(other)) return false;
    return other !== own && offset(instant + own - other, zone) === other;
  });
  return isTwice ? `${time} (UTC${own < 0 ? "−" : "+"}${clock(Math.abs(own), "UTC").replace(/^0/, "").replace(/:00$/, "")})` : time;
}
// No clock is put back by more than this at once, and none twice within it.
const turnMs = 4 * 3_600_000;

export const dayName = (at, zone) => inZone(at, zone, "day", { weekday: "short", day: "numeric", month: "short" });
export const longDay = (at, zone) => inZone(at, zone, "long", { weekday: "long", day: "numeric", month: "long", year: "numeric" });
const dayKey = (at, zone) => inZone(at, zone, "key", { year: "numeric", month: "2-digit", day: "2-digit" });

/** `2026-03-02` of an instant in a zone. */
export const localDate = (at, zone) => dayKey(at, zone).split("/").reverse().join("-");

/** The date so many days on; dates have no zone. */
export function shiftDate(date, days) {
  const at = new Date(`${date}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() + days);
  return at.toISOString().slice(0, 10);
}

/** The instant at which a clock in this zone shows this date and time; of two the first, and of none the first after the gap (T4, T5). */
export function instant(local, zone) {
  const naive = Date.parse(`${local.length === 16 ? `${local}:00` : local}Z`);
  const [before, after] = [offset(naive - 86400000, zone), offset(naive + 86400000, zone)];
  const found = [naive - before, naive - after].filter((at) => at + offset(at, zone) === naive);
  if (found.length > 0) return new Date(Math.min(...found)).toISOString();
  let [low, high] = [naive - after, naive - before];
  while (high - low > 1000) {
    const middle = low + Math.floor((high - low) / 2000) * 1000;
    if (offset(middle, zone) === before) low = middle;
    else high = middle;
  }
  return new Date(high).toISOString();
}

export function relative(at, from = now()) {
  const seconds = Math.round((from - new Date(at).getTime()) / 1000);
  const size = Math.abs(seconds);
  if (size < 2) return "now";
  const [count, unit] = size < 60 ? [size, "s"] : size < 3600 ? [Math.round(size / 60), "min"]
    : size < 86400 * 2 ? [Math.round(size / 3600), "h"] : [Math.round(size / 86400), "days"];
  return seconds < 0 ? `in ${count} ${unit}` : `${count} ${unit} ago`;
}

/** The zone that an instant of somebody in `zone` is shown in. */
export const shownZone = (zone, theirs = false) => (theirs && zone ? zone : mode === "utc" ? "UTC" : mode === "theirs" && zone ? zone : mine);

/**
 * An instant in words. Today's shows its time alone, and so does one of the `day` that is spoken of anyway (`2026-03-02`).
 * `theirs`: by the person's clock whatever the reader chose, beside words that are about it.
 */
export function when(at, { zone = null, seconds = false, full = false, theirs = false, day = null } = {}) {
  if (mode === "relative" && !full && !theirs) return relative(at);
  const there = shownZone(zone, theirs);
  const time = timeTold(at, there, seconds);
  if (!full && localDate(at, there) === (day ?? localDate(now(), there))) return time;
  const [own, today] = [at, now()].map((one) => localDate(one, there).slice(0, -6));
  const year = own === today ? "" : ` ${own}`;
  return `${dayName(at, there)}${year}, ${time}`;
}

/** The worker's sentences, with their instants as the reader has times; `theirs`, where the hours in them are the person's too. */
export const timesIn = (text, { zone, theirs = false }) =>
  String(text).replace(/(?:\b[a-z]{3} \d{4}-\d\d-\d\d [\d:.]+ \([^();]+; )?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)(\))?/g,
    (whole, at, end) => when(at, { zone, full: true, theirs }) + (end && whole.startsWith(at) ? end : ""));

/** `<time-stamp at zone seconds full theirs day named>`: an instant that follows the reader's choice, and by name the zone it is shown in. */
export class TimeStamp extends HTMLElement {
  connectedCallback() {
    this.draw();
    this.redraw ??= () => this.draw();
    changes.addEventListener("change", this.redraw);
    beat.addEventListener("beat", this.redraw);
  }

  disconnectedCallback() {
    changes.removeEventListener("change", this.redraw);
    beat.removeEventListener("beat", this.redraw);
  }

  draw() {
    const at = this.getAttribute("at");
    const zone = this.getAttribute("zone");
    const theirs = this.hasAttribute("theirs");
    const told = when(at, { zone, theirs, seconds: this.hasAttribute("seconds"), full: this.hasAttribute("full"), day: this.getAttribute("day") });
    const isNamed = this.hasAttribute("named") && (mode !== "relative" || this.hasAttribute("full"));
    const text = isNamed ? `${told} ${shownZone(zone, theirs)}` : told;
    if (this.shown === text) return;
    this.shown = text;
    const time = this.firstElementChild ?? this.appendChild(document.createElement("time"));
    time.dateTime = at;
    time.title = `${at}${zone ? ` · ${dayName(at, zone)}, ${clock(at, zone, true)} ${zone}` : ""}`;
    time.textContent = text;
  }
}
customElements.define("time-stamp", TimeStamp);

/**
 * `<clock-note zone each>`: by which clock the times around it are. `zone`: they are of somebody there;
 * `each`: of many, each in a zone of their own.
 */
class ClockNote extends HTMLElement {
  static observedAttributes = ["zone"];

  attributeChangedCallback() { if (this.isConnected) this.draw(); }

  connectedCallback() {
    this.draw();
    this.redraw ??= () => this.draw();
    changes.addEventListener("change", this.redraw);
  }

  disconnectedCallback() { changes.removeEventListener("change", this.redraw); }

  draw() {
    // What lies far off or ahead is told by a clock all the same.
    if (mode === "relative") this.textContent = `Clock times are in ${mine}.`;
    else if (mode === "theirs" && this.hasAttribute("each")) this.textContent = "Each time is by that person’s own clock.";
    else this.textContent = `Times are in ${shownZone(this.getAttribute("zone"))}.`;
  }
}
customElements.define("clock-note", ClockNote);

// One clock for the page: a thousand relative times are a thousand listeners, not a thousand timers.
const beat = new EventTarget();
const tick = () => { if (!document.hidden) beat.dispatchEvent(new Event("beat")); };
setInterval(() => { if (mode === "relative") tick(); }, 5000);
// A time that is today's has no date, and is not today's for ever.
setInterval(tick, 60_000);
document.addEventListener("visibilitychange", tick);

export function stamp(at, options = {}) {
  const node = document.createElement("time-stamp");
  node.setAttribute("at", at);
  for (const [name, value] of Object.entries(options)) if (value) node.setAttribute(name, value === true ? "" : value);
  return node;
}

/** How long a while is. */
export function lasting(milliseconds) {
  const minutes = Math.round(milliseconds / 60000);
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 90000) return `${Math.round(milliseconds / 1000)} s`;
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  return `${Math.round(hours / 24)} days`;
}
