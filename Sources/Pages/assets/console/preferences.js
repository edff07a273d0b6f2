import { announce, focusHere, focusKey, focusOn, h, isFocusLost, keepingFocus, plural, replace } from "../common/dom.js";
import { notice } from "../common/controls.js";
import { person } from "../common/door.js";
import { fieldsOf, isSame, merged, pathsOf, previewTold, previewOf, rebased, refusalTold, refusedOf, subjectNames, valueAt } from "../common/changes.js";
import { nameKinds } from "../common/words.js";
import { drafts } from "./drafts.js";
import { markRefused, sectionsOf, unmarkRefused } from "../common/sections.js";
import { analysisTrial } from "../common/trial.js";

/** The preferences as a form. Changes gather below it in sentences, and are saved together. */
export async function preferencesTab(place) {
  const { door, user, signal, session } = place;
  const holder = h("div", { class: "stack" });
  const mayChange = session.may("operate");
  const load = async () => draw(await door.get(`${person(user)}/settings`, { signal }));
  // The last preview that was asked for, by whichever drawing: what an earlier one hears is of what was there before.
  let asking = null;
  let isSaving = false;

  /** `order`, `note`: what is to be previewed at once, and what is to be said above it. */
  function draw(settings, { order = null, note = null } = {}) {
    const draft = drafts.get(user) ?? { edits: [], refused: new Map() };
    asking?.abort();
    nameKinds(settings.sections.flatMap((section) => section.kinds ?? []));
    // The same patch, made to what is in force by then: others may save while changes gather here. Each goes on from the one before it.
    const patchOn = (preferences, edits = draft.edits) =>
      edits.reduce((whole, [part, field]) => merged(whole, rebased(part, field, merged(preferences, whole))), {});
    const bar = h("section", { class: "draft", "aria-label": "What will change", tabindex: "-1", hidden: true });
    const form = sectionsOf(withDraft(aboutThem(settings), draft.edits, patchOn(settings.preferences)), {
      mayChange, door, user, hasPresets: true, isTheirs: true,
      change: (part, field) => {
        draft.edits.push([part, field]);
        drafts.set(user, draft);
        if (draft.refused.delete(pathOf(field))) unmarkRefused(fieldAt(pathOf(field)));
        if (!showsItself(part, field) || hasBelow(field)) redraw();
        else previewDraft();
      },
      problem: (text) => {
        // What was changed elsewhere can be saved all the same.
        if (draft.edits.length > 0) return previewDraft(notice(text, "wait"));
        asking?.abort();
        bar.hidden = false;
        return replace(bar, notice(text, "wait"), actions(null));
      },
      order: ({ preset }) => preview({ preset }),
      extra: (section) => section.analyser && mayChange ? analysisTrial(door, user) : null,
    });

    const hasBelow = (field) => field !== undefined && [...fieldsOf(settings).values()].some((one) => isSame(one.depends_on, field.path));

    // What hangs on a switch is greyed out with it, before it is saved; and a word, or an hour, is there when it was put in.
    function redraw() {
      const begun = [...holder.querySelectorAll("[data-path] [data-draft]")].map((input) => [input.closest("[data-path]").dataset.path, input.value]);
      keepingPlace(holder, () => draw(settings));
      for (const [path, value] of begun) {
        const input = holder.querySelector(`[data-path="${CSS.escape(path)}"] [data-draft]`);
        if (input) input.value = value;
      }
    }

    const previewDraft = (note = null) => preview({ patch: patchOn(settings.preferences) }, note);

    /** `note` is told above the preview: what was refused, or why it is another. */
    async function preview(order, note = null) {
      asking?.abort();
      asking = new AbortController();
      bar.hidden = false;
      try {
        const found = await previewOf(door, user, order, asking.signal);
        replace(bar, note, h("h2", null, order.preset ? `Preset: ${order.preset}` : order.reset ? "Back to the defaults" : "This will change"), previewTold(found, { zone: settings.timezone, nameOf: subjectNames(settings) }), actions(order));
        announce(`${plural(found.changes.length, "change")}, not saved yet`);
      } catch (error) {
        if (error.name === "AbortError") return;
        const told = refusalTold(error.message, settings);
        const isTakenOut = error.status === 400 && order.patch && refuse(error.message, told);
        if (isTakenOut && draft.edits.length > 0) return previewDraft([note, notice(told)]);
        const again = (error.isLoss || error.status === 429)
          && h("div", null, h("button", { type: "button", onclick: () => preview(order, note) }, "Ask again what will change"));
        replace(bar, note, notice(told), again, actions(null));
      }
    }

    /** Takes what the worker refused out of what is to be saved: it stays in its field, with why. Whether there is such a field. */
    function refuse(message, told) {
      const [part, field] = refusedOf(draft.edits, message) ?? [];
      const path = pathOf(field);
      const input = path && fieldAt(path);
      if (!input) return false;
      const typed = valueAt(part, field.path);
      draft.edits = draft.edits.filter(([, one]) => pathOf(one) !== path);
      draft.refused.set(path, { typed, told, saved: savedAt(path) });
      markRefused(input, told, typed);
      return true;
    }

    const savedAt = (path) => fieldsOf(settings).get(path)?.value;
    const fieldAt = (path) => holder.querySelector(`input[data-path="${CSS.escape(path)}"]:not([type=checkbox], [type=radio])`);

    /** What was refused before this drawing, but where another value was saved since. */
    function markRefusedBefore() {
      for (const [path, { typed, told, saved }] of draft.refused) {
        if (isSame(savedAt(path), saved)) markRefused(fieldAt(path), told, typed);
        else draft.refused.delete(path);
      }
    }

    const actions = (order) => h("div", { class: "actions" },
      h("button", { type: "button", onclick: discard }, "Discard"),
      order && h("button", { type: "button", class: "primary", disabled: isSaving, onclick: () => save(order) }, "Save"));

    async function discard() {
      const last = draft.edits.at(-1)?.[1];
      try {
        const fresh = await door.get(`${person(user)}/settings`, { signal });
        drafts.delete(user);
        draw(fresh);
        comeBackTo(last);
      } catch (error) {
        if (error.name !== "AbortError") complain(error.message);
      }
    }

    /** The bar and its buttons are gone: whoever was on one goes on at what was changed last. */
    function comeBackTo(field) {
      if (!isFocusLost()) return;
      controlsAt(holder, pathOf(field))[0]?.focus({ preventScroll: true });
      if (isFocusLost()) focusHere(holder.firstElementChild);
    }

    /** Beneath whichever drawing is there by then. */
    function complain(text) {
      const shown = barOf(holder);
      shown.querySelector(":scope > .complaint")?.remove();
      shown.hidden = false;
      shown.prepend(h("div", { class: "complaint" }, notice(text)));
    }

    function isSavingNow(value) {
      isSaving = value;
      const button = barOf(holder).querySelector("button.primary");
      if (button) button.disabled = value;
    }

    async function save(order) {
      isSavingNow(true);
      // What is changed while it is saved is not part of that, and stays to be saved.
      const sent = [...draft.edits];
      try {
        const to = person(user);
        const fresh = await door.get(`${to}/settings`, { signal });
        if (isOvertaken(order, sent, fresh)) {
          draw(fresh, { order, note: notice("These preferences were changed by somebody else meanwhile. Nothing was saved: below is what would change now.", "wait") });
          return barOf(holder).focus();
        }
        const answer = order.preset ? await door.post(`${to}/preset`, { preset: order.preset })
          : order.reset ? await door.post(`${to}/reset`, {})
            : await door.patch(`${to}/preferences`, patchOn(fresh.preferences, sent));
        draft.edits = draft.edits.filter((one) => !sent.includes(one));
        if (!order.patch) draft.refused.clear();
        isSaving = false;
        await showSaved(`Saved as event #${answer.seq}.`, sent.at(-1)?.[1]);
      } catch (error) {
        if (error.name !== "AbortError") complain(refusalTold(error.message, settings));
      } finally {
        isSavingNow(false);
      }
    }

    /** What was saved, as it is in force. That it cannot be shown just now undoes nothing. */
    async function showSaved(told, last) {
      announce("Saved");
      try {
        await load();
        holder.prepend(notice(told, "good"));
        comeBackTo(last);
      } catch (error) {
        if (error.name === "AbortError") return;
        const note = notice(`${told} It cannot be shown just now. ${error.message}`, "wait");
        if (draft.edits.length > 0) return previewDraft(note);
        const again = h("button", { type: "button", onclick: () => showSaved(told, last) }, "Show it");
        replace(barOf(holder), note, h("div", { class: "actions" }, again));
      }
    }

    /** Whether somebody changed meanwhile what is to be set: then what was previewed is not what would be saved. */
    function isOvertaken(order, edits, fresh) {
      const paths = order.patch ? edits.flatMap(([part, field]) => pathsOf(part, field)) : [[]];
      return paths.some((path) => !isSame(valueAt(settings.preferences, path), valueAt(fresh.preferences, path)));
    }

    replace(holder,
      !mayChange && notice("Your role may read this, not change it.", "plain"),
      h("p", { class: "soft" }, `This is how they read it on their own page: “you” is the person. Times are theirs, in ${settings.timezone}.`),
      settings.warnings.length > 0 && notice(settings.warnings.join(" "), "wait"),
      h("div", { class: "form-columns" }, form),
      mayChange && h("div", null, h("button", { type: "button", onclick: () => preview({ reset: true }) }, "Back to the defaults…")),
      bar);
    markRefusedBefore();
    if (order && !order.patch) preview(order, note);
    else if (draft.edits.length > 0) previewDraft(note);
  }

  await load();
  return holder;
}

const barOf = (holder) => holder.querySelector(".draft");

const pathOf = (field) => field?.path.join("/");

/** The settings document with the headings of an operator, who sees somebody else's. */
function aboutThem(settings) {
  const sections = settings.sections.map((section) => (section.name === "kinds" ? { ...section, label: "What reaches them" } : section));
  return { ...settings, sections };
}

/** Whether the control that was changed shows it by itself. A list of words, the hours of a day and what is put back to its default are drawn anew. */
function showsItself(part, field) {
  const value = field && valueAt(part, field.path);
  if (value === undefined || value === null) return false;
  if (field.type === "schedule") return hasSameHours(field.value, value);
  return field.type !== "list" || Boolean(field.values);
}

/** Whether each day has as many stretches as before: then only a time was changed, and whoever did may be on their way to the next. */
const hasSameHours = (one, other) => Boolean(one) && Object.keys(other).every((day) => (one[day] ?? []).length === other[day].length);

const controlsAt = (holder, path) => {
  const node = path && holder.querySelector(`[data-path="${CSS.escape(path)}"]`);
  if (!node) return [];
  return node.matches("input, select, button") ? [node] : [...node.querySelectorAll("input, select, button")];
};

/** Draws anew. The focus stays with the setting that has it: on its control, or on the one that took that place. */
function keepingPlace(holder, draw) {
  const focused = document.activeElement;
  const path = focused?.closest("[data-path]")?.dataset.path;
  const index = controlsAt(holder, path).indexOf(focused);
  if (index < 0) return keepingFocus([holder], draw);
  const key = focusKey(focused);
  draw();
  const setting = holder.querySelector(`[data-path="${CSS.escape(path)}"]`);
  if (setting && focusOn(key, setting)) return null;
  const controls = controlsAt(holder, path);
  const near = [...controls.slice(index), ...controls.slice(0, index).reverse()];
  return near.find((one) => !one.disabled)?.focus({ preventScroll: true });
}

/** The settings as a form shows them on which something was changed already. A default that is put back may be of all that is beneath a path. */
function withDraft(settings, edits, patch) {
  const changed = new Set(edits.map(([, field]) => pathOf(field)));
  return JSON.parse(JSON.stringify(settings), (_, one) => {
    if (!one || !Array.isArray(one.path)) return one;
    const isPutBack = one.path.some((_, index) => valueAt(patch, one.path.slice(0, index + 1)) === null);
    if (isPutBack) return { ...one, value: one.default, changed: false };
    return changed.has(pathOf(one)) ? { ...one, value: valueAt(patch, one.path) ?? one.default } : one;
  });
}
