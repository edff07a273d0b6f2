import { h } from "../common/dom.js";
import { table } from "../common/controls.js";
import { said } from "../common/text.js";
import { timesIn, when } from "../common/time.js";
import { because, capital, ruleName, waysTold } from "../common/words.js";

/** What the rules came to, in one sentence. Rules are about the person's hours, so their times are by the person's clock. */
export function outcomeSentence(outcome, zone) {
  if (!outcome) return "Nothing was decided.";
  if (outcome.hold) return `It would wait until ${when(outcome.hold, { zone, full: true, theirs: true })}: ${because(outcome.reason)}.`;
  if (outcome.gather) return `It would go into the next ${outcome.digest ?? ""} digest: ${because(outcome.reason)}.`.replace("  ", " ");
  if (outcome.drop) return `It would not come: ${because(outcome.reason ?? outcome.drop)}.`;
  const channels = outcome.send === true ? outcome.channels : outcome.send ?? outcome.channels ?? [];
  return `It would go out at once, ${waysTold([channels].flat())}.`;
}

function objection(rule, zone) {
  if (!rule.asked) return "not asked";
  const says = rule.says;
  if (!says) return "no objection";
  if (says.hold) return `wait until ${when(says.hold, { zone, full: true, theirs: true })}`;
  if (says.gather) return "gather for a digest";
  if (says.drop) return "drop";
  return capital(because(says.reason));
}

/** Every rule in its order: what it saw, and what it said. */
export function ruleTable(explanation, zone) {
  const decided = explanation.rules.find((rule) => rule.asked && rule.says);
  return h("div", { class: "rules" },
    explanation.exempt && h("p", { class: "soft" }, said(typeof explanation.exempt === "string" ? explanation.exempt : JSON.stringify(explanation.exempt))),
    table("Every rule, in order", [
      { label: "Rule", cell: (rule) => [h("span", { class: "soft" }, `${rule.rule} `), ruleName(rule.rule, rule.name)] },
      { label: "It saw", cell: (rule) => said(timesIn(rule.saw ?? "", { zone, theirs: true })) },
      { label: "It said", cell: (rule) => objection(rule, zone) },
    ], explanation.rules, { rowClass: (rule) => rule === decided ? "objects" : rule.asked ? null : "unasked" }));
}
