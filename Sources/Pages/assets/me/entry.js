import { h } from "../common/dom.js";
import { whyNotAgain } from "../common/again.js";
import { chip } from "../common/controls.js";
import { id, isErased, said, spelt } from "../common/text.js";
import { clock, dayName, localDate, now, shiftDate } from "../common/time.js";
import { because, capital, channelName, channelList, kindName, state as stateWord, channelsReached, waysTold } from "../common/words.js";
import { failuresTold, failureTold, placeOf } from "./reasons.js";

const opened = new Set();

/** One notice of the history: what kind it is of, what it said, what became of it and why, and what can be done about it. */
export function entry(row, { zone, show, nameOf, retry }) {
  const word = stateWord(row.status);
  const place = placeOf(row);
  const problem = h("div");
  const about = row.subject ? nameOf(row.subject, row.subject_title) : null;
  const title = isErased(row.title) ? null : row.title;
  // One without a title of its own is told from others of its kind by what it is about, and by when.
  const name = title ?? [kindName(row.kind), about].filter(Boolean).join(": ");
  const called = `${spelt(name)}, ${day(row.at, zone)} ${clock(row.at, zone)}`;
  const fix = row.status === "failed" ? "Fix" : "See the setting";
  const why = row.status === "failed" ? whyNotAgain(row, zone) : null;
  return h("li", { class: "entry" },
    h("div", { class: "row apart" }, h("span", { class: "entry-title" }, said(name)),
      h("span", { class: "row" }, row.test && chip("Test"), chip(word.label, word.tone))),
    isErased(row.title) || isErased(row.body) ? h("p", { class: "soft" }, "What it said is not kept any more.") : row.body && h("p", null, said(row.body)),
    h("p", { class: "help" }, moment(row.at, zone), title ? [` · ${kindName(row.kind)}`, about && [": ", said(about)]] : null, row.count > 1 ? ` · ${row.count} times` : null, " · ", story(row)),
    why && h("p", { class: "help" }, why),
    h("div", { class: "row" },
      place && h("button", { type: "button", class: "small", "aria-label": `${fix}: ${called}`, onclick: () => show(place) }, fix),
      row.status === "failed" && !why && h("button", { type: "button", class: "small", "aria-label": `Try again: ${called}`,
        onclick: (event) => retry(row, event.target, problem) }, "Try again")),
    details(row, { zone, called, about, nameOf }), problem);
}

/** “Today, 08:00”: when, as people say it. */
const moment = (at, zone) => h("time", { datetime: at }, `${day(at, zone)}, ${clock(at, zone)}`);

function day(at, zone) {
  const date = localDate(at, zone);
  const today = localDate(now(), zone);
  return date === today ? "Today" : date === shiftDate(today, -1) ? "Yesterday" : dayName(at, zone);
}

function story(row) {
  switch (row.status) {
    case "blocked": return `not sent: ${because(row.reason)}`;
    case "queued": return row.reason ? `waits: ${because(row.reason)}` : "on its way";
    case "failed": return `failed: ${failuresTold(row)}`;
    default: return waysTold(channelsReached(row));
  }
}

const partTold = ({ title, kind, subject, subject_title: name }, nameOf) =>
  title && !isErased(title) ? said(title) : [kindName(kind), subject && [": ", said(nameOf(subject, name))]];

const acts = { opened: "You opened it", dismissed: "You dismissed it", snoozed: "You put it off", judged: "You said whether it helped" };

/** Everything that is known of it: each try and report with its moment, and what the person did. */
function details(row, { zone, called, about, nameOf }) {
  const parts = (row.notices ?? []).filter((one) => one.notice !== row.notice);
  const node = h("details", { open: opened.has(row.notice), ontoggle: () => { if (node.open) opened.add(row.notice); else opened.delete(row.notice); } },
    h("summary", { "aria-label": `Details: ${called}` }, "Details"),
    h("dl", { class: "pairs" },
      h("dt", null, "Kind"), h("dd", null, kindName(row.kind)),
      about && [h("dt", null, "About"), h("dd", null, said(about))],
      row.raised_at && [h("dt", null, "Came up"), h("dd", null, moment(row.raised_at, zone))],
      row.channels && [h("dt", null, "To go by"), h("dd", null, capital(channelList(row.channels)))],
      row.until && [h("dt", null, "Waits until"), h("dd", null, moment(row.until, zone))],
      row.outcomes.map((one) => [h("dt", null, one.channel ? capital(channelName(one.channel)) : "All channels"),
        h("dd", null, moment(one.at, zone), `: ${stateWord(one.status).label.toLowerCase()}`,
          ["failed", "bounced", "complained", "expired"].includes(one.status) && [`, ${failureTold(one)}`, one.reason && [" (", said(one.reason, "span"), ")"]])]),
      (row.answers ?? []).map((one) => [h("dt", null, acts[one.answer] ?? capital(one.answer)), h("dd", null, moment(one.at, zone))]),
      parts.length > 0 && [h("dt", null, "With it"), h("dd", null, parts.map((one) => h("div", null, partTold(one, nameOf))))],
      h("dt", null, "Reference"), h("dd", null, id(row.notice))));
  return node;
}
