import { h, plural, replace } from "../common/dom.js";
import { dateInput, field, notice, select, table } from "../common/controls.js";
import { said } from "../common/text.js";
import { lasting, now, shiftDate } from "../common/time.js";
import { because, capital, channelName, kindName, nameKinds, plain } from "../common/words.js";
import { barChart, legend, meters } from "./chart.js";

// Two tables, since one of all of them is wider than most screens.
const ofSending = ["raised", "emitted", "sent", "delivered", "failed", "opened", "dismissed", "snoozed"];
const ofDeciding = ["held", "gathered", "dropped"];
const bys = [{ value: "day", label: "Day" }, { value: "kind", label: "Kind" }, { value: "channel", label: "Channel" }];

/** Who is reached how often, by what; what was withheld and why; who uses what; how late. */
export async function numbersView(place) {
  place.title("Numbers");
  const { door, router, signal, query } = place;
  const today = new Date(now()).toISOString().slice(0, 10);
  const asked = {
    from: query.get("from") ?? shiftDate(today, -29), to: query.get("to") ?? today, by: query.get("by") ?? "day", kind: query.get("kind") ?? "",
  };
  const parameters = new URLSearchParams({ from: asked.from, to: asked.to, by: asked.by, ...(asked.kind ? { kind: asked.kind } : {}) });
  // What is refused is told beside the filters, which are where it is mended.
  const refused = (error) => {
    if (error.status === 400) return error;
    throw error;
  };
  const [stats, policy] = await Promise.all([door.get(`/v1/stats?${parameters}`, { signal }).catch(refused), door.get("/v1/policy", { signal })]);
  const isRefused = stats instanceof Error;
  if (!isRefused && asked.by === "day" && stats.rows.length > 0) {
    const isOlder = asked.from < stats.rows[0].day && (await door.get(`/v1/stats?by=kind&to=${shiftDate(asked.from, -1)}`, { signal })).rows.length > 0;
    stats.rows = everyDay(stats.rows, isOlder ? asked.from : stats.rows[0].day, asked.to < today ? asked.to : today);
  }
  nameKinds(policy.kinds);
  const name = (row) => asked.by === "day" ? row.day : asked.by === "kind" ? kindName(row.kind) : capital(channelName(row.channel));
  const change = (key, value) => router.narrow({ [key]: value });
  const date = (key) => dateInput({ value: asked[key], max: today }, ({ value }) => { if (value) change(key, value); });
  const problem = h("div", { hidden: true });
  const csv = async () => {
    problem.hidden = true;
    try {
      const answer = await door.send("GET", `/v1/stats?${parameters}`, { signal, headers: { Accept: "text/csv" } });
      saveAs(await answer.text(), `belfry-${asked.from}-${asked.to}-by-${asked.by}.csv`);
    } catch (error) {
      if (signal.aborted) return;
      problem.hidden = false;
      replace(problem, notice(error.message));
    }
  };
  return [
    h("div", { class: "head" }, h("div", { class: "head-text" }, h("h1", null, "Numbers"),
      h("p", { class: "soft" }, "Counted from the log. A day is a day of UTC."),
      !isRefused && h("p", { class: "offscreen", "data-told": "" }, plural(stats.rows.length, asked.by)))),
    h("div", { class: "filters" },
      field("From", date("from")), field("To", date("to")),
      field("By", select(bys, asked.by, (value) => change("by", value === "day" ? null : value))),
      field("Kind", select([{ value: "", label: "All" }, ...policy.kinds.map((kind) => ({ value: kind.name, label: kind.label }))], asked.kind, (value) => change("kind", value))),
      h("button", { type: "button", disabled: isRefused, onclick: csv }, "CSV")),
    problem,
    ...(isRefused ? [notice(asked.from > asked.to ? "“From” is after “To”: there is no such stretch." : stats.message, "wait")] : [
      ends(stats.rows, name, asked),
      withheld(stats.rows, name, asked),
      lateness(stats.rows, name),
      stats.use && use(stats.use, policy.policy),
    ]),
  ];
}

/** A day of which nothing was recorded is there with nothing: an outage shows. */
function everyDay(rows, from, to) {
  const byDay = new Map(rows.map((row) => [row.day, row]));
  const found = [];
  for (let day = from; day <= to; day = shiftDate(day, 1)) found.push(byDay.get(day) ?? { day, sent: 0, delivered: 0, failed: 0 });
  return found;
}

const short = (label, by) => (by === "day" ? label.slice(5) : label.length > 14 ? `${label.slice(0, 13)}…` : label);

function ends(rows, name, { by }) {
  const series = ["Delivered", "Sent, not delivered so far", "Failed"];
  const tones = ["good", "send", "bad"];
  const columns = rows.map((row) => ({ label: short(name(row), by), title: name(row),
    // Most of what failed was never taken, so failures are not taken off from what was sent.
    values: [row.delivered, Math.max(0, row.sent - row.delivered), row.failed] }));
  const of = { label: capital(by), class: by === "day" ? "nowrap" : null, cell: (row) => said(name(row)) };
  return h("section", { class: "sheet stack", "aria-labelledby": "reached" },
    h("h2", { id: "reached" }, "What was sent"),
    barChart({ columns, series, tones, label: `What was sent, by ${by}. The table below has the figures.` }), legend(series, tones),
    h("p", { class: "help" }, "What a provider took and reported as failed afterwards counts as sent and as failed."),
    table("Counts", [of, ...ofSending.map(count)], rows, { empty: "Nothing was recorded in this stretch.", stacks: "labels" }),
    h("h3", null, "Waited, or was not to come, and how late"),
    table("Waiting and lateness", [of, ...ofDeciding.map(count),
      { label: "Late, half", class: "number", cell: (row) => ms(row.late_p50_ms) },
      { label: "Late, 99 of 100", class: "number", cell: (row) => ms(row.late_p99_ms) },
    ], rows, { empty: "Nothing was recorded in this stretch.", stacks: "labels" }));
}

const count = (measure) => ({ label: measure === "emitted" ? "Handed out" : capital(measure), class: "number", cell: (row) => (row[measure] ?? 0).toLocaleString("en") });

const ms = (value) => (value === null || value === undefined ? "–" : lasting(value));

function withheld(rows, name, { by }) {
  const totals = new Map();
  for (const row of rows) for (const [reason, count] of Object.entries(row.blocked ?? {})) totals.set(reason, (totals.get(reason) ?? 0) + count);
  const sorted = [...totals].sort((a, b) => b[1] - a[1]);
  const reasons = [...sorted.slice(0, 7).map(([reason]) => reason)];
  if (reasons.length === 0) return h("section", { class: "sheet" }, h("h2", null, "What was withheld"), h("p", { class: "soft" }, "Nothing in this stretch."));
  const rest = (row) => Object.entries(row.blocked ?? {}).filter(([reason]) => !reasons.includes(reason)).reduce((sum, [, count]) => sum + count, 0);
  const hasRest = sorted.length > reasons.length;
  const words = [...reasons.map((reason) => capital(because(reason))), ...(hasRest ? ["Other reasons"] : [])];
  return h("section", { class: "sheet stack", "aria-labelledby": "withheld" },
    h("h2", { id: "withheld" }, "What was withheld, and why"),
    barChart({ columns: rows.map((row) => ({ label: short(name(row), by), title: name(row),
      values: [...reasons.map((reason) => row.blocked?.[reason] ?? 0), ...(hasRest ? [rest(row)] : [])] })), series: words,
      label: `What was withheld, by ${by} and reason. The table below has the totals.` }), legend(words),
    table("Withheld by reason", [
      { label: "Reason", cell: ([reason]) => capital(because(reason)) },
      { label: "Notices", class: "number", cell: ([, count]) => count.toLocaleString("en") },
    ], sorted));
}

function lateness(rows, name) {
  const known = rows.filter((row) => row.late_p99_ms !== null && row.late_p99_ms !== undefined);
  if (known.length === 0) return null;
  const worst = known.reduce((best, row) => (row.late_p99_ms > best.late_p99_ms ? row : best));
  return h("p", { class: "soft" }, `At worst, 99 of 100 decisions came within ${lasting(worst.late_p99_ms)} of their moment (${name(worst)}).`);
}

function use({ people, quiet_hours: quiet, digest_mode: digest, frequency = {}, presets = {} }, policy) {
  // What the policy has no use for says nothing about anybody.
  const kinds = policy?.kinds ?? [];
  const hasCheckIns = kinds.some((kind) => kind.schedule?.on === "check_in");
  const hasDigests = kinds.some((kind) => kind.digestible) && kinds.some((kind) => kind.digest === "daily");
  return h("section", { class: "sheet stack", "aria-labelledby": "use" },
    h("h2", { id: "use" }, `What ${plural(people, "person uses", "people use")}`),
    h("div", { class: "halves" },
      h("div", null, h("h3", null, "Switches"), meters("Switches", [["Quiet hours", quiet], ...(hasDigests ? [["Digest mode", digest]] : [])], people)),
      hasCheckIns && h("div", null, h("h3", null, "How often check-ins come"), meters("Frequencies", Object.entries(frequency).map(([key, count]) => [capital(plain(key)), count]), people)),
      Object.keys(presets).length > 0 && h("div", null, h("h3", null, "Presets"), meters("Presets", Object.entries(presets).map(([key, count]) => [capital(plain(key)), count]), people))));
}

function saveAs(text, name) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
