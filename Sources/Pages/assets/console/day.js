import { h, plural } from "../common/dom.js";
import { chip, field, table } from "../common/controls.js";
import { person } from "../common/door.js";
import { id, said } from "../common/text.js";
import { clock, longDay, shiftDate, stamp, localDate, lasting } from "../common/time.js";
import { because, capital, channelName, handedOut, kindName, plain, state as stateWord } from "../common/words.js";
import { eventLink } from "./links.js";
import { keyOfStrip } from "./strip.js";
import { timelineOf } from "./notice.js";

/** The day as a strip, what happened in it as a table, and the notice that was chosen from its raising to its end. */
export async function dayTab(place) {
  const { door, user, base, query, router, signal } = place;
  const chosen = query.get("notice");
  const date = query.get("date");
  const [day, timeline] = await Promise.all([
    door.get(`${person(user)}/day${date ? `?date=${encodeURIComponent(date)}` : ""}`, { signal }),
    chosen ? timelineOf(place, user, chosen) : null, place.names,
  ]);
  const { partition = null } = await place.state;
  const kinds = labels(day);
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
  strip.set(day, { kinds, chosen, address, partition });
  const isToday = day.now !== null;
  const today = isToday ? day.date : localDate(Date.now(), day.timezone);
  const picker = h("input", { type: "date", value: day.date, onchange: (event) => {
    if (event.target.value) router.go(address({ date: event.target.value, notice: null }));
  } });
  return h("div", { class: "stack" },
    h("section", { class: "sheet stack", "aria-labelledby": "day" },
      h("div", { class: "row apart" },
        h("div", null, h("h2", { id: "day" }, longDay(middle(day), day.timezone)), h("p", { class: "soft" }, sentences(day, kinds))),
        h("div", { class: "row" },
          h("a", { class: "button", href: address({ date: shiftDate(day.date, -1), notice: null }), "aria-label": "The day before" }, "←"),
          ...hidden("Day", picker),
          h("a", { class: "button", href: address({ date: shiftDate(day.date, 1), notice: null }), "aria-label": "The day after" }, "→"),
          !isToday && h("a", { class: "button", href: address({ date: null, notice: null }) }, day.date < today ? "Today" : "Back to today"))),
      strip, keyOfStrip()),
    h("div", { class: timeline ? "two" : "stack" },
      h("section", { class: "sheet flush stack tight", "aria-labelledby": "happened" },
        h("h2", { id: "happened", class: "inset" }, isToday ? "What happened, and what comes" : "What happened"),
        happened(day, kinds, address, chosen, partition),
        day.marks_left_out > 0 && h("p", { class: "inset soft" }, `${plural(day.marks_left_out, "earlier event")} of this day ${day.marks_left_out === 1 ? "is" : "are"} in the log alone.`)),
      timeline && h("section", { class: "sheet stack", "aria-labelledby": "notice" },
        h("div", { class: "row apart" }, h("h2", { id: "notice" }, "The notice"),
          h("a", { class: "button", href: address({ notice: null }), "aria-label": "Close the notice" }, "Close")),
        timeline)));
}

const hidden = (label, control) => [...field(label, control, { hidden: true }).childNodes];
const middle = (day) => (Date.parse(day.from) + Date.parse(day.to)) / 2;

/** Kinds by the labels that every view has; what is of no kind is a fact. */
function labels(day) {
  return new Map([...day.slots, ...day.marks].map(({ kind }) => [kind, kind ? kindName(kind) : "Facts"]));
}

function sentences(day, kinds) {
  const parts = [];
  if (day.now !== null) {
    parts.push(`${handedOut(day, "so far")}.`);
    if (day.quiet_until) parts.push(`Quiet until ${clock(day.quiet_until, day.timezone)}.`);
    const next = day.slots.filter((slot) => slot.state === "to_come" && slot.at >= day.now).sort((a, b) => (a.at < b.at ? -1 : 1))[0];
    if (next) parts.push(`Next: ${kinds.get(next.kind)} at ${clock(next.at, day.timezone)}.`);
  } else if (day.date < localDate(Date.now(), day.timezone)) parts.push(`${handedOut(day, "on this day")}.`);
  const length = Date.parse(day.to) - Date.parse(day.from);
  if (length !== 86400000) parts.push(`This day has ${lasting(length)}: the clocks change.`);
  parts.push(`The strip is in ${day.timezone}.`);
  return parts.join(" ");
}

function happened(day, kinds, address, chosen, partition) {
  const rows = [
    ...day.marks.filter((mark) => !isToldByAnother(mark, day.marks)),
    ...day.slots.filter((slot) => slot.state === "to_come").map((slot) => ({ ...slot, isSlot: true })),
  ].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : (a.seq ?? Infinity) - (b.seq ?? Infinity)));
  return table("What happened on this day", [
    { label: "Time", isHeader: false, class: "nowrap", cell: (row) => stamp(row.at, { zone: day.timezone }) },
    { label: "Kind", cell: (row) => kinds.get(row.kind) ?? "" },
    { label: "What", cell: (row) => h("span", { class: "row" },
      row.isSlot ? chip("To come", "plain") : row.notice || row.kind ? chip(stateWord(row.type).label, stateWord(row.type).tone) : null,
      h("span", null, said(explanation(row, day), "span"))) },
    { label: "Notice", class: "extra", cell: (row) => row.notice
      ? h("a", { href: address({ notice: row.notice }), "aria-current": row.notice === chosen ? "true" : null }, id(row.notice))
      : row.seq ? eventLink(row.seq, partition) : "" },
  ], rows, { empty: "Nothing happened on this day." });
}

// What is raised and held in one instant is told once.
const isToldByAnother = (mark, marks) => mark.type === "raised"
  && marks.some((other) => other !== mark && other.notice === mark.notice && other.at === mark.at);

function explanation(row, day) {
  const until = row.until ? `until ${clock(row.until, day.timezone)}` : null;
  switch (row.type) {
    case "held": case "gathered": case "dropped": case "skipped": case "failed":
      return [capital(because(row.reason)), until].filter(Boolean).join(", ");
    case "sent": return `Taken by ${channelName(row.reason)}`;
    case "judged": return row.reason === "helpful" ? "It was helpful" : "It was not helpful";
    default: return row.notice || row.kind ? [row.reason, until && capital(until)].filter(Boolean).join(", ") : capital(plain(row.type));
  }
}
