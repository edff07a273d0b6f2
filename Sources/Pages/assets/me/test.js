import { h, replace } from "../common/dom.js";
import { asked, notice } from "../common/controls.js";
import { person } from "../common/door.js";
import { said } from "../common/text.js";
import { because, channelsReached, waysTold } from "../common/words.js";
import { failuresTold } from "./reasons.js";

// A test is told of until its end is known: that it was handed out says nothing yet of whether it came.
const asksEvery = 2000;
const asksFor = 120_000;

/** Sends a sample of one kind to the person’s own devices. */
export function sendTest(page, kind) {
  return page.queue(async () => {
    const answer = await page.door.post(`${person(page.user)}/test`, { kind: kind.name });
    // What comes of it is heard beside all that is changed meanwhile, and leaves them what they can take back.
    followed(page, answer, ({ text, tone }) => page.tell(text, { isTrouble: tone === "bad", undo: page.undo }));
  });
}

/** Tells how a test goes, each time something is known. */
async function followed(page, answer, tell) {
  page.history.load();
  tell(told(answer));
  const job = answer.decisions.find((one) => one.type === "job_emitted")?.data.job;
  if (!job) return;
  for (let waited = 0; waited < asksFor && !page.isClosed; waited += asksEvery) {
    await new Promise((done) => { setTimeout(done, asksEvery); });
    const rows = await page.door.lines(`${person(page.user)}/history?days=1`).catch(() => []);
    const row = rows.find((one) => one.notice === job);
    const end = row && endOf(row);
    if (!end) continue;
    if (!page.isClosed) tell(end);
    page.history.load();
    return;
  }
}

/** What became of a test; `null` while that is not known. */
export function endOf(row) {
  switch (row.status) {
    case "delivered": return { text: `The test was delivered ${waysTold(channelsReached(row))}.`, tone: "good" };
    case "sent": return { text: `The test was sent ${waysTold(channelsReached(row))}. Check your device.`, tone: "good" };
    case "failed": return { text: `The test failed: ${failuresTold(row)}.`, tone: "bad" };
    default: return null;
  }
}

function told(answer) {
  const dropped = answer.decisions.find((one) => one.type === "notice_dropped");
  return dropped ? { text: `Nothing could be sent: ${because(dropped.data.reason)}.`, tone: "wait" }
    : { text: "The test was handed out. What comes of it is told here.", tone: "good" };
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
      const holder = h("div", { class: "stack tight" });
      followed(page, answer, ({ text, tone }) => replace(holder, notice(text, tone),
        tone === "good" && h("p", { class: "soft" }, "Didn’t receive it? See whether your device allows notifications of this app.")));
      return holder;
    },
  });
}
