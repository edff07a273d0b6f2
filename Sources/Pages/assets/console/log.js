import { h, plural, replace } from "../common/dom.js";
import { chip, copied, copyButton, empty, field, notice, select, table } from "../common/controls.js";
import { person } from "../common/door.js";
import { id, isId, spelt } from "../common/text.js";
import { stamp } from "../common/time.js";
import { eventAddress, eventLink, eventPath, noticeAddress, partitionName, personLink } from "./links.js";
import { capital, stateOfEvent, tells, toneOf } from "../common/words.js";

const page = 50;
const types = ["job_emitted", "notice_held", "notice_gathered", "notice_dropped", "slots_skipped", "job_delivered", "job_failed", "delivery_reported",
  "notice_requested", "preferences_changed", "preset_applied", "preferences_reset", "user_enrolled", "timezone_changed", "contact_changed",
  "device_registered", "device_removed", "app_opened", "app_closed", "session_completed", "checked_in", "goal_started", "goal_ended", "notice_opened",
  "notice_dismissed", "notice_snoozed", "policy_adopted", "run_requested", "worker_started", "partition_taken", "policy_applied", "texts_erased"];

/** The log, newest first: by type, by person, by partition, from any number on; and the head of its chain. */
export async function logView(place) {
  place.title("Log");
  const { door, router, signal, query } = place;
  const filters = Object.fromEntries(["type", "user", "partition", "before"].map((name) => [name, query.get(name) ?? ""]));
  const [head, home] = await Promise.all([
    door.get("/v1/log/head", { signal }), isId(filters.user) ? partitionOf(filters.user, door, signal) : null, place.names]);
  const heads = head.partitions ?? null;
  // Whoever is looked for is in one partition, whichever was named; whoever was erased is called by a number that each partition has.
  if (isId(filters.user)) filters.partition = home === null ? "" : String(home);
  const isAll = heads !== null && !filters.user && filters.partition === "";
  const { events, older, refused } = await (isAll ? pageOfAll : pageOfOne)(place, filters, heads).catch((error) => {
    // Told beside the fields, which are where it is mended.
    if (error.status !== 400) throw error;
    return { events: [], older: null, refused: error.message };
  });
  const address = (changes) => {
    const url = new URLSearchParams(Object.entries({ ...filters, ...changes }).filter(([, value]) => value));
    return `/log${String(url) ? `?${url}` : ""}`;
  };
  const go = (event) => {
    event.preventDefault();
    const wanted = number.value.trim().replace("#", "");
    if (/^\d+$/.test(wanted)) {
      return router.go(eventAddress(wanted, partition && partition.value !== "" ? partition.value : null));
    }
    number.setAttribute("aria-invalid", String(wanted !== ""));
    if (wanted !== "") {
      number.focus();
      return replace(problem, notice("An event’s number has digits alone, such as 42.", "wait"));
    }
    return router.go(address({ type: type.value.trim(), user: user.value.trim(), partition: partition?.value ?? "", before: "" }));
  };
  const type = h("input", { type: "search", value: filters.type, list: "types", "aria-invalid": refused && filters.type ? "true" : null, autocomplete: "off", spellcheck: "false" });
  const user = h("input", { type: "search", value: filters.user, autocomplete: "off", spellcheck: "false", "data-search": true });
  const problem = h("div", { class: "stack" }, refused && notice(refused, "wait"));
  const number = h("input", { type: "search", inputmode: "numeric", autocomplete: "off", placeholder: "#" });
  const partition = heads && select([{ value: "", label: "All" }, ...heads.map((one) => ({ value: one.partition, label: capital(partitionName(one.partition)) }))], filters.partition);
  return [
    h("div", { class: "head" }, h("div", { class: "head-text" }, h("h1", null, "Log"),
      heads ? h("p", { class: "facts" }, h("span", null, plural(heads.filter((one) => one.partition >= 0).length, "partition")),
        h("span", null, "each with numbers and a chain of its own"))
        : h("p", { class: "facts" }, h("span", null, `Head: event #${head.seq}, commit ${head.commit}, `, head.recorded_at ? stamp(head.recorded_at, { seconds: true }) : ""),
          copied(head.hash, "Copy the head’s hash")))),
    h("form", { class: "filters", role: "search", onsubmit: go },
      field("Person", user), field("Type", type), h("datalist", { id: "types" }, types.map((value) => h("option", { value }))),
      partition && field("Partition", partition), field("Event’s number", number), h("button", { type: "submit" }, "Search")),
    problem,
    h("clock-note", { class: "help" }),
    h("section", { class: "sheet flush", "aria-label": "Events" }, refused ? empty("Nothing was looked for", "Change what stands above.") : events.length === 0 ? empty("Nothing like that", "No event matches in this part of the log.") : eventTable("Events, newest first", events)),
    h("div", { class: "row" },
      filters.before && h("a", { class: "button", href: address({ before: "" }) }, "Newest"),
      older && h("a", { class: "button", href: address({ before: older }) }, "Older")),
    heads && h("section", { class: "sheet flush stack tight", "aria-labelledby": "heads" }, h("h2", { id: "heads", class: "inset" }, "Heads"), headTable(heads)),
  ];
}

const headTable = (heads) => table("Where each log ends", [
  { label: "Log", class: "nowrap", cell: (one) => capital(partitionName(one.partition)) },
  { label: "Last event", class: "number", cell: (one) => (one.seq > 0 ? eventLink(one.seq, one.partition) : "none") },
  { label: "Recorded", class: "nowrap", cell: (one) => (one.recorded_at ? stamp(one.recorded_at, { seconds: true }) : "–") },
  { label: "Hash", class: "extra", cell: (one) => copied(one.hash, `Copy the hash of ${partitionName(one.partition)}`) },
], heads);

/** Whose numbers a person's events have; `null` where there is one log, or nobody of that id. */
async function partitionOf(user, door, signal) {
  const state = await door.get(`${person(user)}/state`, { signal }).catch((error) => {
    if (error.status === 404 || error.status === 400) return null;
    throw error;
  });
  return state?.partition ?? null;
}

const ask = (door, parameters, signal) =>
  door.lines(`/v1/events?${parameters}`, { signal, headers: { Accept: "application/x-ndjson" } });

/** A page of one log: all of it, a partition's, or what is about one person. */
async function pageOfOne({ door, signal }, filters) {
  const parameters = new URLSearchParams({ backlog: page });
  for (const name of ["type", "user"]) if (filters[name]) parameters.set(name, filters[name]);
  if (filters.partition !== "" && !isId(filters.user)) parameters.set("partition", filters.partition);
  if (/^\d+$/.test(filters.before) && Number(filters.before) > 1) parameters.set("to", Number(filters.before) - 1);
  const events = await ask(door, parameters, signal);
  const oldest = events[0]?.seq;
  const partition = filters.partition === "" ? null : Number(filters.partition);
  return { events: events.reverse().map((event) => ({ ...event, partition })), older: events.length === page && oldest > 1 ? oldest : null };
}

/** A page of all partitions: each gives its newest, and what is shown are the newest of all. */
async function pageOfAll({ door, signal }, filters, heads) {
  const logs = heads.filter((one) => one.partition >= 0);
  const share = Math.max(1, Math.min(page, Math.floor(1000 / logs.length)));
  const parameters = new URLSearchParams({ backlog: share * logs.length });
  if (filters.type) parameters.set("type", filters.type);
  const cursor = filters.before.split(".");
  const isCursor = cursor.length === logs.length && cursor.every((one) => /^\d+$/.test(one));
  if (isCursor) parameters.set("before", filters.before);
  const found = await ask(door, parameters, signal);
  return newestOfAll(found, isCursor ? cursor.map(Number) : logs.map((one) => one.seq + 1), share, page);
}

/**
 * The newest of what each partition gave, and in front of which event of each the next page begins.
 *
 * A partition that gave all that it was asked for may have more behind its oldest, so nothing older than that is shown yet.
 */
export function newestOfAll(found, before, share, most) {
  const counts = before.map((_, partition) => found.filter((event) => event.partition === partition));
  const bound = counts.filter((own) => own.length >= share).map((own) => own[0].at).sort().at(-1) ?? "";
  const events = found.filter((event) => event.at >= bound)
    .sort((a, b) => (a.at === b.at ? a.partition - b.partition || b.seq - a.seq : a.at < b.at ? 1 : -1)).slice(0, most);
  const next = before.map((number, partition) => events.filter((event) => event.partition === partition).at(-1)?.seq ?? number);
  const hasOlder = events.length < found.length || counts.some((own) => own.length >= share && own[0].seq > 1);
  return { events, older: hasOlder ? next.join(".") : null };
}

export function eventTable(caption, events) {
  return table(caption, [
    { label: "Event", class: "nowrap", cell: (event) => eventLink(event.seq, event.partition) },
    { label: "Time", class: "nowrap", cell: (event) => stamp(event.at, { seconds: true }) },
    { label: "Person", cell: (event) => personLink(event.user, event.partition) },
    { label: "What", cell: (event) => h("span", { class: "row told" }, chip(stateOfEvent(event), toneOf(event)), h("span", null, spelt(tells(event)))) },
    { label: "Type", class: "extra", cell: (event) => id(event.type) },
  ], events, { stacks: "lines" });
}

/** An event's number that a log in partitions has several times. */
function whichPartition(seq, heads) {
  return [
    h("div", { class: "head" }, h("h1", null, `Event #${seq}`)),
    h("p", null, "Each partition has numbers of its own. Which one’s is it?"),
    h("ul", { class: "changes" }, heads.filter((one) => one.seq >= Number(seq)).map((one) =>
      h("li", null, h("a", { href: eventAddress(seq, one.partition) }, `#${seq} in ${partitionName(one.partition)}`)))),
  ];
}

/** One event: what it is, what caused it, what it caused, and where in the chain it stands. */
export async function eventView(place) {
  const seq = place.steps[1];
  place.title(`Event ${seq}`);
  const { door, signal, query } = place;
  const named = query.get("partition");
  if (named === null) {
    const { partitions } = await door.get("/v1/log/head", { signal });
    if (partitions) return whichPartition(seq, partitions);
  }
  const partition = named === null ? null : Number(named);
  const [found] = await Promise.all([door.get(eventPath(seq, named), { signal }), place.names]);
  const { event, commit } = found;
  const inIt = (one) => ({ ...one, partition });
  const [cause, consequences] = [found.cause, found.consequences.map(inIt)];
  const data = h("div");
  const shown = JSON.stringify(event, null, 2);
  const show = h("button", { type: "button", onclick: () => {
    const text = h("pre", { tabindex: "0", "aria-label": "The event’s data" }, speltLines(shown));
    replace(data, copyButton(shown, "Copy the event"), text);
    text.focus({ preventScroll: true });
  } }, "Show the data");
  replace(data, h("p", { class: "soft" }, "What the event holds may be personal. "), show);
  const subject = event.data?.notice ?? event.data?.job;
  return [
    h("div", { class: "head" }, h("div", { class: "head-text" },
      h("h1", null, `Event #${event.seq}`),
      h("p", { class: "row" }, chip(stateOfEvent(event), toneOf(event)), h("span", null, spelt(tells(event))), id(event.type)),
      h("p", { class: "facts" }, h("span", null, stamp(event.at, { seconds: true, full: true, named: true })),
        partition !== null && h("span", null, capital(partitionName(partition))),
        event.user && h("span", null, personLink(event.user, partition)),
        subject && isId(event.user ?? "") && h("a", { href: noticeAddress(event.user, subject) }, "The notice’s story"))),
      h("div", { class: "row" }, Number(seq) > 1 && h("a", { class: "button", href: eventAddress(Number(seq) - 1, partition) }, "← Before"), h("a", { class: "button", href: eventAddress(Number(seq) + 1, partition) }, "After →"))),
    h("section", { class: "sheet stack tight", "aria-labelledby": "data" }, h("h2", { id: "data" }, "Data"), data),
    h("section", { class: "sheet flush stack tight", "aria-labelledby": "cause" }, h("h2", { id: "cause", class: "inset" }, "Cause"),
      cause ? eventTable("The cause", [inIt(cause)]) : h("p", { class: "inset soft" }, uncaused(event))),
    h("section", { class: "sheet flush stack tight", "aria-labelledby": "consequences" }, h("h2", { id: "consequences", class: "inset" }, "Consequences"),
      consequences.length > 0 ? eventTable("Its consequences", consequences) : h("p", { class: "inset soft" }, "Nothing was decided because of it.")),
    h("section", { class: "sheet", "aria-labelledby": "chain" }, h("h2", { id: "chain" }, "In the chain"),
      h("dl", { class: "pairs" },
        h("dt", null, "Commit"), h("dd", null, `${commit.position}${commit.first === commit.last ? `, event #${commit.first}` : `, events #${commit.first} to #${commit.last}`}`),
        h("dt", null, "Written"), h("dd", null, stamp(commit.at, { seconds: true, full: true, named: true })),
        h("dt", null, "Head"), h("dd", null, found.head ? copied(found.head, "Copy the hash") : "–"))),
  ];
}

const decisions = new Set(["notice_held", "notice_gathered", "notice_dropped", "slots_skipped", "job_emitted", "analysis_requested", "analysis_concluded"]);

/** What stands in the place of a fact that an event follows from. */
function uncaused({ type, data }) {
  if (!decisions.has(type) && !data?.derived) return "It is the cause itself.";
  const slot = data?.slot ?? data?.first ?? /\d{4}-\d\d-\d\dT\d\d:\d\dZ?$/.exec(data?.notice ?? "")?.[0];
  if (!slot) return "It is a decision, and its cause is a moment that had come.";
  // What a slot raised may have been held since.
  return `It is a decision, and its cause is a moment: that of its slot, ${slot.replace("T", " ").replace("Z", " UTC")}${type === "slots_skipped" ? "" : ", or the end of its hold"}.`;
}

// JSON keeps its own line ends; everything else that cannot be seen is spelt out.
const speltLines = (text) => text.split("\n").map(spelt).join("\n");
