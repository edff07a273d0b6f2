import { h, replace } from "../common/dom.js";
import { chip, copied, copyButton, empty, field, table } from "../common/controls.js";
import { id, spelt } from "../common/text.js";
import { stamp } from "../common/time.js";
import { eventLink, noticeAddress, personLink } from "./links.js";
import { stateOfEvent, tells, toneOf } from "../common/words.js";

const page = 50;
const types = ["job_emitted", "notice_held", "notice_gathered", "notice_dropped", "slots_skipped", "job_delivered", "job_failed", "delivery_reported",
  "notice_requested", "preferences_changed", "preset_applied", "preferences_reset", "user_enrolled", "timezone_changed", "contact_changed",
  "device_registered", "device_removed", "app_opened", "app_closed", "session_completed", "checked_in", "goal_started", "goal_ended", "notice_opened",
  "notice_dismissed", "notice_snoozed", "policy_adopted", "run_requested", "worker_started", "partition_taken", "policy_applied"];

/** The log, newest first: by type, by person, from any number on; and the head of its chain. */
export async function logView(place) {
  place.title("Log");
  const { door, router, signal, query } = place;
  const filters = { type: query.get("type") ?? "", user: query.get("user") ?? "", before: query.get("before") ?? "" };
  const parameters = new URLSearchParams({ backlog: page });
  if (filters.type) parameters.set("type", filters.type);
  if (filters.user) parameters.set("user", filters.user);
  if (/^\d+$/.test(filters.before) && Number(filters.before) > 1) parameters.set("to", Number(filters.before) - 1);
  const [head, events] = await Promise.all([
    door.get("/v1/log/head", { signal }),
    door.lines(`/v1/events?${parameters}`, { signal, headers: { Accept: "application/x-ndjson" } }), place.names]);
  const oldest = events[0]?.seq;
  const address = (changes) => {
    const url = new URLSearchParams(Object.entries({ ...filters, ...changes }).filter(([, value]) => value));
    return `/log${String(url) ? `?${url}` : ""}`;
  };
  const go = (event) => {
    event.preventDefault();
    if (/^#?\d+$/.test(number.value.trim())) return router.go(`/log/${number.value.trim().replace("#", "")}`);
    return router.go(address({ type: type.value.trim(), user: user.value.trim(), before: "" }));
  };
  const type = h("input", { type: "search", value: filters.type, list: "types", autocomplete: "off", spellcheck: "false" });
  const user = h("input", { type: "search", value: filters.user, autocomplete: "off", spellcheck: "false", "data-search": true });
  const number = h("input", { type: "search", inputmode: "numeric", autocomplete: "off", placeholder: "#" });
  return [
    h("div", { class: "head" }, h("div", { class: "head-text" }, h("h1", null, "Log"),
      h("p", { class: "facts" }, h("span", null, `Head: event #${head.seq}, commit ${head.commit}, `, head.recorded_at ? stamp(head.recorded_at, { seconds: true }) : ""),
        copied(head.hash, "Copy the head’s hash")))),
    h("form", { class: "filters", role: "search", onsubmit: go },
      field("Person", user), field("Type", type), h("datalist", { id: "types" }, types.map((value) => h("option", { value }))),
      field("Event’s number", number), h("button", { type: "submit" }, "Search")),
    h("section", { class: "sheet flush", "aria-label": "Events" }, events.length === 0 ? empty("Nothing like that", "No event matches in this part of the log.") : eventTable("Events, newest first", events.reverse())),
    h("div", { class: "row" },
      filters.before && h("a", { class: "button", href: address({ before: "" }) }, "Newest"),
      events.length === page && oldest > 1 && h("a", { class: "button", href: address({ before: oldest }) }, "Older")),
  ];
}

export function eventTable(caption, events) {
  return table(caption, [
    { label: "Event", class: "nowrap", cell: (event) => eventLink(event.seq) },
    { label: "Time", class: "nowrap", cell: (event) => stamp(event.at, { seconds: true }) },
    { label: "Person", cell: (event) => personLink(event.user) },
    { label: "What", cell: (event) => h("span", { class: "row told" }, chip(stateOfEvent(event), toneOf(event)), h("span", null, spelt(tells(event)))) },
    { label: "Type", class: "extra", cell: (event) => id(event.type) },
  ], events);
}

/** One event: what it is, what caused it, what it caused, and where in the chain it stands. */
export async function eventView(place) {
  const seq = place.steps[1];
  place.title(`Event ${seq}`);
  const { door, signal } = place;
  const found = await door.get(`/v1/events/${encodeURIComponent(seq)}`, { signal });
  const { event, cause, consequences, commit } = found;
  const data = h("div");
  const shown = JSON.stringify(event, null, 2);
  const show = h("button", { type: "button", onclick: () => replace(data, copyButton(shown, "Copy the event"), h("pre", { tabindex: "0", "aria-label": "The event’s data" }, speltLines(shown))) }, "Show the data");
  replace(data, h("p", { class: "soft" }, "What the event holds may be personal. "), show);
  const subject = event.data?.notice ?? event.data?.job;
  return [
    h("div", { class: "head" }, h("div", { class: "head-text" },
      h("h1", null, `Event #${event.seq}`),
      h("p", { class: "row" }, chip(stateOfEvent(event), toneOf(event)), h("span", null, spelt(tells(event))), id(event.type)),
      h("p", { class: "facts" }, h("span", null, stamp(event.at, { seconds: true, full: true })),
        event.user && h("span", null, personLink(event.user)),
        subject && event.user && h("a", { href: noticeAddress(event.user, subject) }, "The notice’s story"))),
      h("div", { class: "row" }, Number(seq) > 1 && h("a", { class: "button", href: `/log/${Number(seq) - 1}` }, "← Before"), h("a", { class: "button", href: `/log/${Number(seq) + 1}` }, "After →"))),
    h("section", { class: "sheet stack tight", "aria-labelledby": "data" }, h("h2", { id: "data" }, "Data"), data),
    h("section", { class: "sheet flush stack tight", "aria-labelledby": "cause" }, h("h2", { id: "cause", class: "inset" }, "Cause"),
      cause ? eventTable("The cause", [cause]) : h("p", { class: "inset soft" }, "It is the cause itself: a fact, or a moment that came.")),
    h("section", { class: "sheet flush stack tight", "aria-labelledby": "consequences" }, h("h2", { id: "consequences", class: "inset" }, "Consequences"),
      consequences.length > 0 ? eventTable("Its consequences", consequences) : h("p", { class: "inset soft" }, "Nothing was decided because of it.")),
    h("section", { class: "sheet", "aria-labelledby": "chain" }, h("h2", { id: "chain" }, "In the chain"),
      h("dl", { class: "pairs" },
        h("dt", null, "Commit"), h("dd", null, `${commit.position}${commit.first === commit.last ? `, event #${commit.first}` : `, events #${commit.first} to #${commit.last}`}`),
        h("dt", null, "Written"), h("dd", null, stamp(commit.at, { seconds: true, full: true })),
        h("dt", null, "Head"), h("dd", null, found.head ? copied(found.head, "Copy the hash") : "–"))),
  ];
}

// JSON keeps its own line ends; everything else that cannot be seen is spelt out.
const speltLines = (text) => text.split("\n").map(spelt).join("\n");
