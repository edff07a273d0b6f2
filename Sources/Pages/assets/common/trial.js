import { h, replace } from "./dom.js";
import { notice } from "./controls.js";
import { person, sentence } from "./door.js";
import { said } from "./text.js";
import { capital, plain } from "./words.js";

/** A test run of the analyser on the latest conversation (A7): it records nothing and sends nothing. */
export function analysisTrial(door, user) {
  const outcome = h("div", { class: "stack tight" });
  const button = h("button", { type: "button", class: "small", onclick: async () => {
    button.disabled = true;
    replace(outcome, h("p", { class: "busy", role: "status" }, "Looking at the latest conversation…"));
    try {
      replace(outcome, told(await door.post(`${person(user)}/test-analysis`, {})));
    } catch (error) {
      replace(outcome, error.status === 401 ? null : notice(sentence(error.message), "wait"));
    } finally {
      button.disabled = false;
    }
  } }, "Test smart notification");
  return h("div", { class: "stack tight", "data-path": "test-analysis" }, h("div", null, button), outcome);
}

function told(answer) {
  return notice(answer.should_notify ? "You would be notified." : "You would not be notified.", answer.should_notify ? "good" : "plain",
    h("dl", { class: "pairs" },
      [["Conversation", answer.conversation], ["Priority", capital(plain(answer.priority))], ["Why", answer.reason], ["Text", answer.text]]
        .filter(([, value]) => value).map(([name, value]) => [h("dt", null, name), h("dd", null, said(value, "span"))])),
    h("p", { class: "soft" }, answer.note));
}
