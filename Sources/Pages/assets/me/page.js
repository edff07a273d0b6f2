import { announce, focusHeading, focusHere, focusKey, focusOn, h, isFocusLost, replace } from "../common/dom.js";
import { confirmed, notice } from "../common/controls.js";
import { fieldsOf, formChanged, hasSameForm, isSame, isStillMade, isStillThere, previewOf, previewTold, rebased, refusalTold, subjectNames, takenBack, valueAt } from "../common/changes.js";
import { person, sentence } from "../common/door.js";
import { markRefused, openUp, sectionsOf, unmarkRefused } from "../common/sections.js";
import { said, spelt } from "../common/text.js";
import { clock, now } from "../common/time.js";
import { analysisTrial } from "../common/trial.js";
import { nameKinds } from "../common/words.js";
import { channelsExtra } from "./addresses.js";
import { consentPart } from "./consent.js";
import { Following } from "./following.js";
import { History } from "./history.js";
import { sendTest, testDialog } from "./test.js";

// Where the browser itself takes back what is typed.
const typedIn = "textarea, input:not([type=checkbox], [type=radio], [type=time], [type=date])";
const controls = "input, select, button";
const undoKeys = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘Z" : "Ctrl+Z";

/** Which control of which row of a field that has rows, such as the days of a week. */
function inRow(control, field) {
  const row = control.closest(".week-day");
  if (!row) return {};
  const all = [...row.querySelectorAll(controls)];
  return { row: [...field.querySelectorAll(".week-day")].indexOf(row), place: all.indexOf(control), count: all.length };
}

/** The control that is what the one was. In a row that has become another it is the row's last, which adds to it: nothing that acts on all rows. */
function controlIn(field, { isDraft, index, row, place, count }) {
  if (isDraft) return field.querySelector("[data-draft]");
  const now = row >= 0 && field.querySelectorAll(".week-day")[row];
  if (now) {
    const all = [...now.querySelectorAll(controls)];
    return (all.length === count ? all[place] : all.findLast((one) => !one.disabled)) ?? field;
  }
  return (index >= 0 && row === undefined && field.querySelectorAll(controls)[index]) || field;
}

/** The settings of one person, drawn from the document that the worker makes of the policy. Each change is saved at once. */
export class Page {
  constructor(door, me, main) {
    this.door = door;
    this.user = me.user;
    this.main = main;
    this.status = h("div", { class: "status", role: "status" });
    this.form = h("div", { class: "stack" });
    this.head = h("div", { class: "title" });
    this.history = new History(door, me.user, { show: (place) => this.show(place), nameOf: (subject, title) => subjectNames(this.settings)(subject, title) });
    this.lastChange = Promise.resolve();
    /** What was typed and refused, by its path: it stays where it was typed, with why, for as long as what was saved there holds. */
    this.refused = new Map();
    /** How many changes are not through yet. */
    this.pending = 0;
    /** Whether one of them waits for a worker that did not answer: it is lost if the page is closed. */
    this.isWaiting = false;
    this.leaveAloneWhatIsTyped();
    this.listenForUndo();
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

  /**
   * Control and Z take the last change back from wherever one is: the button stands at the end of the page. In a field of text the browser
   * takes back what is typed, as everywhere.
   */
  listenForUndo() {
    this.listening = new AbortController();
    document.addEventListener("keydown", (event) => {
      const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "z";
      if (!isUndo || !this.undo || document.querySelector("dialog[open]") || event.target.closest?.(typedIn)) return;
      event.preventDefault();
      this.undo();
    }, { signal: this.listening.signal });
  }

  read() { return this.door.get(`${person(this.user)}/settings`); }

  async load() { this.take(await this.read()); }

  take(settings) {
    if (this.isClosed) return;
    this.settings = settings;
    this.forgetOutdatedRefusals();
    this.draw();
    this.history.look();
  }

  /** Where another value was saved since, the sentence beneath a refused one would name the wrong one. */
  forgetOutdatedRefusals() {
    for (const [path, { saved }] of this.refused) if (!isSame(this.savedAt(path), saved)) this.forgetRefusal(path);
  }

  /** At once, and not with the next drawing: that may wait for whoever is typing. */
  forgetRefusal(path) {
    if (this.refused.delete(path)) unmarkRefused(this.fieldAt(path));
  }

  savedAt(path) { return fieldsOf(this.settings).get(path)?.value; }

  close() {
    this.isClosed = true;
    this.listening.abort();
    clearTimeout(this.telling);
    this.following.end();
  }

  drawHead() {
    const { settings } = this;
    replace(this.head, h("h1", null, "Notifications"), h("p", { class: "soft" }, settings.name ? [said(settings.name), " · "] : null,
      `${clock(now(), settings.timezone)} in ${settings.timezone}`,
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
    const key = !focused && this.form.contains(document.activeElement) ? focusKey(document.activeElement) : null;
    const drafts = this.drafts();
    replace(this.form,
      settings.warnings.length > 0 && notice("Mind:", "wait", h("ul", null, settings.warnings.map((one) => h("li", null, said(sentence(one), "span"))))),
      consentPart(settings.consent, this),
      sectionsOf(settings, {
        mayChange: true, hasPresets: true,
        change: (patch, field) => this.queue(() => this.change(patch, field), (error) => this.refuse(patch, field, error), field),
        problem: (text) => this.tell(text, { isTrouble: true, undo: this.undo }),
        order: (order) => this.queue(() => this.order(order)),
        extra: (section) => section.name === "channels" ? channelsExtra(section, this)
          : section.analyser ? analysisTrial(this.door, this.user) : null,
        inside: (kind) => kind.can_test ? h("div", null, h("button", { type: "button", class: "small", "aria-label": `Send me a test: ${spelt(kind.label)}`, onclick: () => sendTest(this, kind) }, "Send me a test")) : null,
      }));
    for (const [path, typed] of drafts) for (const input of this.form.querySelectorAll(`[data-path="${CSS.escape(path)}"] [data-draft]`)) input.value = typed;
    for (const [path, { typed, told }] of this.refused) markRefused(this.fieldAt(path), told, typed);
    this.offerUndo();
    if (!this.main.contains(this.form)) {
      replace(this.main, this.head, this.form, this.history.node, this.actions(), this.status);
      this.history.load();
    }
    if (key) focusOn(key, this.form);
    else this.refocus(focused);
  }

  /** What was begun and is not a value yet, such as a word for a list, by its path. */
  drafts() {
    return [...this.form.querySelectorAll("[data-path] [data-draft]")].filter(({ value }) => value).map((input) => [input.closest("[data-path]").dataset.path, input.value]);
  }

  actions() {
    return h("div", { class: "row" },
      h("button", { type: "button", onclick: () => testDialog(this) }, "Test notification…"),
      h("button", { type: "button", onclick: () => this.queue(() => this.order({ reset: true })) }, "Back to the defaults…"));
  }

  // One after the other: a change is previewed against what the one before it saved.
  // `refuse` tells of a change that the worker would not take; whether it is told then.
  queue(work, refuse = () => false, field = null) {
    this.pending += 1;
    this.lastChange = this.lastChange.then(() => (this.isClosed ? null : work())).catch(async (error) => {
      if (error.status === 401 || this.isClosed || await this.isOutdated(error, field) || refuse(error)) return;
      this.tell(refusalTold(error.message, this.settings), { isTrouble: true });
      this.draw();
    }).finally(() => { this.pending -= 1; });
    return this.lastChange;
  }

  /** Asks until the worker answers. What is told twice has the same key both times, and is recorded once. */
  async surely(ask) {
    try {
      for (;;) {
        try {
          return await ask();
        } catch (error) {
          if (!error.isLoss || this.isClosed) throw error;
          this.isWaiting = true;
          this.tell("Not saved yet: the server does not answer. Leave this page open, and it is saved when it does.", { isTrouble: true });
          await this.door.back(error);
          if (this.isClosed) throw error;
        }
      }
    } finally {
      this.isWaiting = false;
    }
  }

  tellOnce(method, path, body) {
    const key = [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    return this.surely(() => this.door.ask(method, `${person(this.user)}/${path}`, { body, headers: { "Idempotency-Key": key } }));
  }

  /** Makes a change to what is in force now, which may be another than what was drawn. */
  async change(patch, field) {
    // Where they were when they changed it, which is where undo brings them back to.
    const changed = this.focused() ?? (field && { path: field.path.join("/"), index: 0 });
    this.last = changed;
    if (field) this.forgetRefusal(field.path.join("/"));
    this.tell("Saving…", { isQuiet: true });
    const before = await this.surely(() => this.read());
    const made = rebased(patch, field, before.preferences);
    const told = await this.save(made, { asks: true });
    if (told) this.tell(`Saved: ${told}`, { undo: field ? () => this.queue(() => this.takeBack(made, field, before, changed)) : null });
  }

  /**
   * Whether a change was refused since it can be made no more: the policy is another now. The page is drawn by it, and says so.
   * Else whoever tells of the refusal draws what is in force: why it was refused may lie in what another device saved.
   */
  async isOutdated(error, field) {
    if (error.status !== 400 && error.status !== 404) return false;
    const settings = await this.read().catch(() => null);
    if (this.isClosed) return true;
    if (!settings) return false;
    if (isStillThere(field, settings) && hasSameForm(this.settings, settings)) {
      this.isDrawingDue ||= !isSame(settings.sections, this.settings.sections);
      this.settings = settings;
      this.forgetOutdatedRefusals();
      return false;
    }
    if (field) this.forgetRefusal(field.path.join("/"));
    this.take(settings);
    this.tell(`It was not saved. ${formChanged}`, { isTrouble: true });
    if (isFocusLost()) focusHeading(this.main);
    return true;
  }

  /** A time, a number or a zone that is refused stays as it was typed, is marked, and says what holds. */
  refuse(patch, field, error) {
    const path = field?.path.join("/");
    const input = error.status === 400 && path ? this.fieldAt(path) : null;
    if (!input) return false;
    const [typed, saved] = [valueAt(patch, field.path), this.savedAt(path)];
    const told = `${sentence(refusalTold(error.message, this.settings))} It was not saved and is still ${saved ?? field.default ?? "empty"}.`;
    this.refused.set(path, { typed, told, saved });
    // Who has typed nothing since is not typing any more.
    if (document.activeElement === input && input.value === String(typed)) this.isTyping = false;
    if (this.isDrawingDue) this.draw();
    markRefused(this.fieldAt(path), told, typed);
    this.tell(told, { isTrouble: true });
    return true;
  }

  /** The field for typing at a path; `null` where there is none. */
  fieldAt(path) {
    return this.form.querySelector(`input[data-path="${CSS.escape(path)}"]:not([type=checkbox], [type=radio])`);
  }

  async takeBack(made, field, before, changed) {
    // Taken back once: the same key a second time is another wish.
    this.tell("Saving…", { isQuiet: true });
    // Nor is anybody typing: what comes of it is drawn at once.
    this.isTyping = false;
    const now = await this.surely(() => this.read());
    if (isStillMade(made, field, before, now)) {
      const told = await this.save(takenBack(made, field, before, now.preferences), { asks: false });
      if (told) this.tell(`Taken back: ${told}`);
    } else {
      this.take(now);
      this.tell(`Nothing was taken back: “${field.label}” was changed again since. It is shown as it is now.`, { isTrouble: true });
    }
    this.refocus(changed, { inSight: true });
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
    // Whoever asks for all of it asks for what is in these fields too.
    this.refused.clear();
    await this.surely(() => this.load());
    return this.tell("Notification settings updated.");
  }

  agreed(title, preview, action) {
    this.hush();
    const naming = { zone: this.settings.timezone, nameOf: subjectNames(this.settings) };
    return confirmed({ title, body: [h("p", null, "This will change:"), previewTold(preview, naming)], action, cancel: "Leave it" });
  }

  /** What another device changed is shown; what this one is about to change is made to it all the same. */
  seen(settings) {
    const isOther = !isSame(settings.preferences, this.settings.preferences);
    const hasOtherForm = !hasSameForm(this.settings, settings);
    if (!isOther && isSame(settings.sections, this.settings.sections)) {
      // The clock goes on, and what waited may have come.
      this.settings.waiting = settings.waiting;
      this.drawHead();
      this.history.look();
      return;
    }
    this.take(settings);
    if (hasOtherForm) this.tell(formChanged, { undo: this.undo });
    else if (isOther) this.tell("Your settings were changed elsewhere. They are shown as they are now.", { undo: this.undo });
  }

  /**
   * Says how saving went. What went well goes away by itself, but not from under a pointer or the focus; trouble stays, and so does
   * what can be taken back: nobody has to be quick (WCAG 2.2.1).
   */
  tell(text, { undo = null, isTrouble = false, isQuiet = false } = {}) {
    const stays = isTrouble || undo !== null;
    const hadFocus = this.status.contains(document.activeElement);
    clearTimeout(this.telling);
    this.undo = undo;
    replace(this.status, h("div", { class: isTrouble ? "trouble" : null }, h("span", null, said(text)),
      undo && h("button", { type: "button", class: "link", "aria-keyshortcuts": "Control+Z Meta+Z", onclick: undo }, "Undo", h("span", { class: "keys-hint" }, ` (${undoKeys})`)),
      stays && h("button", { type: "button", class: "link", onclick: () => this.hush() }, "Close")));
    if (hadFocus) this.status.querySelector("button")?.focus({ preventScroll: true });
    this.offerUndo();
    if (!stays) this.goAway(isQuiet ? 15000 : 8000);
    // What was wrong is not said to whoever comes to it after all went well.
    announce(isTrouble ? text : "");
  }

  /** Behind the setting that was changed: one Tab on, where the button at the end of the page is dozens of stops away. It shows when it is come to. */
  offerUndo() {
    const before = this.form.querySelector(".take-back");
    const hadFocus = before?.contains(document.activeElement) === true;
    before?.remove();
    const place = this.undo && this.last && this.form.querySelector(`[data-path="${CSS.escape(this.last.path)}"]`);
    if (place?.closest(".setting")) {
      place.after(h("div", { class: "setting-note take-back" },
        h("button", { type: "button", class: "small", "aria-keyshortcuts": "Control+Z Meta+Z", onclick: () => this.undo?.() }, "Take it back")));
    }
    if (hadFocus) this.refocus(this.last);
  }

  goAway(after) {
    this.telling = setTimeout(() => {
      if (this.status.matches(":hover, :focus-within")) this.goAway(2000);
      else this.hush();
    }, after);
  }

  /** Nothing is said any more; whoever was there goes on where they changed something last. */
  hush() {
    const hadFocus = this.status.contains(document.activeElement);
    clearTimeout(this.telling);
    this.undo = null;
    replace(this.status);
    this.offerUndo();
    if (hadFocus) this.refocus(this.last, { inSight: true });
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

  /**
   * Where the focus is, to find it again when the form was drawn anew. A field for a word is none of the words before it, of which there
   * may be more then. What stands beside a setting, such as the way back to its default, may be gone with what was saved.
   */
  focused() {
    const { activeElement: one } = document;
    if (!one || !this.form.contains(one)) return null;
    const node = one.closest("[data-path]");
    if (node) return { path: node.dataset.path, isDraft: one.hasAttribute("data-draft"), index: [...node.querySelectorAll(controls)].indexOf(one), ...inRow(one, node) };
    const beside = one.closest(".setting, .expander")?.querySelector("[data-path]");
    return beside ? { path: beside.dataset.path, index: 0, key: focusKey(one) } : null;
  }

  /** `inSight`: comes from elsewhere on the page, so it is brought into view, and nobody is left without a place. */
  refocus(focused, { inSight = false } = {}) {
    if (document.querySelector("dialog[open]")) return;
    const node = focused && this.form.querySelector(`[data-path="${CSS.escape(focused.path)}"]`);
    if (node && focused.key && focusOn(focused.key, node.closest(".expander") ?? node.closest(".setting"))) return;
    const target = node && controlIn(node, focused);
    target?.focus({ preventScroll: true });
    // What had it is gone, and nothing else is what it was.
    if (target && isFocusLost()) focusHere(target.querySelector("[role=group]") ?? target);
    if (!inSight) return;
    if (target) target.scrollIntoView({ block: "nearest" });
    else if (isFocusLost()) focusHeading(this.main);
  }
}
