import { h, plural, replace, unique } from "../common/dom.js";
import { confirmed, field, notice, select } from "../common/controls.js";
import { isSame } from "../common/changes.js";
import { person } from "../common/door.js";
import { said } from "../common/text.js";
import { refusedTold, whyNotAgain } from "../common/again.js";
import { entry } from "./entry.js";

const statuses = [
  { value: "", label: "All" }, { value: "delivered", label: "Delivered" }, { value: "sent", label: "Sent" }, { value: "failed", label: "Failed" },
  { value: "queued", label: "Waiting" }, { value: "blocked", label: "Withheld" },
];
const spans = [{ value: 7, label: "The last 7 days" }, { value: 30, label: "The last 30 days" }, { value: 90, label: "The last 90 days" }];
const shownFirst = 20;

/** What came, waits, failed and was withheld lately, with the text that was shown. */
export class History {
  /** `show` leads to a setting of this page, `nameOf` is what the person calls a subject. */
  constructor(door, user, { show, nameOf }) {
    Object.assign(this, { door, user, show, nameOf, zone: null, status: "", days: 7, shown: shownFirst });
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

  async read() {
    return (await this.door.lines(`${person(this.user)}/history?days=${this.days}${this.status ? `&status=${this.status}` : ""}`)).reverse();
  }

  /** What came of them since. A list that somebody has their hands in is left alone. */
  async look() {
    if (!this.rows) return;
    const { rows: before, days, status } = this;
    const rows = await this.read().catch(() => null);
    const isStill = this.rows === before && this.days === days && this.status === status;
    if (!rows || !isStill || isSame(rows, before) || this.list.contains(document.activeElement)) return;
    this.rows = rows;
    this.draw();
  }

  async load() {
    this.shown = shownFirst;
    try {
      this.rows = await this.read();
      this.draw();
    } catch (error) {
      if (error.status !== 401) replace(this.list, notice(error.message));
    }
  }

  draw() {
    const rows = this.rows.slice(0, this.shown);
    // What cannot be sent again says so itself.
    const failed = this.rows.filter((row) => row.status === "failed" && whyNotAgain(row, this.zone) === null);
    const drawing = { zone: this.zone, show: this.show, nameOf: this.nameOf, retry: (...all) => this.retry(...all) };
    const told = h("div");
    replace(this.list,
      this.rows.length > 0 && h("p", { class: "soft" }, plural(this.rows.length, "notification")),
      rows.length === 0 ? h("p", { class: "soft" }, this.status === "" ? "There is nothing to show for this time." : "Nothing of that kind in this time.") : h("ul", { class: "entries" }, rows.map((row) => entry(row, drawing))),
      h("div", { class: "row" },
        this.rows.length > this.shown && h("button", { type: "button", onclick: () => { this.shown += 50; this.draw(); } }, `Show more of ${this.rows.length}`),
        failed.length > 0 && h("button", { type: "button", onclick: (event) => this.retryAll(failed, event.target, told) }, "Retry failed"),
        this.rows.length > 0 && h("button", { type: "button", class: "quiet", onclick: () => this.clear() }, "Clear the history…")), told);
  }

  /** Why a job cannot be sent again; `null` where it is. */
  async again(row) {
    const answer = await this.door.post(`${person(this.user)}/retry`, { job: row.notice });
    return (answer?.refused && answer.jobs?.find((one) => one.refused)?.refused) || null;
  }

  async retry(row, button, problem) {
    button.disabled = true;
    try {
      const refused = await this.again(row);
      replace(problem, refused ? notice(refusedTold(refused, this.zone), "wait") : notice("It is being sent again.", "good"));
    } catch (error) {
      replace(problem, notice(refusedTold(error.message, this.zone), error.status === 400 ? "wait" : "bad"));
      button.disabled = false;
    }
  }

  async retryAll(rows, button, told) {
    button.disabled = true;
    let sent = 0;
    const problems = new Set();
    for (const row of rows) {
      try {
        const refused = await this.again(row);
        if (refused) problems.add(refusedTold(refused, this.zone));
        else sent += 1;
      } catch (error) {
        if (error.status === 401) return;
        problems.add(refusedTold(error.message, this.zone));
      }
    }
    replace(told, notice(sent > 0 ? `${plural(sent, "notification is", "notifications are")} being sent again.` : "None of them can be sent again.", sent > 0 ? "good" : "wait",
      problems.size > 0 && h("ul", null, [...problems].slice(0, 5).map((one) => h("li", null, said(one, "span"))))));
    button.disabled = false;
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
