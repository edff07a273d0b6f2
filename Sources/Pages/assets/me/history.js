import { announce, h, isFocusLost, keepingFocus, plural, replace, unique } from "../common/dom.js";
import { confirmed, field, notice, select } from "../common/controls.js";
import { isSame } from "../common/changes.js";
import { person } from "../common/door.js";
import { said } from "../common/text.js";
import { refusedTold, whyNotAgain } from "../common/again.js";
import { localDate, now } from "../common/time.js";
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
    Object.assign(this, { door, user, show, nameOf, zone: null, status: "", days: 7, shown: shownFirst, rows: null, turn: 0, isLoading: false });
    this.list = h("div");
    const heading = unique("history");
    this.heading = h("h2", { id: heading }, "Recent notifications");
    this.node = h("section", { class: "sheet", "aria-labelledby": heading, id: "history" },
      this.heading,
      h("div", { class: "stack" },
        h("div", { class: "row" },
          field("Which", select(statuses, "", (value) => { this.status = value; this.filter(); })),
          field("Since", select(spans, 7, (value) => { this.days = value; this.filter(); }))),
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

  /**
   * What came of them since, and what day it is: “Today” is of the day on which it was drawn. A list that somebody has their hands in is left
   * alone; one that could not be loaded is asked for again.
   */
  async look() {
    if (!this.rows) return this.isLoading ? null : this.load();
    const { rows: before, turn } = this;
    const rows = await this.read().catch(() => null);
    if (!rows || this.rows !== before || this.turn !== turn || this.list.contains(document.activeElement)) return null;
    if (isSame(rows, before) && this.drawnOn === this.today()) return null;
    this.rows = rows;
    return this.draw();
  }

  today() { return localDate(now(), this.zone); }

  /** Draws what was asked for last: of two that are under way the first may answer last. */
  async load() {
    this.turn += 1;
    const { turn } = this;
    this.shown = shownFirst;
    this.isLoading = true;
    try {
      const rows = await this.read();
      if (turn !== this.turn) return;
      this.rows = rows;
      this.draw();
    } catch (error) {
      if (turn !== this.turn || error.status === 401) return;
      // It is said once, however often it is tried.
      if (this.problem !== error.message) replace(this.list, notice(error.message));
      this.problem = error.message;
      this.rows = null;
    } finally {
      if (turn === this.turn) this.isLoading = false;
    }
  }

  /** Whoever does not see the list change hears what came of it. */
  async filter() {
    await this.load();
    if (this.rows) announce(this.rows.length > 0 ? plural(this.rows.length, "notification") : this.nothing);
  }

  get nothing() { return this.status === "" ? "There is nothing to show for this time." : "Nothing of that kind in this time."; }

  draw() {
    const rows = this.rows.slice(0, this.shown);
    // What cannot be sent again says so itself.
    const failed = this.rows.filter((row) => row.status === "failed" && whyNotAgain(row, this.zone) === null);
    const drawing = { zone: this.zone, show: this.show, nameOf: this.nameOf, retry: (...all) => this.retry(...all) };
    const told = h("div");
    this.problem = null;
    this.drawnOn = this.today();
    keepingFocus([this.list], () => replace(this.list,
      this.rows.length > 0 && h("p", { class: "soft" }, plural(this.rows.length, "notification")),
      rows.length === 0 ? h("p", { class: "soft" }, this.nothing) : h("ul", { class: "entries" }, rows.map((row) => entry(row, drawing))),
      h("div", { class: "row" },
        this.rows.length > this.shown && h("button", { type: "button", onclick: () => this.showMore() }, `Show more of ${this.rows.length}`),
        failed.length > 0 && h("button", { type: "button", onclick: (event) => this.retryAll(failed, event.target, told) }, "Retry failed"),
        this.rows.length > 0 && h("button", { type: "button", class: "quiet", onclick: () => this.clear() }, "Clear the history…")), told));
  }

  /** Whoever asked for more goes on with the first of it. */
  showMore() {
    const before = this.shown;
    this.shown += 50;
    this.draw();
    const first = this.list.querySelectorAll(".entry")[before];
    first?.setAttribute("tabindex", "-1");
    first?.focus({ preventScroll: true });
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
      if (isFocusLost()) {
        this.heading.setAttribute("tabindex", "-1");
        this.heading.focus({ preventScroll: true });
      }
    } catch (error) {
      if (error.status === 401) return;
      // What is there is there still.
      if (this.rows) this.draw();
      this.list.prepend(notice(error.message));
    }
  }
}
