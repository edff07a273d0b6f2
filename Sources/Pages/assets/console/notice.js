import { focusHere, h } from "../common/dom.js";
import { copied, notice as sentenceBox } from "../common/controls.js";
import { person, sentence } from "../common/door.js";
import { said } from "../common/text.js";
import { stamp, timesIn, when } from "../common/time.js";
import { because, capital, channelList, inWords, state as stateWord, stateNameOf } from "../common/words.js";
import { eventLink, eventPath } from "./links.js";
import { ruleTable } from "./rules.js";

/** A notice by itself, at its own address: `/people/U/notice?notice=…`. */
export async function noticePanel(place) {
  const wanted = place.query.get("notice") ?? "";
  return h("section", { class: "sheet stack", "aria-labelledby": "notice" },
    h("h2", { id: "notice" }, "The notice"), await timelineOf(place, place.user, wanted));
}

/** Everything that was recorded of a notice, in order, each decision with every rule's word on demand. */
export async function timelineOf({ door, signal, state }, user, wanted) {
  let answer;
  let [zone, partition] = [null, null];
  try {
    answer = await door.get(`${person(user)}/explain?notice=${encodeURIComponent(wanted)}`, { signal });
    ({ timezone: zone = null, partition = null } = await state);
  } catch (error) {
    if (error.status !== 404 && error.status !== 400) throw error;
    // What to type at a terminal helps nobody here.
    return sentenceBox(sentence(error.message.replace(/; `belfry .*$/, "")), "wait");
  }
  return h("div", { class: "stack", "data-through": answer.events.at(-1)?.seq },
    h("p", null, copied(answer.notice, "Copy the notice’s id")),
    h("ol", { class: "timeline" }, answer.events.map((event) => step(event, { door, zone, partition }))));
}

function step(event, { door, zone, partition }) {
  const name = event.type === "delivery_reported" ? reported(event.says) : stateNameOf(event) ?? "raised";
  const word = stateWord(name);
  return h("li", { class: word.tone },
    h("h3", null, word.label, h("span", { class: "soft" }, stamp(event.at, { zone, seconds: true }), " · ",
      eventLink(event.seq, partition))),
    h("p", null, said(told(event, zone), "span")),
    event.type === "job_emitted" && textOf(event, { door, partition }),
    event.explanation && h("details", null, h("summary", null, "Every rule"),
      h("p", { class: "soft" }, `Times are the person’s, in ${zone}.`), ruleTable(event.explanation, zone)));
}

// The worker says which of the provider's words it was.
const reported = (says) => String(says).split(" ", 1)[0];

function told(event, zone) {
  const outcome = event.explanation?.outcome;
  if (event.type === "notice_held" && outcome?.hold) {
    return `${capital(because(outcome.reason))}: it waits until ${when(outcome.hold, { zone, full: true })}.`;
  }
  if (event.type === "notice_gathered" && outcome?.gather) return `${capital(because(outcome.reason))}: it waits for the next digest.`;
  if (event.type === "notice_dropped" && outcome?.drop) return `It will not come: ${because(outcome.reason)}.`;
  return sentence(timesIn(inWords(event.says), { zone }));
}

/** What was shown to the person stays folded until it is asked for: it is theirs. */
function textOf(event, { door, partition }) {
  const holder = h("div");
  const button = h("button", { type: "button", class: "link", onclick: async () => {
    try {
      const { event: whole } = await door.get(eventPath(event.seq, partition));
      const text = h("blockquote", { class: "shown" },
        h("p", { class: "setting-name" }, said(whole.data.title ?? "")), h("p", null, said(whole.data.body ?? "")),
        h("p", { class: "soft" }, `On ${channelList(whole.data.channels ?? [])}`, whole.data.priority ? ` · ${whole.data.priority}` : ""));
      holder.replaceChildren(text);
      focusHere(text);
    } catch (error) {
      holder.querySelector(".notice")?.remove();
      holder.append(sentenceBox(error.message));
    }
  } }, "Show the text");
  holder.append(button);
  return holder;
}

