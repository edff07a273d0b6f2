import { h, plural } from "../common/dom.js";
import { asked, chip, empty, field, notice, select } from "../common/controls.js";
import { refusedTold, whyNotAgain } from "../common/again.js";
import { person, sentence } from "../common/door.js";
import { id, said, spelt } from "../common/text.js";
import { stamp, when } from "../common/time.js";
import { because, channelName, kindName, state as stateWord, subjectTold, channelsReached, waysTold } from "../common/words.js";

const statuses = ["", "delivered", "sent", "failed", "queued", "blocked"].map((value) => ({ value, label: value ? stateWord(value).label : "All" }));
const spans = [1, 7, 30, 90, 365].map((value) => ({ value, label: value === 1 ? "The last day" : `The last ${value} days` }));

/** What came, waits and was withheld, with the text that was shown, every try and the reason. */
export async function historyTab(place) {
  const { door, user, base, query, router, signal } = place;
  const days = query.get("days") ?? "7";
  const status = query.get("status") ?? "";
  await place.names;
  const [rows, [cleared]] = await Promise.all([
    door.lines(`${person(user)}/history?days=${encodeURIComponent(days)}${status ? `&status=${encodeURIComponent(status)}` : ""}`, { signal }),
    door.lines(`/v1/events?user=${encodeURIComponent(user)}&type=history_cleared&backlog=1`, { signal }),
  ]);
  const zone = (await place.state).timezone;
  const change = (name, value) => router.narrow({ [name]: value });
  return h("div", { class: "stack" },
    h("div", { class: "filters" },
      field("Status", select(statuses, status, (value) => change("status", value))),
      field("Since", select(spans, days, (value) => change("days", value === "7" ? null : value))),
      h("p", { class: "soft", "data-told": "" }, plural(rows.length, "notice"))),
    cleared && notice(["They cleared their history ", stamp(cleared.at, { zone, full: true }), ": what was over by then is not shown here. The log has it."], "plain"),
    h("section", { class: "sheet stack", "aria-label": "History" }, rows.length === 0
      ? empty("Nothing", "No notice of that kind in that time.")
      : listOf(rows.reverse(), (row) => entry(row, { ...place, zone, base }))));
}

const atOnce = 100;

/** The newest of them, and more of them on demand: a year of somebody's may be thousands. */
function listOf(rows, drawn) {
  const list = h("ol", { class: "timeline" });
  const more = h("button", { type: "button", onclick: () => show() });
  const below = h("div", null, more);
  const show = () => {
    const listed = list.childElementCount;
    list.append(...rows.slice(listed, listed + atOnce).map(drawn));
    const left = rows.length - list.childElementCount;
    more.textContent = `Show ${Math.min(left, atOnce)} more of ${left.toLocaleString("en")}`;
    below.hidden = left === 0;
    if (listed > 0) list.children[listed].querySelector("a").focus({ preventScroll: true });
  };
  show();
  return [list, below];
}

/** A notice by name, for who hears of its buttons without seeing where they stand. */
const calledIn = (row, zone) => `${row.title ? `“${spelt(row.title)}”, ` : ""}${kindName(row.kind)}, ${when(row.at, { zone, full: true })}`;

function entry(row, place) {
  const { base, zone } = place;
  const word = stateWord(row.status);
  return h("li", { class: word.tone },
    h("h2", null, row.title ? said(row.title) : kindName(row.kind), chip(word.label, word.tone), row.test && chip("Test", "plain"),
      h("span", { class: "soft" }, stamp(row.at, { zone }), row.title ? ` · ${kindName(row.kind)}` : null, row.subject ? [" · ", said(subjectTold(row.subject, row.subject_title))] : null)),
    row.body && h("p", null, said(row.body)),
    h("p", { class: "soft" }, story(row), " ", h("a", { href: `${base}/notice?notice=${encodeURIComponent(row.notice)}`, "aria-label": `Its whole story: ${calledIn(row, zone)}` }, "Its whole story")),
    row.outcomes.length > 0 && h("details", null, h("summary", null, plural(row.outcomes.length, "try", "tries and reports")),
      h("ul", { class: "changes" }, row.outcomes.map((one) => h("li", null,
        stamp(one.at, { zone, seconds: true }), ` · ${channelName(one.channel)}: ${stateWord(one.status).label.toLowerCase()}`,
        one.reason ? [" – ", said(because(one.reason))] : null, one.device ? [" · ", id(one.device)] : null,
        one.provider_id ? [" · ", id(one.provider_id)] : null)))),
    row.status === "failed" && again(row, place));
}

/** What failed is sent once more where it still can be, and else it says why not. */
function again(row, { zone, session, door, router }) {
  const why = whyNotAgain(row, zone);
  if (why) return h("p", { class: "help" }, why);
  if (!session.may("operate")) return null;
  return h("div", null, h("button", { type: "button", class: "small", "aria-label": `Retry… ${calledIn(row, zone)}`, onclick: () => asked({
    title: "Retry", action: "Retry", fields: [
      h("p", null, row.title ? [said(row.title), ", "] : null, `${kindName(row.kind)}, of ${when(row.at, { zone, full: true })}, is sent once more under the same id.`),
      row.not_after && h("p", { class: "soft" }, `It can be sent until ${when(row.not_after, { zone, full: true })}.`)],
    submit: () => door.post("/v1/retry", { job: row.notice }),
    done: (answer) => {
      const refused = answer.jobs.find((job) => job.refused)?.refused;
      return refused ? notice(refusedTold(refused, zone), "wait") : notice("It is being sent once more. What comes of it shows in the history.", "good");
    },
    left: () => router.show({ quietly: true }),
  }) }, "Retry…"));
}

function story(row) {
  switch (row.status) {
    case "blocked": return `Withheld: ${because(row.reason)}.${row.count > 1 ? ` ${row.count} slots.` : ""}`;
    case "queued": return row.reason ? `It waits: ${because(row.reason)}.` : "It waits to be sent.";
    case "failed": return `Failed: ${because(row.outcomes.findLast((one) => one.status === "failed")?.reason ?? row.reason)}.`;
    default: return sentence(waysTold(channelsReached(row)));
  }
}
