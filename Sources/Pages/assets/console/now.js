import { h, plural, replace, s } from "../common/dom.js";
import { chip, empty, notice, select, table } from "../common/controls.js";
import { said, spelt } from "../common/text.js";
import { sentence } from "../common/door.js";
import { stamp, lasting } from "../common/time.js";
import { pause } from "../common/stream.js";
import { isSame } from "../common/changes.js";
import { stateOfEvent, tells, toneOf } from "../common/words.js";
import { eventLink, personLink } from "./links.js";
import { Live, pausable } from "./live.js";

const kindsOfEvent = {
  decisions: ["notice_held", "notice_gathered", "notice_dropped", "slots_skipped", "job_emitted"],
  sent: ["job_emitted", "job_delivered", "delivery_reported"],
  withheld: ["notice_held", "notice_gathered", "notice_dropped", "slots_skipped"],
  failed: ["job_failed"],
  all: [],
};
const choices = [
  { value: "decisions", label: "What was decided" },
  { value: "sent", label: "Sent" },
  { value: "withheld", label: "Withheld" },
  { value: "failed", label: "Failed" },
  { value: "all", label: "Everything" },
];

/** *Now*: is it late, what waits, how the senders are, and what was just decided, as it is decided. */
export async function nowView(place) {
  place.title("Now");
  const figures = h("div");
  const senders = h("div");
  const old = h("div", { hidden: true });
  const facts = h("p", { class: "facts" });
  const [first] = await Promise.all([place.door.get("/v1/now", { signal: place.signal }), place.names]);
  place.signal.throwIfAborted();
  // Somebody may be on a link, read sideways or have marked a word: what is as it was stays.
  let shown = {};
  const draw = (now) => {
    const isSaid = ["policy", "people", "version"].every((name) => now[name] === shown[name]);
    if (!isSaid) replace(facts,
      h("span", null, "Policy ", h("a", { href: "/policy" }, said(now.policy))),
      h("span", null, plural(now.people, "person", "people")), h("span", null, `Version ${now.version}`));
    replace(figures, now.why_not_ready && notice(`Not ready: ${now.why_not_ready}.`, "wait"),
      ...(now.troubles ?? []).map((one) => notice(sentence(one.words), "wait")), unheard(now), figuresOf(now));
    if (!isSame(now.carriers, shown.carriers)) replace(senders, sendersOf(now.carriers));
    old.hidden = true;
    shown = now;
  };
  const complain = ({ message }) => {
    if (!old.hidden) return;
    old.hidden = false;
    replace(old, notice([message, " What stands here is of ", stamp(shown.at, { seconds: true, named: true }), "."], "wait"));
  };
  draw(first);
  keepAsking(place, draw, complain);
  return [
    h("div", { class: "head" },
      h("div", { class: "head-text" }, h("h1", null, "Now"), facts)),
    old,
    figures,
    h("section", { class: "sheet flush stack tight", "aria-labelledby": "senders" },
      h("h2", { id: "senders", class: "inset" }, "Senders"), senders),
    decided(place),
  ];
}

/** Other workers of a cluster that did not answer in the last seconds have people too. */
function unheard({ partitions }) {
  return partitions && partitions.told < partitions.of
    && notice(`Told of ${partitions.told} of ${partitions.of} partitions; the workers of the others were not heard.`, "wait");
}

async function keepAsking({ door, signal }, draw, complain) {
  while (!signal.aborted) {
    await pause(2000, signal);
    if (signal.aborted) return;
    if (document.hidden) continue;
    await door.get("/v1/now", { signal }).then(draw, (error) => { if (!signal.aborted) complain(error); });
  }
}

function figuresOf(now) {
  const late = now.oldest_due_seconds ?? 0;
  const lag = now.lag ?? {};
  return h("dl", { class: "figures" },
    figure("Late", late < 1 ? "On time" : lasting(late * 1000), late < 1 ? "good" : late < 60 ? "wait" : "bad",
      now.due_people ? `${plural(now.due_people, "person", "people")} due` : "nobody is due"),
    figure("From due to decided", lag.p50_ms === undefined || lag.p50_ms === null ? "–" : lasting(lag.p50_ms), null,
      lag.p99_ms === undefined || lag.p99_ms === null ? "nothing was due in this minute" : `99 of 100 within ${lasting(lag.p99_ms)}`),
    figure("Decided in the last minute", count(now.minute.decisions), null, `from ${plural(now.minute.facts, "fact")}`),
    figure("Jobs in the last minute", count(now.minute.jobs), null,
      `${count(now.minute.held)} held, ${count(now.minute.dropped)} dropped`),
    figure("Waiting to be sent", count(now.waiting.jobs), now.waiting.jobs > 1000 ? "wait" : null,
      now.waiting.held === undefined || now.waiting.held === null ? null : `${plural(now.waiting.held, "notice")} held`));
}

const count = (number) => (number ?? 0).toLocaleString("en");

function figure(name, value, tone, more) {
  return h("div", { class: "figure" }, h("dt", null, name), h("dd", { class: `value ${tone ?? ""}` }, value),
    more && h("dd", { class: "more" }, more));
}

function sendersOf(carriers) {
  return table("Senders and how they are", [
    { label: "Sender", cell: (one) => said(one.name) },
    { label: "State", cell: stateOf },
    { label: "Waiting", class: "number", cell: (one) => count(one.waiting) },
    { label: "Last problem", class: "extra", cell: (one) => one.problem ? said(one.problem) : h("span", { class: "soft" }, "none") },
  ], carriers, { empty: "No sender is configured." });
}

function stateOf({ broken, problem, next_try_at }) {
  if (broken) return chip("Failing", "bad");
  // A pause of some seconds is over before it is read.
  if (next_try_at && Date.parse(next_try_at) - Date.now() > 60_000) return [chip("Paused", "wait"), " until ", stamp(next_try_at)];
  return problem ? chip("Troubled", "wait") : chip("Well", "good");
}

function decided(place) {
  const shown = kindsOfEvent[place.query.get("show")] ? place.query.get("show") : "decisions";
  const { state, button, onstate } = pausable({ pause: () => live.pause(), resume: () => live.resume() });
  const sparks = h("div", { class: "sparks" });
  const rows = h("div", { class: "feed" }, empty("Nothing yet", "What is decided appears here as it is decided."));
  const show = feedIn(rows);
  const path = `/v1/events?follow=true${kindsOfEvent[shown].map((type) => `&type=${type}`).join("")}`;
  const live = new Live(place.door, path, {
    signal: place.signal,
    ondraw: (events, seconds) => {
      replace(sparks, sparkline(seconds));
      return events === null || show(events);
    },
    onstate,
  });
  return h("section", { class: "sheet flush stack tight", "aria-labelledby": "decided" },
    h("div", { class: "inset row apart" },
      h("div", { class: "row" }, h("h2", { id: "decided" }, "As it happens"), state),
      h("div", { class: "row" }, sparks,
        select(choices, shown, (value) => {
          place.router.filter({ show: value === "decisions" ? null : value });
          place.router.show({ quietly: true });
        }, { "aria-label": "What to show" }),
        button)),
    h("clock-note", { class: "inset help" }),
    rows);
}

/**
 * Draws a feed. A row that is there stays as it is, so that a link under the pointer or with the focus is still the same one, and what was
 * marked stays marked. Whether it could be drawn: not between a button's going down and its coming up, when rows would move from under it.
 */
function feedIn(holder) {
  const drawn = new Map();
  return (events) => {
    if (holder.matches(":active")) return false;
    const keys = new Set(events.map(keyOf));
    const fresh = events.filter((event) => !drawn.has(keyOf(event)));
    const made = feed(fresh);
    const body = holder.querySelector("tbody");
    const rows = [...made.querySelectorAll("tbody tr")];
    if (body) body.prepend(...(fresh.length > 0 ? rows : []));
    else replace(holder, made);
    fresh.forEach((event, index) => drawn.set(keyOf(event), rows[index]));
    // The row on whose link somebody is goes when they do.
    for (const [key, row] of drawn) if (!keys.has(key) && !row.contains(document.activeElement)) {
      row.remove();
      drawn.delete(key);
    }
    return true;
  };
}

/** Each partition has numbers of its own. */
const keyOf = ({ seq, partition = null }) => `${partition} ${seq}`;

function feed(events) {
  return table("Events as they happen, newest first", [
    { label: "Time", isHeader: false, cell: (event) => stamp(event.at, { seconds: true }) },
    { label: "Person", cell: (event) => personLink(event.user, event.partition) },
    { label: "What", cell: (event) => told(event) },
    { label: "Event", class: "number extra", cell: (event) => eventLink(event.seq, event.partition) },
  ], events.map((event) => ({ ...event, data: event.data ?? {} })), { stacks: "lines" });
}

function told(event) {
  return h("span", { class: "row told" }, chip(stateOfEvent(event), toneOf(event)), h("span", null, spelt(tells(event))));
}

function sparkline(seconds) {
  const most = Math.max(4, ...seconds);
  return s("svg", { class: "sparkline", viewBox: "0 0 120 24", width: "120", height: "24", role: "img",
    "aria-label": `${plural(seconds.reduce((sum, one) => sum + one, 0), "event")} in the last minute` },
    seconds.map((value, index) => s("rect", { x: index * 2, y: 24 - Math.max(1, (value / most) * 24), width: 1.4, height: Math.max(1, (value / most) * 24) })));
}
