import { h, keepingFocus, plural, replace } from "../common/dom.js";
import { chip, dateInput, field, notice, table } from "../common/controls.js";
import { person } from "../common/door.js";
import { follow } from "../common/stream.js";
import { id, said } from "../common/text.js";
import { longDay, now, onTimeMode, shiftDate, shownZone, stamp, localDate, lasting, timeMode, timeTold } from "../common/time.js";
import { because, capital, handedOut, kindName, plain, silenceTold, state as stateWord, subjectTold, takenBy } from "../common/words.js";
import { eventLink } from "./links.js";
import { pausable } from "./live.js";
import { isBroughtForward, keyOfStrip } from "./strip.js";
import { timelineOf } from "./notice.js";

/**
 * The day as a strip, what happened in it as a table, and the notice that was chosen from its raising to its end. A day that is
 * not over is live: what is recorded of the person draws it anew, and so does each minute.
 */
export async function dayTab(place) {
  const { door, user, query, router, signal } = place;
  const chosen = query.get("notice");
  const date = query.get("date");
  const path = `${person(user)}/day${date ? `?date=${encodeURIComponent(date)}` : ""}`;
  const read = () => Promise.all([door.get(path, { signal }), chosen ? timelineOf(place, user, chosen) : null]);
  const [found] = await Promise.all([read().catch((error) => error), place.names]);
  if (date && (found.status === 404 || found.status === 400)) return noSuchDay(place, date, found);
  if (found instanceof Error) throw found;
  // It was left while its names were on their way: nothing is followed any more.
  signal.throwIfAborted();
  const [day, timeline] = found;
  const { partition = null } = await place.state;
  const parts = partsOf(place, { chosen, date, partition });
  parts.show(day, timeline);
  const today = day.now !== null ? day.date : localDate(now(), day.timezone);
  if (date) place.title(`${user} – ${longDay(middle(day), day.timezone)}`);
  // A day that is over has been told, and of one that is to come nothing happens yet.
  const live = day.now === null ? null : liveDay(place, day, partition, async () => {
    const [[fresh, story], state] = await Promise.all([read(), door.get(`${person(user)}/state`, { signal })]);
    // Midnight has passed: the whole view is another day's.
    if (fresh.date !== day.date) return router.show({ quietly: true });
    place.onstate(state);
    return parts.show(fresh, story);
  });
  return parts.node(day, today, live, timeline);
}

/** A day before they were known, or one that their calendar never had: the person is there all the same. */
async function noSuchDay({ state, base }, date, { message }) {
  await state;
  const isDate = /^\d{4}-\d\d-\d\d$/.test(date) && !Number.isNaN(Date.parse(`${date}T00:00:00Z`)) && shiftDate(date, 0) === date;
  const beside = (days) => {
    const other = isDate && shiftDate(date, days);
    return other && /^\d{4}-/.test(other) && !other.startsWith("0000") && dayLink(`${base}?date=${other}`, days);
  };
  return h("section", { class: "sheet stack", "aria-label": "Day" }, notice(message, "wait"), h("div", { class: "row" },
    beside(-1), h("a", { class: "button", href: base }, "Today"), beside(1)));
}

/** To the day before (-1) or after (1). */
const dayLink = (href, days) => h("a", { class: "button", href, "aria-label": days < 0 ? "The day before" : "The day after", "data-step": true }, days < 0 ? "←" : "→");

/** What of the view is drawn anew, and what of it stays. */
function partsOf({ base, router, signal }, { chosen, date, partition }) {
  const address = (changes) => {
    const parameters = new URLSearchParams(date ? { date } : {});
    for (const [name, value] of Object.entries(changes)) {
      if (value) parameters.set(name, value);
      else parameters.delete(name);
    }
    const text = String(parameters);
    return text ? `${base}?${text}` : base;
  };
  const strip = document.createElement("day-strip");
  const told = h("p", { class: "soft" });
  // A day is told by the clock that they had then.
  const byClock = h("clock-note", { class: "help" });
  const rows = h("div", { class: "stack tight" });
  const story = h("div");
  let tell = () => {};
  onTimeMode(() => tell(), signal);
  const show = (day, timeline) => keepingFocus([strip, rows, story], () => {
    const kinds = labels(day);
    strip.set(day, { kinds, chosen, address, partition });
    byClock.setAttribute("zone", day.timezone);
    tell = () => replace(told, sentences(day, kinds));
    tell();
    replace(rows, happened(day, kinds, address, { chosen, partition, first: isFirstView() ? rowsAtOnce : Infinity }),
      day.marks_left_out > 0 && h("p", { class: "inset soft" }, `${plural(day.marks_left_out, "earlier event")} of this day ${day.marks_left_out === 1 ? "is" : "are"} in the log alone.`));
    // Nothing new of it: what was opened in it stays open.
    const isDrawn = story.firstElementChild && story.firstElementChild.dataset.through === timeline?.dataset.through;
    if (timeline && !isDrawn) replace(story, timeline);
  });
  const node = (day, today, live, timeline) => {
    const isToday = day.now !== null;
    const picker = dateInput({ value: day.date }, ({ value }) => {
      if (value) router.go(address({ date: value, notice: null }), { isStep: true });
    });
    return h("div", { class: "stack" }, byClock,
      h("section", { class: "sheet stack", "aria-labelledby": "day" },
        h("div", { class: "row apart" },
          h("div", null, h("h2", { id: "day" }, longDay(middle(day), day.timezone)), told),
          h("div", { class: "row" }, live,
            day.previous_date && dayLink(address({ date: day.previous_date, notice: null }), -1),
            ...hidden("Day", picker),
            day.next_date && dayLink(address({ date: day.next_date, notice: null }), 1),
            !isToday && h("a", { class: "button", href: address({ date: null, notice: null }) }, day.date < today ? "Today" : "Back to today"))),
        strip, keyOfStrip({ hasSchedule: day.schedule !== null })),
      h("div", { class: timeline ? "two" : "stack" },
        h("section", { class: "sheet flush stack tight", "aria-labelledby": "happened" },
          h("h2", { id: "happened", class: "inset" }, isToday ? "What happened, and what comes" : day.date > today ? "What comes" : "What happened"), rows),
        timeline && h("section", { class: "sheet stack", "aria-labelledby": "notice" },
          h("div", { class: "row apart" }, h("h2", { id: "notice" }, "The notice"),
            h("a", { class: "button", href: address({ notice: null }), "aria-label": "Close the notice" }, "Close")),
          story)));
  };
  return { show, node };
}

/** Its state and its button. `renew` is called when something was recorded of the person behind what is shown, and each minute. */
function liveDay({ door, user, signal, onerased }, day, partition, renew) {
  const { state, button, onstate, isPaused } = pausable({
    pause: () => listening.abort(),
    resume: () => { listen(); due(); },
  });
  let listening;
  let last = null;
  let waiting = null;
  let isDrawing = false;
  let isOver = false;
  const due = (after = 300) => {
    if (isPaused() || isOver || signal.aborted) return;
    waiting ??= setTimeout(draw, after);
  };
  async function draw() {
    waiting = null;
    if (isPaused() || signal.aborted) return;
    if (isDrawing || document.hidden) return due(1000);
    isDrawing = true;
    // The page says itself that the worker is lost, and what it was asked for comes with the next event.
    await Promise.resolve(renew()).catch((error) => { if (error.status === 404) onstate("ended", error); });
    isDrawing = false;
  }
  function listen() {
    listening = new AbortController();
    follow(door, `/v1/events?follow=true&user=${encodeURIComponent(user)}&from=${day.through_seq + 1}`, {
      signal: listening.signal, lastId: last, onstate,
      onevent: ({ id: seq, data }) => {
        if (seq !== null) last = seq;
        const event = JSON.parse(data);
        if (event.type === "person_erased") end(event.seq);
        else due();
      },
    });
  }
  const minutes = setInterval(due, 60000);
  const stop = () => {
    listening.abort();
    clearInterval(minutes);
    clearTimeout(waiting);
  };
  // Nobody is there any more whose day could be drawn.
  function end(seq) {
    isOver = true;
    stop();
    onerased(seq, partition);
  }
  listen();
  signal.addEventListener("abort", stop);
  return h("span", { class: "row" }, state, button);
}

const hidden = (label, control) => [...field(label, control, { hidden: true }).childNodes];
const middle = (day) => (Date.parse(day.from) + Date.parse(day.to)) / 2;

/** Kinds by the labels that every view has; what is of no kind is a fact. */
function labels(day) {
  return new Map([...day.slots, ...day.waits, ...day.marks].map(({ kind }) => [kind, kind ? kindName(kind) : "Facts"]));
}

function sentences(day, kinds) {
  const parts = [];
  // By the person's clock, whatever the reader chose for the times beneath.
  const there = shownZone(day.timezone) === day.timezone ? "" : ` in ${day.timezone}`;
  const told = (at) => `${timeTold(at, day.timezone)}${there}`;
  if (day.now !== null) {
    parts.push(`${handedOut(day, "so far")}.`);
    if (day.quiet_until) parts.push(`Quiet until ${told(day.quiet_until)}.`);
    // What would not come as things stand is not what comes next.
    const next = day.slots.filter((slot) => slot.state === "to_come" && slot.at >= day.now && !slot.silence).sort((a, b) => (a.at < b.at ? -1 : 1))[0];
    if (next) parts.push(`Next: ${kinds.get(next.kind)} at ${told(next.at)}.`);
  } else if (day.date < localDate(now(), day.timezone)) parts.push(`${handedOut(day, "on this day")}.`);
  const length = Date.parse(day.to) - Date.parse(day.from);
  if (day.zones.length > 1) parts.push(`This day has ${lasting(length)}: they went from ${day.zones.join(" to ")}.`);
  else if (day.next_date === null) parts.push("The calendar ends with it.");
  else if (length !== 86400000) parts.push(`This day has ${lasting(length)}: the clocks change.`);
  // Where all times are by their clock, the page says so once.
  if (timeMode() !== "theirs") parts.push(`The strip is in ${day.timezone}.`);
  return parts.join(" ");
}

// As many as are in sight, and some more.
const rowsAtOnce = 30;
// Whoever was there already may have the focus far down.
const isFirstView = () => performance.getEntriesByName("belfry-view").length === 0;

function happened(day, kinds, address, { chosen, partition, first }) {
  const rows = [
    ...day.waits.map((one) => ({ ...one, at: one.raised_at, type: one.until ? "held" : "gathered" })),
    ...day.marks.filter((mark) => !isToldByAnother(mark, day.marks)),
    ...day.slots.filter((slot) => slot.state === "to_come").map((slot) => ({ ...slot, isSlot: true })),
    ...day.slots.filter((slot) => isBroughtForward(slot, day)).map((slot) => ({ ...slot, type: "raised" })),
  ].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : (a.seq ?? Infinity) - (b.seq ?? Infinity)));
  return table("What happened on this day", [
    { label: "Time", isHeader: false, class: "nowrap", cell: (row) => stamp(row.at, { zone: day.timezone, day: day.date }) },
    { label: "Kind", class: "extra kind-cell", cell: (row) => [kinds.get(row.kind) ?? "", row.subject && h("div", { class: "help" }, said(about(row, day)))] },
    { label: "What", cell: (row) => h("span", { class: "row" },
      row.isSlot ? chip(row.silence ? "Not to come" : "To come", row.silence ? "drop" : "plain") : row.notice || row.kind ? chip(stateWord(row.type).label, stateWord(row.type).tone) : null,
      // Where there is no room for the columns of the kind and the notice.
      (row.notice || row.kind) && h("span", { class: "narrow" }, row.notice
        ? h("a", { href: address({ notice: row.notice }) }, kinds.get(row.kind) ?? "The notice") : kinds.get(row.kind)),
      row.state === "fired" && h("span", null, "Brought forward, to ", stamp(row.decided_at, { zone: day.timezone, full: true })),
      h("span", null, said(explanation(row, day), "span"), row.until && [row.reason ? ", until " : "Until ", stamp(row.until, { zone: day.timezone, full: true })]),
      row.subject && h("span", { class: "narrow help" }, said(about(row, day)))) },
    { label: "Notice", class: "extra", cell: (row) => row.notice
      ? h("a", { href: address({ notice: row.notice }), "aria-current": row.notice === chosen ? "true" : null }, id(withoutPerson(row.notice, day)))
      : row.seq ? eventLink(row.seq, partition) : "" },
  ], rows, { empty: "Nothing happened on this day.", first });
}

// What is raised and held in one instant is told once.
const isToldByAnother = (mark, marks) => mark.type === "raised"
  && marks.some((other) => other !== mark && other.notice === mark.notice && other.at === mark.at);

const about = ({ subject }, { subjects }) => subjectTold(subject, subjects?.[subject]);

// Everything on the page is the person’s.
const withoutPerson = (notice, { user }) => (notice?.startsWith(`${user}/`) ? notice.slice(user.length + 1) : notice);

/** What a notice went out with, by what that one is about. */
function companion({ into }, day) {
  const first = day.marks.find((mark) => mark.notice === into);
  return first?.subject ? about(first, day) : withoutPerson(into, day);
}

function explanation(row, day) {
  if (row.isSlot) return row.silence ? `As things stand ${silenceTold(row.silence)}` : "";
  switch (row.type) {
    case "held": case "gathered": case "dropped": case "skipped": case "failed":
      return capital(because(row.reason));
    case "joined": return `In one job with ${companion(row, day)}`;
    case "sent": return takenBy(row.reason);
    case "judged": return row.reason === "helpful" ? "It was helpful" : "It was not helpful";
    default: return row.notice || row.kind ? row.reason ?? "" : capital(plain(row.type));
  }
}
