import { announce, h, plural, replace } from "../common/dom.js";
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

  /** `order`, `note`: what is to be previewed at once, and what is to be said above it. */
  function draw(settings, { order = null, note = null } = {}) {
    const draft = drafts.get(user) ?? { edits: [], refused: new Map() };
    let asking = null;
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
        if (hasBelow(field)) redraw(field);
        else previewDraft();
      },
      problem: (text) => {
        bar.hidden = false;
        replace(bar, notice(text, "wait"), actions(null));
      },
      order: ({ preset }) => preview({ preset }),
      extra: (section) => section.analyser && mayChange ? analysisTrial(door, user) : null,
    });

    const hasBelow = (field) => field !== undefined && [...fieldsOf(settings).values()].some((one) => isSame(one.depends_on, field.path));

    // What hangs on a switch is greyed out with it, before it is saved.
    function redraw({ path }) {
      draw(settings);
      holder.querySelector(`[data-path="${CSS.escape(path.join("/"))}"]`)?.focus({ preventScroll: true });
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
        replace(bar, note, notice(told), actions(null));
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
      h("button", { type: "button", onclick: () => { drafts.delete(user); load(); } }, "Discard"),
      order && h("button", { type: "button", class: "primary", onclick: (event) => save(order, event.target) }, "Save"));

    async function save(order, button) {
      button.disabled = true;
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
        await load();
        holder.prepend(notice(`Saved as event #${answer.seq}.`, "good"));
        announce("Saved");
      } catch (error) {
        button.disabled = false;
        bar.prepend(notice(refusalTold(error.message, settings)));
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

/** The settings as a form shows them on which something was changed already. */
function withDraft(settings, edits, patch) {
  const changed = new Set(edits.map(([, field]) => pathOf(field)));
  return JSON.parse(JSON.stringify(settings), (_, one) =>
    one && Array.isArray(one.path) && changed.has(pathOf(one)) ? { ...one, value: valueAt(patch, one.path) ?? one.default } : one);
}
