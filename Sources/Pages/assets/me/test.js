import { h } from "../common/dom.js";
import { asked, notice } from "../common/controls.js";
import { person } from "../common/door.js";
import { said } from "../common/text.js";
import { because } from "../common/words.js";

/** Sends a sample of one kind to the person’s own devices. */
export function sendTest(page, kind) {
  return page.queue(async () => {
    const answer = await page.door.post(`${person(page.user)}/test`, { kind: kind.name });
    page.tell(told(answer).text);
    page.history.load();
  });
}

function told(answer) {
  const dropped = answer.decisions.find((one) => one.type === "notice_dropped");
  return dropped ? { text: `Nothing could be sent: ${because(dropped.data.reason)}.`, tone: "wait" }
    : { text: "Test notification sent! Check your device.", tone: "good" };
}

/** Asks which kind to test. */
export function testDialog(page) {
  const kinds = page.settings.sections.flatMap((section) => section.kinds ?? []).filter((kind) => kind.can_test);
  asked({
    title: "Test notification", action: "Send the test",
    fields: h("fieldset", { class: "radio-list" }, h("legend", { class: "setting-name" }, "Which kind?"), kinds.map((kind, index) =>
      h("label", { class: "pick" }, h("input", { type: "radio", name: "kind", value: kind.name, checked: index === 0 }), said(kind.label)))),
    submit: (form) => page.door.post(`${person(page.user)}/test`, { kind: form.get("kind") }),
    done: (answer) => {
      page.history.load();
      const { text, tone } = told(answer);
      return [notice(text, tone), tone === "good" && h("p", { class: "soft" }, "Didn’t receive it? See whether your device allows notifications of this app.")].filter(Boolean);
    },
  });
}
