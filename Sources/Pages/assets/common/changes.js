import { h, plural } from "./dom.js";
import { person, sentence } from "./door.js";
import { notice } from "./controls.js";
import { because, channelList, plain } from "./words.js";
import { said } from "./text.js";

/** A merge patch that puts one value at a path. */
export function patchAt(path, value) {
  return path.reduceRight((inner, name) => ({ [name]: inner }), value);
}

/** Two merge patches as one; the later wins. */
export function merged(first, second) {
  const whole = { ...first };
  for (const [name, value] of Object.entries(second)) {
    whole[name] = isObject(value) && isObject(whole[name]) ? merged(whole[name], value) : value;
  }
  return whole;
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** What a change would do, as the worker decides it in earnest; nothing is recorded. */
export function previewOf(door, user, order, signal) {
  return door.post(`${person(user)}/preview`, order, { signal });
}

/** A preview in sentences: what changes, what to mind, what becomes of what waits. */
export function previewTold(preview) {
  const waiting = preview.waiting ?? [];
  return h("div", { class: "stack tight" },
    preview.changes.length === 0
      ? h("p", null, "Nothing would change: it is like that already.")
      : h("ul", { class: "changes" }, preview.changes.map((change) => h("li", null, said(sentence(change.sentence), "span")))),
    preview.warnings.length > 0 && notice("Mind:", "wait", h("ul", null, preview.warnings.map((one) => h("li", null, said(sentence(one), "span"))))),
    waiting.length > 0 && h("div", null, h("p", null, `What waits now (${plural(waiting.length, "notice")}):`),
      h("ul", { class: "changes" }, waiting.map((one) => h("li", null, said(one.title ?? kindOf(one.notice)), " ", fate(one))))));
}

// `anna/reminder/#42` says it is a reminder.
const kindOf = (notice) => plain(String(notice).split("/")[1] ?? notice);

function fate(one) {
  switch (one.fate) {
    case "dropped": return `would not come: ${because(one.reason)}.`;
    case "dropped_from_digest": return `would be left out of its digest: ${because(one.reason)}.`;
    case "held": return `would wait: ${because(one.reason)}.`;
    case "gathered": return `would go into a digest: ${because(one.reason)}.`;
    case "released": return `would come at once, by ${channelList(one.channels ?? [])}.`;
    default: return `${plain(one.fate)}.`;
  }
}
