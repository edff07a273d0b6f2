import { h, plural } from "../common/dom.js";
import { asked, chip, empty, field, select } from "../common/controls.js";
import { person } from "../common/door.js";

import { id, said } from "../common/text.js";
import { stamp } from "../common/time.js";
import { because, channelName, kindName, state as stateWord } from "../common/words.js";
import { retried } from "./orders.js";

const statuses = ["", "delivered", "sent", "failed", "queued", "blocked"].map((value) => ({ value, label: value ? stateWord(value).label : "All" }));
const spans = [1, 7, 30, 90, 365].map((value) => ({ value, label: value === 1 ? "The last day" : `The last ${value} days` }));

/** What came, waits and was withheld, with the text that was shown, every try and the reason. */
export async function historyTab(place) {
  const { door, user, base, query, router, signal } = place;
  const days = query.get("days") ?? "7";
  const status = query.get("status") ?? "";
  await place.names;
  const rows = await door.lines(`${person(user)}/history?days=${encodeURIComponent(days)}${status ? `&status=${encodeURIComponent(status)}` : ""}`, { signal });
  const zone = (await place.state).timezone;
  const change = (name, value) => {
    router.filter({ [name]: value });
    router.show({ quietly: true });
  };
  return h("div", { class: "stack" },
    h("div", { class: "filters" },
      field("Status", select(statuses, status, (value) => change("status", value))),
      field("Since", select(spans, days, (value) => change("days", value === "7" ? null : value))),
      h("p", { class: "soft" }, plural(rows.length, "notice"))),
    h("section", { class: "sheet", "aria-label": "History" }, rows.length === 0
      ? empty("Nothing", "No notice of that kind in that time.")
      : h("ol", { class: "timeline" }, rows.reverse().map((row) => entry(row, { ...place, zone, base })))));
}

function entry(row, { base, zone, session, door, router }) {
  const word = stateWord(row.status);
  return h("li", { class: word.tone },
    h("h2", null, row.title ? said(row.title) : kindName(row.kind), chip(word.label, word.tone), row.test && chip("Test", "plain"),
      h("span", { class: "soft" }, stamp(row.at, { zone }), " · ", kindName(row.kind))),
    row.body && h("p", null, said(row.body)),
    h("p", { class: "soft" }, story(row), " ", h("a", { href: `${base}/notice?notice=${encodeURIComponent(row.notice)}` }, "Its whole story")),
    row.outcomes.length > 0 && h("details", null, h("summary", null, plural(row.outcomes.length, "try", "tries and reports")),
      h("ul", { class: "changes" }, row.outcomes.map((one) => h("li", null,
        stamp(one.at, { zone, seconds: true }), ` · ${channelName(one.channel)}: ${stateWord(one.status).label.toLowerCase()}`,
        one.reason ? [" – ", said(because(one.reason))] : null, one.device ? [" · ", id(one.device)] : null,
        one.provider_id ? [" · ", id(one.provider_id)] : null)))),
    row.status === "failed" && session.may("operate") && h("div", null, h("button", { type: "button", class: "small", onclick: () => asked({
      title: "Retry", action: "Retry", fields: h("p", null, "This is sent once more under the same id, if it is not too late."),
      submit: () => door.post("/v1/retry", { job: row.notice }),
      done: (answer) => {
        router.show({ quietly: true });
        return retried(answer);
      },
    }) }, "Retry…")));
}

function story(row) {
  switch (row.status) {
    case "blocked": return `Withheld: ${because(row.reason)}.${row.count > 1 ? ` ${row.count} slots.` : ""}`;
    case "queued": return row.reason ? `It waits: ${because(row.reason)}.` : "It waits to be sent.";
    case "failed": return `Failed: ${because(row.outcomes.findLast((one) => one.status === "failed")?.reason ?? row.reason)}.`;
    default: return `By ${(row.channels ?? []).map(channelName).join(", ") || "no channel"}.`;
  }
}
