import { announce, h, unique } from "../common/dom.js";
import { chip, field, notice, select } from "../common/controls.js";
import { person, sentence } from "../common/door.js";
import { said, spelt } from "../common/text.js";
import { clock, instant, localDate, stamp, timesIn, when } from "../common/time.js";
import { because, capital, inWords, kindName, nameKinds, ruleName } from "../common/words.js";
import { eventLink } from "./links.js";
import { outcomeSentence, ruleTable } from "./rules.js";

const priorities = ["", "low", "medium", "high", "critical"].map((value) => ({ value, label: value ? capital(value) : "The kind’s own" }));

/** “Why?” and “why not?”: any kind at any moment, in a sentence, with every rule on demand. */
export async function whyTab(place) {
  const { door, user, query, signal, base, router } = place;
  const asked = Object.fromEntries(["kind", "at", "subject", "priority"].map((name) => [name, query.get(name) ?? ""]));
  // A slot is foretold from the last moment at which it is the next one.
  const slot = asked.kind ? query.get("slot") : null;
  asked.at ||= slot ?? "";
  const from = slot && isInstant(slot) ? new Date(Date.parse(slot) - 1).toISOString() : asked.at;
  const parameters = new URLSearchParams();
  if (asked.kind) {
    for (const name of ["kind", "subject", "priority"]) if (asked[name]) parameters.set(name, asked[name]);
  }
  if (from) parameters.set("at", from);
  const explained = (parameters) => door.get(`${person(user)}/explain?${parameters}`, { signal }).catch((error) => {
    if (error.status === 400 || error.status === 404) return error;
    throw error;
  });
  const [policy, state, found, then] = await Promise.all([
    door.get("/v1/policy", { signal }),
    place.state,
    explained(parameters),
    from && asked.kind ? explained(new URLSearchParams({ at: from })) : null,
  ]);
  const zone = state.timezone;
  nameKinds(policy.kinds);
  // Another policy may have been in force then, with kinds of its own.
  const kinds = asked.at ? ((then ?? found).kinds ?? []).map(({ kind }) => kind) : policy.kinds.map(({ name }) => name);
  const labels = new Map(kinds.map((name) => [name, kindName(name)]));
  const card = (one) => {
    const options = { label: kindName(one.kind), zone, base, partition: state.partition, isOnly: found.kinds.length === 1, isPast: Boolean(asked.at) };
    return slot ? slotCard(one, slot, options) : kindCard(one, options);
  };
  return h("div", { class: "stack" },
    form(asked, { labels, zone, base, router, problem: found instanceof Error ? found : null }),
    h("p", { class: "soft" }, `All times on this page are the person’s, in ${zone}.`),
    found instanceof Error ? refusalOf(found) === null && notice(found.message, "wait") : h("section", { class: "sheet", "aria-label": "The answer" },
      found.kinds.map(card)));
}

/** The field that the worker would not take, and what it wants there; `null` where it is no field of the form. */
function refusalOf(error) {
  if (error?.status !== 400) return null;
  const [, name] = /^"?(at|kind|subject|priority)\b/i.exec(error.message) ?? [];
  const field = name?.toLowerCase() ?? (/ is not a kind of the policy /.test(error.message) ? "kind" : null);
  return field && { field, told: wanted[field] };
}

const wanted = {
  at: "This is no moment. Write a date and a time, such as 2026-03-02T14:00:00Z, or the number of an event.",
  kind: "The policy in force then has no such kind. Choose one of the list.",
  subject: "This names nothing. Write it as the app does, such as goal:g1: letters without accents, digits and . _ : @ -",
  priority: "There is no such priority. Choose one of the list.",
};

// An instant as the worker takes it.
const isInstant = (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.test(text) && !Number.isNaN(Date.parse(text));

/** The moment that is asked about. What is no instant, such as an event’s number, stays as it was typed. */
function momentInput(at, zone) {
  if (at && !isInstant(at)) return h("input", { type: "text", name: "at", value: at, spellcheck: "false", autocomplete: "off" });
  return h("input", { type: "datetime-local", name: "at", value: at ? `${localDate(at, zone)}T${clock(at, zone)}` : "" });
}

const momentOf = (input, zone) => (input.type === "datetime-local" ? input.value && instant(input.value, zone) : input.value.trim());

/** A choice that keeps what the address asks for, also where it is none of them. */
function choice(options, value, name, onchange = null) {
  const isKnown = options.some((one) => one.value === value);
  return select(isKnown ? options : [...options, { value, label: value }], value, onchange, { name });
}

function marked(whole, { field: name, told }) {
  const control = whole.querySelector(`[name="${name}"]`);
  const note = h("p", { class: "help refusal", id: unique("refusal") }, told);
  control.setAttribute("aria-invalid", "true");
  control.setAttribute("aria-describedby", [control.getAttribute("aria-describedby"), note.id].filter(Boolean).join(" "));
  control.closest(".field").append(note);
  return whole;
}

function form(asked, { labels, zone, base, router, problem }) {
  const kind = choice([{ value: "", label: "Every kind" }, ...[...labels].map(([value, label]) => ({ value, label }))], asked.kind, "kind", () => ofOneKind());
  const moment = momentInput(asked.at, zone);
  const subject = h("input", { name: "subject", value: asked.subject, placeholder: "goal:g1", spellcheck: "false", autocomplete: "off" });
  const priority = choice(priorities, asked.priority, "priority");
  // Of every kind at once neither can be asked.
  const ofOneKind = () => { subject.disabled = priority.disabled = kind.value === ""; };
  ofOneKind();
  const refusal = refusalOf(problem);
  const whole = h("form", { class: "sheet filters helped", onsubmit: (event) => {
    event.preventDefault();
    const parameters = new URLSearchParams();
    if (kind.value) parameters.set("kind", kind.value);
    const at = momentOf(moment, zone);
    if (at) parameters.set("at", at);
    if (kind.value && subject.value.trim()) parameters.set("subject", subject.value.trim());
    if (kind.value && priority.value) parameters.set("priority", priority.value);
    router.go(`${base}/why${String(parameters) ? `?${parameters}` : ""}`).then(() => router.tell());
  } },
    h("div", { class: "field grow" }, ...field("Would a notice of this kind come?", kind).childNodes),
    field("At", moment, { help: refusal?.field === "at" ? null : moment.type === "text" ? "An instant, or the number of an event." : `By the clock in ${zone}.` }),
    field("About", subject),
    field("Priority", priority),
    h("div", { class: "row" }, h("button", { type: "submit", class: "primary" }, "Ask"),
      asked.at && h("a", { class: "button", href: asked.kind ? `${base}/why?kind=${encodeURIComponent(asked.kind)}` : `${base}/why` }, "Now instead")));
  if (!refusal) return whole;
  announce(refusal.told);
  return marked(whole, refusal);
}

/** The slot itself: another notice of its kind, raised at its moment, would be asked otherwise. */
function slotCard(one, slot, options) {
  const next = one.next_slot;
  const isThere = next !== null && Date.parse(next.at) === Date.parse(slot);
  const at = stamp(slot, { zone: options.zone, full: true, theirs: true });
  if (isThere) return kindCard({ ...one, now: next.prospect, next_slot: null }, { ...options, slot: at });
  if (one.unforeseen) {
    return h("article", { class: "kind-card" }, h("h2", null, options.label),
      notice(["Whether one comes at ", at, " cannot be said: ", one.unforeseen, "."], "wait"));
  }
  return h("article", { class: "kind-card" }, h("h2", null, options.label),
    notice(["Nothing of this kind is planned for ", at, next ? "; its next slot is " : "",
      next && stamp(next.at, { zone: options.zone, full: true, theirs: true }), "."], "wait"));
}

function kindCard(one, { label, zone, base, partition, isOnly, isPast, slot = null }) {
  const now = one.now;
  const outcome = outcomeOf(now);
  return h("article", { class: "kind-card" },
    h("div", { class: "row" }, h("h2", null, label), verdictChip(now), slot && h("span", { class: "soft" }, "By schedule, ", slot)),
    h("p", { class: "verdict", "data-told": "" }, verdict(now, zone)),
    decidedBy(now, zone),
    h("dl", { class: "pairs" },
      outcome && !outcome.send && h("dt", null, "Can come"), outcome && !outcome.send && h("dd", null, eligible(now, zone)),
      now.never && now.next_eligible && h("dt", null, "The next"), now.never && now.next_eligible && h("dd", null, stamp(now.next_eligible, { zone, full: true, theirs: true })),
      (one.next_slot || one.unforeseen) && h("dt", null, "Next slot"), one.unforeseen && h("dd", null, sentence(one.unforeseen)),
      one.next_slot && h("dd", null, stamp(one.next_slot.at, { zone, full: true, theirs: true }), ": ", slotWords(one.next_slot.prospect, zone)),
      h("dt", null, "Last"), h("dd", null, one.last
        ? [stamp(one.last.at, { zone, theirs: true }), ": ", said(timesIn(inWords(one.last.says), { zone, theirs: true })), " ", eventLink(one.last.seq, partition)]
        : "Nothing of this kind was ever decided.")),
    now.explanation && h("details", { open: isOnly }, h("summary", null, `Every rule${isPast ? " at that moment" : ""}`), ruleTable(now.explanation, zone)),
    !isOnly && h("p", null, h("a", { href: `${base}/why?kind=${encodeURIComponent(one.kind)}` }, `Only “${spelt(label)}”`)));
}

/**
 * What the rules came to. What is raised by nobody they are not asked about, and what they would let wait is dropped all the same
 * where as many wait as may (G11).
 */
function outcomeOf(now) {
  if (now.never) return null;
  const outcome = now.explanation?.outcome;
  return now.dropped_at && now.dropped_at === now.explanation?.at ? { drop: true, reason: now.reason } : outcome;
}

function verdict(now, zone) {
  if (now.joined_at) return sentence(slotWords(now, zone));
  const outcome = outcomeOf(now);
  if (outcome) return outcomeSentence(outcome, zone);
  if (now.never) return neverTold(now, zone);
  return sentence(now.unforeseen ?? because(now.reason));
}

/** Why none would be raised: the worker's sentence, with its instants as the reader has times. */
const neverTold = ({ never }, zone) => said(timesIn(sentence(never), { zone, theirs: true }));

function verdictChip(now) {
  const outcome = outcomeOf(now);
  if (!outcome) return now.unforeseen && !now.never ? chip("Not foretold") : chip("Would not come", "drop");
  if (outcome.hold) return chip("Would wait", "wait");
  if (outcome.gather) return chip("Would be gathered", "gather");
  if (outcome.drop) return chip("Would be dropped", "drop");
  return chip("Would go out", "good");
}

function decidedBy(now, zone) {
  const rule = now.never ? null : now.explanation?.rules.find((one) => one.asked && one.says);
  if (!rule || (outcomeOf(now).drop && !rule.says.drop)) return null;
  return h("p", { class: "soft" }, `Decided by “${ruleName(rule.rule, rule.name)}” (${rule.rule}): `, said(timesIn(rule.saw, { zone, theirs: true })));
}

function eligible(now, zone) {
  if (now.next_eligible && now.gathered_at) return h("span", {}, "in a digest, ", stamp(now.next_eligible, { zone, full: true, theirs: true }));
  if (now.next_eligible) return stamp(now.next_eligible, { zone, full: true, theirs: true });
  if (now.unforeseen) return sentence(now.unforeseen);
  if (now.gathered_at) return "in a digest";
  return now.never ? neverTold(now, zone) : "not as things are";
}

function slotWords(prospect, zone) {
  if (!prospect) return "";
  if (prospect.joined_at) return `it would be told with another of its kind ${when(prospect.joined_at, { zone, full: true, theirs: true })}`;
  if (prospect.gathered_at) return `it would be gathered, ${because(prospect.reason)}`;
  if (prospect.dropped_at) return `it would be dropped, ${because(prospect.reason)}`;
  if (prospect.never) return said(timesIn(prospect.never, { zone, theirs: true }));
  if (prospect.unforeseen) return prospect.unforeseen;
  return `it would come ${when(prospect.next_eligible, { zone, full: true, theirs: true })}`;
}
