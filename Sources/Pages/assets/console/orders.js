import { focusHere, h, plural } from "../common/dom.js";
import { refusedTold } from "../common/again.js";
import { asked, copied, field, notice, select } from "../common/controls.js";
import { person } from "../common/door.js";
import { id, said, spelt, step } from "../common/text.js";
import { stamp } from "../common/time.js";
import { because, channelName, kindName, tells } from "../common/words.js";
import { forgetDraftOf } from "./drafts.js";

/** What may be ordered for a person. A role that may not is offered nothing. */
export function personActions(place, user, state) {
  if (!place.session.may("operate")) return null;
  const again = () => place.router.show({ quietly: true });
  place = { ...place, state };
  return h("div", { class: "row" },
    h("button", { type: "button", onclick: () => test(place, user) }, "Test…"),
    h("button", { type: "button", onclick: () => runNow(place, user, again) }, "Run now…"),
    h("button", { type: "button", onclick: () => retryFailed(place, user, again) }, "Retry failed…"),
    h("button", { type: "button", onclick: () => link(place, user) }, "Settings link…"),
    h("a", { class: "button", href: `${person(user)}/export`, download: `${user}.json` }, "Export"),
    place.session.may("admin") && h("button", { type: "button", class: "danger", onclick: () => erase(place, user) }, "Erase…"));
}

// Those whose erasing was ordered here.
const erasing = new Set();
/** Whether an open dialog tells of somebody’s erasing. One that was closed before the answer tells nobody. */
export const isErasedHere = (user) => erasing.has(user) && document.querySelector("dialog[open]") !== null;

function erase(place, user) {
  const typed = h("input", { type: "text", name: "user", required: true, autocomplete: "off", spellcheck: "false" });
  asked({
    title: "Erase this person", action: "Erase for ever", fields: [
      h("p", null, "Who ", id(user), " was and what they were told can be read by nobody afterwards, and nothing brings it back. "
        + "That something happened, of which kind and when, stays in the log."),
      field("Type their id to go on", typed)],
    submit: async (form) => {
      if (form.get("user") !== user) throw new Error("That is not their id. Nothing was erased.");
      erasing.add(user);
      try {
        return await place.door.post(`${person(user)}/erase`, { user });
      } catch (error) {
        erasing.delete(user);
        throw error;
      }
    },
    done: (answer) => {
      forgetDraftOf(user);
      return erasedTold(answer);
    },
    // What stands there is of nobody any more.
    left: () => {
      erasing.delete(user);
      place.router.go("/people");
    },
  });
}

const erasedTold = (answer) => [
  notice(`Erased, as event ${answer.seq} of the log.`, "good"),
  h("p", null, "Removed:"), h("ul", { class: "changes" }, answer.removed.map((line) => h("li", null, said(line)))),
  h("p", null, "What lies elsewhere:"), h("ul", { class: "changes" }, answer.elsewhere.map((line) => h("li", null, said(line))))];

/** A choice of the policy's kinds, which come when the worker has told them, behind what is there at once. */
function kindField(place, options, attributes = {}) {
  const kind = select(options, "", null, { name: "kind", ...attributes });
  const problem = h("div");
  place.door.get("/v1/policy")
    .then(({ kinds }) => kind.append(...kinds.map(({ name, label }) => h("option", { value: name }, spelt(label)))))
    .catch((error) => problem.replaceChildren(notice(`The kinds cannot be listed just now. ${error.message}`, "wait")));
  return { kind, node: [field("Kind", kind), problem] };
}

function test(place, user) {
  const { node } = kindField(place, [], { required: true });
  const channel = select([{ value: "", label: "Those the person chose" }, ...["push", "email", "sms", "in_app"].map((value) => ({ value, label: channelName(value) }))], "", null, { name: "channel" });
  asked({
    title: "Send a test", action: "Send", fields: [
      h("p", null, "A sample goes to ", id(user), "’s own devices now. It counts for no limit and says that it is a test."),
      node, field("Channel", channel)],
    submit: (form) => place.door.post(`${person(user)}/test`, { kind: form.get("kind"), ...(form.get("channel") ? { channel: form.get("channel") } : {}) }),
    done: (answer) => decisionsTold(answer.decisions, "The test was handed out. Delivery shows in the history."),
  });
}

function decisionsTold(decisions, well) {
  const dropped = decisions.find((one) => one.type === "notice_dropped");
  if (dropped) return notice(`Nothing was sent: ${because(dropped.data.reason)}.`, "wait");
  return notice(well, "good");
}

function runNow(place, user, again) {
  const { kind, node } = kindField(place, [{ value: "", label: "Whatever is due" }]);
  const force = h("input", { type: "checkbox", name: "force", disabled: true });
  kind.addEventListener("change", () => { force.disabled = !kind.value; if (!kind.value) force.checked = false; });
  const dry = h("input", { type: "checkbox", name: "dry_run", checked: true });
  asked({
    title: "Run now", action: "Run", fields: [
      h("p", null, "Decides what is due for ", id(user), ", or raises the next slot of a kind, under the same rules."),
      node,
      h("label", { class: "pick" }, force, "Ask only the permanent rules (P1–P7): quiet hours and limits are passed"),
      h("label", { class: "pick" }, dry, "Only try: nothing is recorded, nothing is sent")],
    submit: (form) => place.door.post("/v1/run-now", { users: [user], ...(form.get("kind") ? { kind: form.get("kind") } : {}),
      ...(form.get("force") ? { force: true } : {}), ...(form.get("dry_run") ? { dry_run: true } : {}) }),
    done: (answer) => {
      if (!answer.dry_run) again();
      return ran(answer);
    },
  });
}

function ran(answer) {
  const unsent = answer.unsent ?? [];
  const isKeptBack = answer.job_count === 0 && unsent.length > 0;
  const told = answer.dry_run ? `It would hand out ${plural(answer.job_count, "job")}. Nothing was recorded.`
    : `${plural(answer.job_count, "job")} handed out; ${plural(answer.events, "event")} recorded.`;
  return [notice(told, isKeptBack ? "wait" : "good"), h("ul", { class: "changes" },
    answer.jobs.map((job) => h("li", null, tells(job), job.data.title ? [": ", said(job.data.title)] : null)),
    unsent.map((one) => h("li", null, tells(one))))];
}

function retryFailed(place, user, again) {
  asked({
    title: "Retry what failed", action: "Retry",
    fields: [h("p", null, "Whatever of ", id(user), "’s failed in the last 7 days is sent once more, under the same ids, where it is not too late.")],
    submit: async () => {
      const [answer, state] = await Promise.all([place.door.post("/v1/retry", { user }), place.state, place.names]);
      return { answer, zone: state.timezone };
    },
    done: ({ answer, zone }) => {
      again();
      return retried(answer, zone);
    },
  });
}

/** What came of sending once more what failed, each job by its kind. */
function retried(answer, zone) {
  const refused = answer.jobs.filter((job) => job.refused);
  const nothing = answer.refused === 0 ? "Nothing of theirs failed." : "Nothing was sent again.";
  return [notice(answer.retried === 0 ? nothing : `${plural(answer.retried, "notice is", "notices are")} being sent once more.`, answer.retried > 0 ? "good" : "wait"),
    refused.length > 0 && h("ul", { class: "changes" }, refused.map((job) =>
      h("li", null, kindName(job.job.split("/")[1]), " (", id(job.job), "): ", said(refusedTold(job.refused, zone)))))].filter(Boolean);
}

function link(place, user) {
  const hours = select([{ value: 3600, label: "An hour" }, { value: 86400, label: "A day" }, { value: 604800, label: "A week" }], 86400, null, { name: "seconds" });
  asked({
    title: "A link to their settings", action: "Make the link",
    fields: [h("p", null, "Whoever has the link can read and change the settings of ", id(user), ", and of nobody else, until it ends."), field("It holds for", hours)],
    submit: (form) => place.door.post(`${person(user)}/tokens`, { expires_in_seconds: Number(form.get("seconds")) }),
    done: (answer) => [
      notice("Give it to nobody else. It is shown once.", "wait"),
      copied(`${location.origin}/me#token=${answer.token}`, "Copy the link"),
      h("p", { class: "soft" }, "It ends ", stamp(answer.expires_at, { full: true, named: true }), "."),
      h("div", null, h("button", { type: "button", class: "danger small", onclick: async (event) => {
        const button = event.target;
        try {
          await place.door.remove(`${person(user)}/tokens/${step(answer.id)}`);
          const told = h("p", null, "The link no longer opens anything.");
          button.replaceWith(told);
          focusHere(told);
        } catch (error) {
          button.after(notice(error.message));
        }
      } }, "Revoke it"))],
  });
}

