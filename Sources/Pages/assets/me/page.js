import { announce, h, replace } from "../common/dom.js";
import { confirmed, notice } from "../common/controls.js";
import { patchAt, previewOf, previewTold, refusalTold } from "../common/changes.js";
import { person, sentence } from "../common/door.js";
import { sectionsOf } from "../common/sections.js";
import { said } from "../common/text.js";
import { clock } from "../common/time.js";
import { analysisTrial } from "../common/trial.js";
import { channelsExtra } from "./addresses.js";
import { consentPart } from "./consent.js";
import { History } from "./history.js";
import { sendTest, testDialog } from "./test.js";

/** The settings of one person, drawn from the document that the worker makes of the policy. Each change is saved at once. */
export class Page {
  constructor(door, me, main) {
    this.door = door;
    this.user = me.user;
    this.main = main;
    this.status = h("div", { class: "status", role: "status" });
    this.form = h("div", { class: "stack" });
    this.head = h("div", { class: "title" });
    this.history = new History(door, me.user);
    this.lastChange = Promise.resolve();
  }

  async load() {
    const settings = await this.door.get(`${person(this.user)}/settings`);
    if (this.isClosed) return;
    this.settings = settings;
    this.draw();
  }

  close() { this.isClosed = true; }

  draw() {
    const focused = this.focused();
    const { settings } = this;
    this.history.in(settings.timezone);
    replace(this.head, h("h1", null, "Notifications"), h("p", { class: "soft" }, settings.name ? [said(settings.name), " · "] : null,
      `${clock(Date.now(), settings.timezone)} in ${settings.timezone}`,
      settings.waiting > 0 ? ` · ${settings.waiting} waiting for you` : null));
    replace(this.form,
      settings.warnings.length > 0 && notice("Mind:", "wait", h("ul", null, settings.warnings.map((one) => h("li", null, said(sentence(one), "span"))))),
      consentPart(settings.consent, this),
      sectionsOf(settings, {
        mayChange: true, hasPresets: true,
        change: (patch, field) => this.queue(() => this.change(patch, field)),
        order: (order) => this.queue(() => this.order(order)),
        extra: (section) => section.name === "channels" ? channelsExtra(section, this)
          : section.analyser ? analysisTrial(this.door, this.user) : null,
        inside: (kind) => kind.can_test ? h("div", null, h("button", { type: "button", class: "small", onclick: () => sendTest(this, kind) }, "Send me a test")) : null,
      }));
    if (!this.main.contains(this.form)) {
      replace(this.main, this.head, this.form, this.history.node, this.actions(), this.status);
      this.history.load();
    }
    this.refocus(focused);
  }

  actions() {
    return h("div", { class: "row" },
      h("button", { type: "button", onclick: () => testDialog(this) }, "Test notification…"),
      h("button", { type: "button", onclick: () => this.queue(() => this.order({ reset: true })) }, "Back to the defaults…"));
  }

  // One after the other: a change is previewed against what the one before it saved.
  queue(work) {
    this.lastChange = this.lastChange.then(work).catch((error) => {
      if (error.status === 401) return;
      this.tell(refusalTold(error.message, this.settings), { isTrouble: true });
      this.draw();
    });
    return this.lastChange;
  }

  /** Saves a change; where it has consequences that one might not expect, asks first. */
  async change(patch, field, { isUndo = false } = {}) {
    this.tell("Saving…", { isQuiet: true });
    const preview = await previewOf(this.door, this.user, { patch });
    const isRisky = preview.warnings.length > 0 || (preview.waiting ?? []).length > 0;
    if (preview.changes.length === 0) {
      this.tell("Nothing to save: it is like that already.");
      return this.draw();
    }
    if (isRisky && !isUndo && !await this.agreed("Save this change?", preview, "Save")) return this.draw();
    await this.door.patch(`${person(this.user)}/preferences`, patch);
    await this.load();
    const undo = field && !isUndo
      ? () => this.queue(() => this.change(patchAt(field.path, field.changed ? field.value : null), field, { isUndo: true })) : null;
    this.tell(`Saved: ${sentence(preview.changes.map((one) => one.sentence).slice(0, 2).join("; "))}`, { undo });
  }

  /** A preset, or everything back to the defaults: always shown before it is done. */
  async order({ preset, label, reset }) {
    const preview = await previewOf(this.door, this.user, preset ? { preset } : { reset });
    if (preview.changes.length === 0 && !preset) return this.tell("Nothing to save: these are the defaults.");
    const title = preset ? `${label} notification settings` : "Back to the defaults";
    if (!await this.agreed(title, preview, preset ? "Apply preset" : "Reset")) return this.tell("Nothing was changed.");
    this.tell("Saving…", { isQuiet: true });
    if (preset) await this.door.post(`${person(this.user)}/preset`, { preset });
    else await this.door.post(`${person(this.user)}/reset`, {});
    await this.load();
    return this.tell("Notification settings updated.");
  }

  agreed(title, preview, action) {
    replace(this.status);
    return confirmed({ title, body: [h("p", null, "This will change:"), previewTold(preview)], action, cancel: "Leave it" });
  }

  /** Says how saving went. What went well goes away by itself; trouble stays. */
  tell(text, { undo = null, isTrouble = false, isQuiet = false } = {}) {
    clearTimeout(this.telling);
    replace(this.status, h("div", { class: isTrouble ? "trouble" : null }, h("span", null, said(text)),
      undo && h("button", { type: "button", class: "link", onclick: undo }, "Undo"),
      isTrouble && h("button", { type: "button", class: "link", onclick: () => replace(this.status) }, "Close")));
    if (!isTrouble) this.telling = setTimeout(() => replace(this.status), isQuiet ? 15000 : 8000);
    if (isTrouble) announce(text);
  }

  focused() {
    const node = document.activeElement?.closest?.("[data-path]");
    if (!node) return null;
    const inner = [...node.querySelectorAll("input, select, button")];
    return { path: node.dataset.path, index: inner.indexOf(document.activeElement) };
  }

  refocus(focused) {
    if (!focused || document.querySelector("dialog[open]")) return;
    const node = this.form.querySelector(`[data-path="${CSS.escape(focused.path)}"]`);
    const target = focused.index >= 0 ? node?.querySelectorAll("input, select, button")[focused.index] : node;
    target?.focus({ preventScroll: true });
  }
}
