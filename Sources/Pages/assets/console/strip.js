import { h, s } from "../common/dom.js";
import { clock, timeTold } from "../common/time.js";
import { because, silenceTold, state as stateWord } from "../common/words.js";
import { Drawn } from "./drawn.js";
import { eventAddress } from "./links.js";

const lanesMost = 14;
const laneHeight = 34;
const near = 18;
// What somebody has to look at comes first: what failed, what did not come, what waits, what is on its way, what arrived.
const bySeriousness = ["failed", "bounced", "complained", "expired", "dropped", "skipped", "held", "gathered", "snoozed", "retried", "raised",
  "emitted", "joined", "sent", "dismissed", "judged", "delivered", "opened"];
const seriousness = ({ type }) => (bySeriousness.includes(type) ? bySeriousness.indexOf(type) : bySeriousness.length);
const reasoned = new Set(["held", "gathered", "dropped", "skipped", "failed"]);

/**
 * `<day-strip>`: one local day from its first instant to its last, a lane for each kind. Quiet hours are hatched, a hold is
 * a bar from its beginning to its end, slots to come are hollow, what happened is filled. Each mark is a link.
 */
export class DayStrip extends Drawn {
  set(day, options) { super.set({ day, options }); }

  paint(width) {
    const isNarrow = width < 560;
    const left = isNarrow ? 0 : 150;
    const from = Date.parse(this.day.from);
    const to = Date.parse(this.day.to);
    const x = (at) => left + ((Math.min(Math.max(Date.parse(at), from), to) - from) / (to - from)) * (width - left);
    const lanes = lanesOf(this.day, this.options.kinds);
    const top = 24;
    const step = isNarrow ? laneHeight + 16 : laneHeight;
    const bottom = top + Math.max(1, lanes.length) * step + 6;
    this.replaceChildren(s("svg", { width, height: bottom + 6, role: "group", "aria-label": `The day of ${this.day.user}, ${this.day.date}` },
      patterns(),
      bands(this.day, x, top, bottom),
      ticks(this.day, x, top, bottom, isNarrow ? 6 : 3),
      // Beneath the marks: their counts stand on it.
      this.day.now && nowLine(this.day, x, top, bottom, width),
      lanes.map((lane, index) => this.lane(lane, top + index * step + (isNarrow ? 16 : 0), { left, width, x, isNarrow })),
      lanes.length === 0 && s("text", { x: left + 8, y: top + 22 }, "No slots and no notices on this day.")));
  }

  lane(lane, y, { left, width, x, isNarrow }) {
    const middle = y + laneHeight / 2;
    const label = isNarrow ? s("text", { class: "lane-name", x: 0, y: y - 1 }, lane.label)
      : s("text", { class: "lane-name", x: 0, y: middle + 4 }, fitted(lane.label, 20));
    return s("g", null,
      s("line", { class: "lane", x1: left, x2: width, y1: middle, y2: middle }),
      label,
      lane.holds.map((hold) => s("rect", { class: hold.type === "held" || hold.type === "snoozed" ? "hold" : "gathered",
        x: x(hold.at), y: middle - 6, width: Math.max(3, x(hold.until) - x(hold.at)), height: 12, rx: 6 })),
      lane.slots.map((slot) => slotMark(slot, x(slot.at), middle, this.day.timezone, lane.label)),
      clusters(lane.marks, x).map((cluster) => this.cluster(cluster, middle, lane.label, width)));
  }

  cluster(cluster, y, label, width) {
    const ends = endsOf(cluster.marks);
    const [shown] = ends;
    const count = ends.length;
    const told = `${spanTold(cluster.marks, this.day.timezone)}, ${count > 1 ? `${count} in ${label}` : label}: ${endsTold(ends)}`;
    const isChosen = cluster.marks.some((mark) => mark.notice && mark.notice === this.options.chosen);
    return s("a", { href: shown.notice ? this.options.address({ notice: shown.notice }) : eventAddress(shown.seq, this.options.partition), "aria-label": told,
      // What it says changes with what joins it; it is the same mark.
      "data-focus": `${label} ${cluster.marks[0].seq ?? cluster.marks[0].at}`, "aria-current": isChosen ? "true" : null },
      s("title", null, told),
      s("circle", { class: "halo", cx: cluster.x, cy: y, r: 13 }),
      glyph(shown.type, cluster.x, y),
      count > 1 && countMark(count, cluster.x + 9, y - 9, width));
  }
}
customElements.define("day-strip", DayStrip);

/** How many stand at a mark: as wide as its digits, and within the strip. */
function countMark(count, at, y, width) {
  const room = 9 + 6 * String(count).length;
  const x = Math.min(at, width - room / 2 - 1);
  return s("g", null,
    s("rect", { class: "mark plain", x: x - room / 2, y: y - 7.5, width: room, height: 15, rx: 7.5 }),
    s("text", { class: "count", x, y: y + 4 }, String(count)));
}

const fitted = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** Whether a slot came on a day before its own, brought forward by a run or into another's job. What then waited into the day is told as waiting. */
export const isBroughtForward = (slot, day) => slot.state === "fired" && slot.decided_at < day.from
  && !day.waits.some(({ notice }) => notice === slot.notice);

function lanesOf(day, kinds) {
  const lanes = new Map();
  const lane = (kind) => {
    if (!lanes.has(kind)) lanes.set(kind, { kind, label: kinds.get(kind ?? null) ?? "Facts", slots: [], marks: [], holds: [] });
    return lanes.get(kind);
  };
  for (const wait of day.waits) {
    const next = day.marks.find((mark) => mark.notice === wait.notice || (mark.type === "emitted" && mark.notice === wait.into));
    lane(wait.kind).holds.push({ ...wait, type: wait.until ? "held" : "gathered", at: day.from, until: next?.at ?? wait.until ?? day.to });
  }
  const skipped = new Set(day.marks.filter((mark) => mark.type === "skipped").map((mark) => `${mark.kind} ${mark.at}`));
  for (const slot of day.slots) {
    const isShown = slot.state === "fired" ? isBroughtForward(slot, day) : !skipped.has(`${slot.kind} ${slot.at}`);
    if (isShown) lane(slot.kind).slots.push(slot);
  }
  for (const mark of day.marks) {
    lane(mark.kind ?? null).marks.push(mark);
    if (!["held", "gathered", "snoozed"].includes(mark.type)) continue;
    // What is gathered has come when its digest goes out.
    const ends = (other) => other.notice === mark.notice || (other.type === "emitted" && mark.into && other.notice === mark.into);
    const next = day.marks.find((other) => ends(other) && (other.at > mark.at || (other.at === mark.at && other.seq > mark.seq)));
    lane(mark.kind).holds.push({ ...mark, until: next?.at ?? mark.until ?? day.to });
  }
  return [...lanes.values()].sort((a, b) => (a.kind === null) - (b.kind === null) || first(a) - first(b)).slice(0, lanesMost);
}

const first = (lane) => Math.min(...[...lane.slots, ...lane.marks, ...lane.holds].map((one) => Date.parse(one.at)));

/** What became of each notice of a cluster, by its last word; the most serious first, and of those alike the earliest. */
function endsOf(marks) {
  const ends = new Map();
  for (const mark of marks) {
    const name = mark.notice ?? mark.seq;
    // What came later stands behind, as it is told.
    ends.delete(name);
    ends.set(name, mark);
  }
  return [...ends.values()].sort((a, b) => seriousness(a) - seriousness(b));
}

/** “failed, no answer”, and of several “51 failed, 2 sent”. */
function endsTold(ends) {
  const word = ({ type }) => stateWord(type).label.toLowerCase();
  const [shown] = ends;
  if (ends.length === 1) return `${word(shown)}${reasoned.has(shown.type) && shown.reason ? `, ${because(shown.reason)}` : ""}`;
  const counts = new Map();
  for (const one of ends) counts.set(word(one), (counts.get(word(one)) ?? 0) + 1);
  return [...counts].map(([name, count]) => `${count} ${name}`).join(", ");
}

/** From the first mark to the last: “19:35 to 19:57”. */
function spanTold(marks, zone) {
  const [first, last] = [marks[0], marks.at(-1)].map(({ at }) => timeTold(at, zone));
  return first === last ? first : `${first} to ${last}`;
}

/** Marks too near each other for a finger are one, which shows what is most serious among them. */
function clusters(marks, x) {
  const found = [];
  for (const mark of [...marks].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.seq - b.seq))) {
    const at = x(mark.at);
    const last = found.at(-1);
    if (last && at - last.x < near) last.marks.push(mark);
    else found.push({ x: at, marks: [mark] });
  }
  return found;
}

function patterns() {
  return s("defs", null, s("pattern", { id: "quiet-hatch", width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    s("rect", { class: "hatch-back", width: 7, height: 7 }), s("line", { class: "hatch-line", x1: 0, x2: 0, y1: 0, y2: 7 })));
}

function bands(day, x, top, bottom) {
  const open = day.schedule;
  const outside = open ? gaps(day, open) : [];
  return s("g", { "aria-hidden": "true" },
    outside.map((gap) => s("rect", { class: "band-outside", x: x(gap.from), y: top, width: x(gap.to) - x(gap.from), height: bottom - top })),
    day.quiet.map((one) => s("rect", { class: "band-quiet", x: x(one.from), y: top, width: Math.max(0, x(one.to) - x(one.from)), height: bottom - top, rx: 3 })));
}

function gaps(day, open) {
  const found = [];
  let from = day.from;
  for (const one of [...open].sort((a, b) => (a.from < b.from ? -1 : 1))) {
    if (one.from > from) found.push({ from, to: one.from });
    if (one.to > from) from = one.to;
  }
  if (from < day.to) found.push({ from, to: day.to });
  return found;
}

/** The whole hours of the zone's clocks: of a day that is long since somebody travelled, all of it has some. */
function ticks(day, x, top, bottom, every) {
  const found = [];
  const length = Date.parse(day.to) - Date.parse(day.from);
  const step = every * Math.ceil(length / (26 * 3600000));
  const tick = (at, hour, anchor) => found.push(s("line", { class: "tick", x1: x(at), x2: x(at), y1: top - 4, y2: bottom }),
    s("text", { x: x(at), y: top - 9, "text-anchor": anchor }, hour));
  tick(day.from, clock(day.from, day.timezone), "start");
  // Every zone is ahead of UTC by quarters of an hour.
  const quarter = 900000;
  for (let moment = Math.ceil((Date.parse(day.from) + 1) / quarter) * quarter; moment < Date.parse(day.to); moment += quarter) {
    const at = new Date(moment).toISOString();
    const told = clock(at, day.timezone);
    const [hour, minute] = told.split(":").map(Number);
    // Not upon the ones at the ends.
    const isFree = x(at) - x(day.from) > 44 && x(day.to) - x(at) > 44;
    if (minute === 0 && hour % step === 0 && isFree) tick(at, told, "middle");
  }
  const last = clock(day.to, day.timezone);
  tick(day.to, last === "00:00" ? "24:00" : last, "end");
  return s("g", { "aria-hidden": "true" }, found);
}

function nowLine(day, x, top, bottom, width) {
  const at = x(day.now);
  const isRight = at > width - 60;
  return s("g", { class: "now" }, s("line", { x1: at, x2: at, y1: top - 4, y2: bottom }),
    s("text", { x: isRight ? at - 4 : at + 4, y: bottom + 4, "text-anchor": isRight ? "end" : "start" }, `now ${clock(day.now, day.timezone)}`));
}

const diamond = (x, y, r) => `M${x} ${y - r}L${x + r} ${y}L${x} ${y + r}L${x - r} ${y}Z`;

function slotMark(slot, x, y, zone, label) {
  const state = slot.state === "fired" ? "brought forward" : slot.state.replaceAll("_", " ");
  const told = `${timeTold(slot.at, zone)}, ${label}: slot ${state}${slot.silence ? `; as things stand ${silenceTold(slot.silence)}` : ""}`;
  return s("path", { class: `slot ${slot.state}`, d: diamond(x, y, 7), role: "img", "aria-label": told }, s("title", null, told));
}

/** A shape for each end, so that colour is not all that tells them apart. */
export function glyph(type, x, y) {
  const tone = stateWord(type).tone;
  const stroke = (d) => s("path", { class: `mark stroke ${tone}`, d });
  switch (tone) {
    case "good": return s("g", null, s("circle", { class: "mark good", cx: x, cy: y, r: 7 }),
      s("path", { class: "count-tick", d: `M${x - 3} ${y}l2.200 2.300 4-4.600` }));
    case "send": return s("circle", { class: "mark send", cx: x, cy: y, r: 6.5 });
    case "bad": return s("path", { class: "mark bad", d: `M${x} ${y - 8}L${x + 8} ${y + 6}L${x - 8} ${y + 6}Z` });
    case "drop": return stroke(`M${x - 5} ${y - 5}L${x + 5} ${y + 5}M${x + 5} ${y - 5}L${x - 5} ${y + 5}`);
    case "wait": return stroke(`M${x - 3} ${y - 6}V${y + 6}M${x + 3} ${y - 6}V${y + 6}`);
    case "gather": return s("rect", { class: "mark gather", x: x - 5.5, y: y - 5.5, width: 11, height: 11, rx: 2 });
    default: return s("circle", { class: "mark plain", cx: x, cy: y, r: 4 });
  }
}

/** What the shapes mean. */
export function keyOfStrip({ hasSchedule } = {}) {
  const sample = (node) => s("svg", { viewBox: "0 0 20 20", "aria-hidden": "true", class: "glyph" }, node);
  return h("ul", { class: "key", "aria-label": "What the strip shows" }, [
    [sample(s("path", { class: "slot", d: diamond(10, 10, 7) })), "slot to come"],
    [sample(glyph("raised", 10, 10)), "raised"],
    [sample(glyph("held", 10, 10)), "held"],
    [sample(glyph("gathered", 10, 10)), "gathered"],
    [sample(glyph("emitted", 10, 10)), "handed out"],
    [sample(glyph("delivered", 10, 10)), "delivered or opened"],
    [sample(glyph("dropped", 10, 10)), "dropped"],
    [sample(glyph("failed", 10, 10)), "failed"],
    [s("svg", { viewBox: "0 0 20 20", "aria-hidden": "true", class: "glyph" }, patterns(), s("rect", { class: "band-quiet", width: 20, height: 20 })), "quiet hours"],
    hasSchedule && [sample(s("rect", { class: "band-outside", width: 20, height: 20 })), "outside the weekly schedule"],
  ].filter(Boolean).map(([shape, text]) => h("li", null, shape, text)));
}
