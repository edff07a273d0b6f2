import { announce, h, replace } from "../common/dom.js";
import { confirmed, notice } from "../common/controls.js";
import { isSame, previewOf, previewTold, rebased, refusalTold, takenBack } from "../common/changes.js";
import { person, sentence } from "../common/door.js";
import { openUp, sectionsOf } from "../common/sections.js";
import { said } from "../common/text.js";
import { clock } from "../common/time.js";
import { analysisTrial } from "../common/trial.js";
import { nameKinds } from "../common/words.js";
import { channelsExtra } from "./addresses.js";
import { consentPart } from "./consent.js";
import { Following } from "./following.js";
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
    this.history = new History(door, me.user, (place) => this.show(place));
    this.lastChange = Promise.resolve();
    /** How many changes are not through yet. */
    this.pending = 0;
    this.leaveAloneWhatIsTyped();
    this.following = new Following(this);
  }

  /** A redrawing waits for whoever is typing, until what they typed is saved: it would take the field away from under their hands. */
  leaveAloneWhatIsTyped() {
    const isTyped = "input:not([type=checkbox]):not([type=radio])";
    this.form.addEventListener("input", ({ target }) => { this.isTyping = target.matches(isTyped); });
    const done = () => {
      this.isTyping = false;
      if (this.isDrawingDue) setTimeout(() => { if (this.isDrawingDue && !this.isTyping && !this.isClosed) this.draw(); });
    };
    this.form.addEventListener("focusout", done);
    this.form.addEventListener("keydown", ({ key }) => { if (key === "Enter") done(); });
  }

  read() { return this.door.get(`${person(this.user)}/settings`); }

  async load() { this.take(await this.read()); }

  take(settings) {
    if (this.isClosed) return;
    this.settings = settings;
    this.draw();
    this.history.look();
  }

  close() {
    this.isClosed = true;
    this.following.end();
  }

  drawHead() {
    const { settings } = this;
    replace(this.head, h("h1", null, "Notifications"), h("p", { class: "soft" }, settings.name ? [said(settings.name), " · "] : null,
      `${clock(Date.now(), settings.timezone)} in ${settings.timezone}`,
      settings.waiting > 0 ? ` · ${settings.waiting} waiting for you` : null));
  }

  draw() {
    const { settings } = this;
    nameKinds(settings.sections.flatMap((section) => section.kinds ?? []));
    this.history.in(settings.timezone);
    this.drawHead();
    this.isDrawingDue = this.isTyping === true;
    if (this.isDrawingDue) return;
    const focused = this.focused();
    replace(this.form,
      settings.warnings.length > 0 && notice("Mind:", "wait", h("ul", null, settings.warnings.map((one) => h("li", null, said(sentence(one), "span"))))),
      consentPart(settings.consent, this),
      sectionsOf(settings, {
        mayChange: true, hasPresets: true,
        change: (patch, field) => this.queue(() => this.change(patch, field)),
        problem: (text) => this.tell(text, { isTrouble: true }),
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
    this.pending += 1;
    this.lastChange = this.lastChange.then(() => (this.isClosed ? null : work())).catch((error) => {
      if (error.status === 401 || this.isClosed) return;
      this.tell(refusalTold(error.message, this.settings), { isTrouble: true });
      this.draw();
    }).finally(() => { this.pending -= 1; });
    return this.lastChange;
  }

  /** Asks until the worker answers. What is told twice has the same key both times, and is recorded once. */
  async surely(ask) {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (!error.isLoss || this.isClosed) throw error;
        this.tell("Not saved yet: the server does not answer. Leave this page open, and it is saved when it does.", { isTrouble: true });
        await this.door.back(error);
        if (this.isClosed) throw error;
      }
    }
  }

  tellOnce(method, path, body) {
    const key = [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    return this.surely(() => this.door.ask(method, `${person(this.user)}/${path}`, { body, headers: { "Idempotency-Key": key } }));
  }

  /** Makes a change to what is in force now, which may be another than what was drawn. */
  async change(patch, field) {
    this.tell("Saving…", { isQuiet: true });
    const before = await this.surely(() => this.read());
    const made = rebased(patch, field, before.preferences);
    const told = await this.save(made, { asks: true });
    if (told) this.tell(`Saved: ${told}`, { undo: field ? () => this.queue(() => this.takeBack(made, field, before)) : null });
  }

  async takeBack(made, field, before) {
    const now = await this.surely(() => this.read());
    const told = await this.save(takenBack(made, field, before, now.preferences), { asks: false });
    if (told) this.tell(`Saved: ${told}`);
  }

  /** Saves; where that has consequences that one might not expect, asks first. What changed, in sentences; `null` where nothing did. */
  async save(patch, { asks }) {
    const preview = await this.surely(() => previewOf(this.door, this.user, { patch }));
    const isRisky = preview.warnings.length > 0 || (preview.waiting ?? []).length > 0;
    if (preview.changes.length === 0) {
      this.tell("Nothing to save: it is like that already.");
      await this.load();
      return null;
    }
    if (asks && isRisky && !await this.agreed("Save this change?", preview, "Save")) {
      await this.load();
      return null;
    }
    await this.tellOnce("PATCH", "preferences", patch);
    await this.surely(() => this.load());
    return sentence(preview.changes.map((one) => one.sentence).slice(0, 2).join("; "));
  }

  /** A preset, or everything back to the defaults: always shown before it is done. */
  async order({ preset, label, reset }) {
    const preview = await this.surely(() => previewOf(this.door, this.user, preset ? { preset } : { reset }));
    if (preview.changes.length === 0 && !preset) return this.tell("Nothing to save: these are the defaults.");
    const title = preset ? `${label} notification settings` : "Back to the defaults";
    if (!await this.agreed(title, preview, preset ? "Apply preset" : "Reset")) return this.tell("Nothing was changed.");
    this.tell("Saving…", { isQuiet: true });
    await this.tellOnce("POST", preset ? "preset" : "reset", preset ? { preset } : {});
    await this.surely(() => this.load());
    return this.tell("Notification settings updated.");
  }

  agreed(title, preview, action) {
    replace(this.status);
    return confirmed({ title, body: [h("p", null, "This will change:"), previewTold(preview)], action, cancel: "Leave it" });
  }

  /** What another device changed is shown; what this one is about to change is made to it all the same. */
  seen(settings) {
    const isOther = !isSame(settings.preferences, this.settings.preferences);
    if (!isOther && isSame(settings.sections, this.settings.sections)) {
      // The clock goes on, and what waited may have come.
      this.settings.waiting = settings.waiting;
      this.drawHead();
      this.history.look();
      return;
    }
    this.take(settings);
    if (isOther) this.tell("Your settings were changed elsewhere. They are shown as they are now.");
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

  /** Leads to the setting at a path; `within` is what has to be opened for it to be seen. */
  show({ path, within = null, section = null }) {
    if (within) {
      openUp(within);
      this.draw();
    }
    const node = (path && this.form.querySelector(`[data-path="${CSS.escape(path)}"]`)) ?? this.form.querySelector(`[data-section="${section}"]`);
    if (!node) return;
    node.scrollIntoView({ block: "center" });
    (node.matches("input, select, button") ? node : node.querySelector("input:enabled, select:enabled, button:enabled"))?.focus({ preventScroll: true });
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
