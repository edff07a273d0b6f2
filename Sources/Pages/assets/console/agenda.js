import { h, plural } from "../common/dom.js";
import { field, select, table } from "../common/controls.js";
import { isId, said } from "../common/text.js";
import { clock, dayName, mine, stamp, timeMode } from "../common/time.js";
import { kindName, nameKinds, subjectTold } from "../common/words.js";
import { noticeAddress, personAddress, personLink } from "./links.js";
import { barChart, legend } from "./chart.js";

const spans = [
  { value: "6", label: "6 hours", step: 15 },
  { value: "24", label: "24 hours", step: 60 },
  { value: "72", label: "3 days", step: 180 },
  { value: "168", label: "7 days", step: 360 },
];

/** Where the rules are asked about this very wake, or what follows from it where they are not. */
function decision({ user, kind, at, subject, cause, notice }) {
  const story = (text) => h("a", { href: noticeAddress(user, notice) }, text);
  switch (cause) {
    case "slot": {
      const about = subject ? `&subject=${encodeURIComponent(subject)}` : "";
      return h("a", { href: personAddress(user, `/why?kind=${encodeURIComponent(kind)}${about}&slot=${encodeURIComponent(at)}`) }, "Would it come?");
    }
    case "hold": return story("Why it waits");
    case "snooze": return story("What was snoozed");
    case "summary": return "What was too much at once comes as one";
    case "session": return "A session is taken for complete";
    case "analysis": return "A conversation is analysed";
    case "retention": return "They are erased";
    default: return "";
  }
}

/** What comes when, by kind, and whom. */
export async function agendaView(place) {
  place.title("Agenda");
  const { door, router, signal, query } = place;
  const span = spans.find((one) => one.value === query.get("hours")) ?? spans[1];
  const only = query.get("kind") ?? "";
  // What a kind cannot be called is none.
  const named = only && isId(only) ? `&kind=${encodeURIComponent(only)}` : "";
  const [agenda, policy] = await Promise.all([
    door.get(`/v1/agenda?hours=${span.value}&step_minutes=${span.step}${named}`, { signal }), door.get("/v1/policy", { signal })]);
  nameKinds(policy.kinds);
  const label = kindName;
  const all = [...new Set(agenda.buckets.flatMap((bucket) => Object.keys(bucket.kinds)))];
  const kinds = only ? all.filter((kind) => kind === only) : all;
  // What is chosen can be taken off again, also where there is none of it.
  const choices = only && kinds.length === 0 ? [...all, only] : all;
  const zone = timeMode() === "utc" ? "UTC" : mine;
  const total = agenda.buckets.reduce((sum, bucket) => sum + kinds.reduce((inner, kind) => inner + (bucket.kinds[kind] ?? 0), 0), 0);
  const columns = agenda.buckets.map((bucket) => ({
    // Over several days an hour alone could be of any of them.
    label: span.step >= 180 ? `${dayName(bucket.at, zone).split(" ").slice(0, 2).join(" ").replace(",", "")}, ${clock(bucket.at, zone)}` : clock(bucket.at, zone),
    title: `${dayName(bucket.at, zone)}, ${clock(bucket.at, zone)}`, values: kinds.map((kind) => bucket.kinds[kind] ?? 0) }));
  const change = (name, value) => router.narrow({ [name]: value });
  return [
    h("div", { class: "head" }, h("div", { class: "head-text" }, h("h1", null, "Agenda"),
      h("p", { class: "soft", "data-told": "" }, `${plural(total, "wake")} in the next ${span.label}. A wake is a moment at which somebody is looked at; the rules then decide. The chart is in ${zone}.`))),
    h("div", { class: "filters" },
      field("Ahead", select(spans, span.value, (value) => change("hours", value === "24" ? null : value))),
      field("Kind", select([{ value: "", label: "All" }, ...choices.map((value) => ({ value, label: label(value) }))], only, (value) => change("kind", value)))),
    h("section", { class: "sheet stack", "aria-labelledby": "ahead" },
      h("h2", { id: "ahead" }, "What comes"),
      barChart({ columns, series: kinds.map(label), label: `Wakes of the next ${span.label} by kind. The table below has the figures.` }),
      legend(kinds.map(label)),
      h("details", null, h("summary", null, "As a table"), table("What comes, by time and kind", [
        { label: "From", cell: (bucket) => stamp(bucket.at, { full: true }) },
        ...kinds.map((kind) => ({ label: label(kind), class: "number", cell: (bucket) => String(bucket.kinds[kind] ?? 0) })),
        { label: "People", class: "number", cell: (bucket) => String(bucket.people) },
      ], agenda.buckets.filter((bucket) => Object.keys(bucket.kinds).length > 0)))),
    h("section", { class: "sheet flush stack tight", "aria-labelledby": "whom" },
      h("h2", { id: "whom", class: "inset" }, "Whom"),
      table("The next wakes", [
        { label: "When", isHeader: false, cell: (one) => stamp(one.at, { zone: one.timezone, named: true, full: true }) },
        { label: "Person", cell: (one) => personLink(one.user) },
        { label: "What for", cell: (one) => [label(one.kind), one.subject && h("div", { class: "help" }, said(subjectTold(one.subject)))] },
        { label: "Decision", class: "extra", cell: decision },
      ], agenda.next.filter((one) => !only || one.kind === only), { empty: "Nothing is to come." })),
  ];
}
