import { h, replace, unique } from "../common/dom.js";
import { chip, confirmed, field, notice, select } from "../common/controls.js";
import { person } from "../common/door.js";
import { said } from "../common/text.js";
import { stamp } from "../common/time.js";
import { because, capital, channelName, plain, state as stateWord } from "../common/words.js";

const statuses = [
  { value: "", label: "All" }, { value: "delivered", label: "Delivered" }, { value: "sent", label: "Sent" }, { value: "failed", label: "Failed" },
  { value: "queued", label: "Waiting" }, { value: "blocked", label: "Withheld" },
];
const spans = [{ value: 7, label: "The last 7 days" }, { value: 30, label: "The last 30 days" }, { value: 90, label: "The last 90 days" }];
const shownFirst = 20;

/** What came, waits, failed and was withheld lately, with the text that was shown. */
export class History {
  constructor(door, user) {
    Object.assign(this, { door, user, zone: null, status: "", days: 7, shown: shownFirst });
    this.list = h("div");
    const heading = unique("history");
    this.node = h("section", { class: "sheet", "aria-labelledby": heading, id: "history" },
      h("h2", { id: heading }, "Recent notifications"),
      h("div", { class: "stack" },
        h("div", { class: "row" },
          field("Which", select(statuses, "", (value) => { this.status = value; this.load(); })),
          field("Since", select(spans, 7, (value) => { this.days = value; this.load(); }))),
        this.list));
  }

  /** Times are shown as the person’s clock has them, which they may have set to another zone just now. */
  in(zone) {
    const isOther = this.zone !== null && this.zone !== zone;
    this.zone = zone;
    if (isOther && this.rows) this.draw();
  }

  async load() {
    this.shown = shownFirst;
    try {
      this.rows = (await this.door.lines(`${person(this.user)}/history?days=${this.days}${this.status ? `&status=${this.status}` : ""}`)).reverse();
      this.draw();
    } catch (error) {
      if (error.status !== 401) replace(this.list, notice(error.message));
    }
  }

  draw() {
    const rows = this.rows.slice(0, this.shown);
    replace(this.list,
      rows.length === 0 ? h("p", { class: "soft" }, "Nothing of that kind in this time.") : h("ul", { class: "entries" }, rows.map((row) => this.entry(row))),
      h("div", { class: "row" },
        this.rows.length > this.shown && h("button", { type: "button", onclick: () => { this.shown += 50; this.draw(); } }, `Show more of ${this.rows.length}`),
        this.rows.length > 0 && h("button", { type: "button", class: "quiet", onclick: () => this.clear() }, "Clear the history…")));
  }

  entry(row) {
    const word = stateWord(row.status);
    const problem = h("div");
    return h("li", { class: "entry" },
      h("div", { class: "row apart" }, h("span", { class: "entry-title" }, row.title ? said(row.title) : capital(plain(row.kind))),
        h("span", { class: "row" }, row.test && chip("Test"), chip(word.label, word.tone))),
      row.body && h("p", null, said(row.body)),
      h("p", { class: "help" }, stamp(row.at, { zone: this.zone }), " · ", story(row)),
      row.status === "failed" && h("div", null, h("button", { type: "button", class: "small", onclick: (event) => this.retry(row, event.target, problem) }, "Try again")),
      problem);
  }

  async retry(row, button, problem) {
    button.disabled = true;
    try {
      const answer = await this.door.post(`${person(this.user)}/retry`, { job: row.notice });
      const refused = answer?.refused && answer.jobs?.find((one) => one.refused)?.refused;
      replace(problem, refused ? notice(`It cannot be sent again: ${refused}.`, "wait") : notice("It is being sent again.", "good"));
    } catch (error) {
      replace(problem, notice(error.message));
      button.disabled = false;
    }
  }

  async clear() {
    if (!await confirmed({ title: "Clear the history?", action: "Clear", body: h("p", null, "What is listed here goes away for you. What waits still comes.") })) return;
    try {
      await this.door.post(`${person(this.user)}/history/clear`, {});
      await this.load();
    } catch (error) {
      replace(this.list, notice(error.message));
    }
  }
}

function story(row) {
  switch (row.status) {
    case "blocked": return `not sent: ${because(row.reason)}`;
    case "queued": return row.reason ? `waits: ${because(row.reason)}` : "on its way";
    case "failed": return `failed: ${because(row.outcomes.findLast((one) => one.status === "failed")?.reason ?? row.reason)}`;
    default: return `by ${(row.channels ?? []).map(channelName).join(", ")}`;
  }
}
