import { h } from "../common/dom.js";
import { chip, field, notice, select } from "../common/controls.js";
import { person, sentence } from "../common/door.js";
import { said, spelt } from "../common/text.js";
import { clock, instant, localDate, stamp, timesIn, when } from "../common/time.js";
import { because, capital, kindName, nameKinds, ruleName } from "../common/words.js";
import { eventLink } from "./links.js";
import { outcomeSentence, ruleTable } from "./rules.js";

const priorities = ["", "low", "medium", "high", "critical"].map((value) => ({ value, label: value ? capital(value) : "The kind’s own" }));

/** “Why?” and “why not?”: any kind at any moment, in a sentence, with every rule on demand. */
export async function whyTab(place) {
  const { door, user, query, signal, base, router } = place;
  const asked = Object.fromEntries(["kind", "at", "subject", "priority"].map((name) => [name, query.get(name) ?? ""]));
  const parameters = new URLSearchParams();
  if (asked.kind) {
    for (const name of ["kind", "subject", "priority"]) if (asked[name]) parameters.set(name, asked[name]);
  }
  if (asked.at) parameters.set("at", asked.at);
  const [policy, state, found] = await Promise.all([
    door.get("/v1/policy", { signal }),
    place.state,
    door.get(`${person(user)}/explain?${parameters}`, { signal }).catch((error) => {
      if (error.status === 400 || error.status === 404) return error;
      throw error;
    }),
  ]);
  const zone = state.timezone;
  nameKinds(policy.kinds);
  const labels = new Map(policy.kinds.map(({ name }) => [name, kindName(name)]));
  return h("div", { class: "stack" },
    form(asked, { labels, zone, base, router }),
    h("p", { class: "soft" }, `All times on this page are the person’s, in ${zone}.`),
    found instanceof Error ? notice(found.message, "wait") : h("section", { class: "sheet", "aria-label": "The answer" },
      found.kinds.map((one) => kindCard(one, { label: kindName(one.kind), zone, base, partition: state.partition, isOnly: found.kinds.length === 1, isPast: Boolean(asked.at) }))));
}

function form(asked, { labels, zone, base, router }) {
  const at = asked.at && !/^\d+$/.test(asked.at) ? `${localDate(asked.at, zone)}T${clock(asked.at, zone)}` : "";
  const kind = select([{ value: "", label: "Every kind" }, ...[...labels].map(([value, label]) => ({ value, label }))], asked.kind, null, { name: "kind" });
  const moment = h("input", { type: "datetime-local", name: "at", value: at });
  const subject = h("input", { name: "subject", value: asked.subject, placeholder: "goal:g1", spellcheck: "false", autocomplete: "off" });
  const priority = select(priorities, asked.priority, null, { name: "priority" });
  return h("form", { class: "sheet filters", onsubmit: (event) => {
    event.preventDefault();
    const parameters = new URLSearchParams();
    if (kind.value) parameters.set("kind", kind.value);
    if (moment.value) parameters.set("at", instant(moment.value, zone));
    if (kind.value && subject.value.trim()) parameters.set("subject", subject.value.trim());
    if (kind.value && priority.value) parameters.set("priority", priority.value);
    router.go(`${base}/why${String(parameters) ? `?${parameters}` : ""}`);
  } },
    field("Would a notice of this kind come?", kind),
    field(`At (${zone})`, moment),
    field("About", subject),
    field("Priority", priority),
    h("button", { type: "submit", class: "primary" }, "Ask"),
    asked.at && h("a", { class: "button", href: asked.kind ? `${base}/why?kind=${encodeURIComponent(asked.kind)}` : `${base}/why` }, "Now instead"));
}

function kindCard(one, { label, zone, base, partition, isOnly, isPast }) {
  const now = one.now;
  const outcome = now.explanation?.outcome;
  return h("article", { class: "kind-card" },
    h("div", { class: "row" }, h("h2", null, label), verdictChip(now)),
    h("p", { class: "verdict" }, outcome ? outcomeSentence(outcome, zone) : sentence(because(now.never ?? now.reason))),
    decidedBy(now, zone),
    h("dl", { class: "pairs" },
      outcome && !outcome.send && h("dt", null, "Can come"), outcome && !outcome.send && h("dd", null, eligible(now, zone)),
      one.next_slot && h("dt", null, "Next slot"), one.next_slot && h("dd", null, stamp(one.next_slot.at, { zone, full: true, theirs: true }), ": ", slotWords(one.next_slot.prospect, zone)),
      h("dt", null, "Last"), h("dd", null, one.last
        ? [stamp(one.last.at, { zone, theirs: true }), ": ", said(timesIn(inWords(one.last.says), { zone, theirs: true })), " ", eventLink(one.last.seq, partition)]
        : "Nothing of this kind was ever decided.")),
    now.explanation && h("details", { open: isOnly }, h("summary", null, `Every rule${isPast ? " at that moment" : ""}`), ruleTable(now.explanation, zone)),
    !isOnly && h("p", null, h("a", { href: `${base}/why?kind=${encodeURIComponent(one.kind)}` }, `Only “${spelt(label)}”`)));
}

function verdictChip(now) {
  const outcome = now.explanation?.outcome;
  if (!outcome) return chip("Never", "drop");
  if (outcome.hold) return chip("Would wait", "wait");
  if (outcome.gather) return chip("Would be gathered", "gather");
  if (outcome.drop) return chip("Would be dropped", "drop");
  return chip("Would go out", "good");
}

function decidedBy(now, zone) {
  const rule = now.explanation?.rules.find((one) => one.asked && one.says);
  if (!rule) return null;
  return h("p", { class: "soft" }, `Decided by “${ruleName(rule.rule, rule.name)}” (${rule.rule}): `, said(timesIn(rule.saw, { zone, theirs: true })));
}

function eligible(now, zone) {
  if (now.next_eligible && now.gathered_at) return h("span", {}, "in a digest, ", stamp(now.next_eligible, { zone, full: true, theirs: true }));
  if (now.next_eligible) return stamp(now.next_eligible, { zone, full: true, theirs: true });
  if (now.gathered_at) return "in a digest";
  return now.never ? sentence(because(now.never)) : "not as things are";
}

// The worker ends what it says of a decision with the reason’s name.
const inWords = (says) => says.replace(/: ([a-z_]+)$/, (_, reason) => `: ${because(reason)}`);

function slotWords(prospect, zone) {
  if (!prospect) return "";
  if (prospect.gathered_at) return `it would be gathered, ${because(prospect.reason)}`;
  if (prospect.dropped_at) return `it would be dropped, ${because(prospect.reason)}`;
  if (prospect.never) return because(prospect.never);
  return `it would come ${when(prospect.next_eligible, { zone, full: true, theirs: true })}`;
}
