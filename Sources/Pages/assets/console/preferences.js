import { announce, h, replace } from "../common/dom.js";
import { notice } from "../common/controls.js";
import { person } from "../common/door.js";
import { fieldsOf, isSame, merged, previewTold, previewOf, rebased, refusalTold, subjectNames, valueAt } from "../common/changes.js";
import { nameKinds } from "../common/words.js";
import { drafts } from "./drafts.js";
import { markRefused, sectionsOf } from "../common/sections.js";
import { analysisTrial } from "../common/trial.js";

/** The preferences as a form. Changes gather below it in sentences, and are saved together. */
export async function preferencesTab(place) {
  const { door, user, signal, session } = place;
  const holder = h("div", { class: "stack" });
  const mayChange = session.may("operate");
  const load = async () => draw(await door.get(`${person(user)}/settings`, { signal }));

  function draw(settings) {
    let edits = drafts.get(user) ?? [];
    let asking = null;
    nameKinds(settings.sections.flatMap((section) => section.kinds ?? []));
    // The same patch, made to what is in force by then: others may save while changes gather here.
    const patchOn = (preferences) => edits.reduce((whole, [part, field]) => merged(whole, rebased(part, field, preferences)), {});
    const original = new Map();
    const bar = h("section", { class: "draft", "aria-label": "What will change", hidden: true });
    const form = sectionsOf(withDraft(aboutThem(settings), edits, patchOn(settings.preferences), original), {
      mayChange, door, user, hasPresets: true, isTheirs: true,
      change: (part, field) => {
        edits = [...edits, [part, original.get(field) ?? field]];
        drafts.set(user, edits);
        if (hasBelow(field)) redraw(field);
        else preview({ patch: patchOn(settings.preferences) });
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

    async function preview(order) {
      asking?.abort();
      asking = new AbortController();
      bar.hidden = false;
      for (const note of holder.querySelectorAll(".refusal")) unmark(note);
      try {
        const found = await previewOf(door, user, order, asking.signal);
        replace(bar, h("h2", null, order.preset ? `Preset: ${order.preset}` : order.reset ? "Back to the defaults" : "This will change"), previewTold(found, { zone: settings.timezone, nameOf: subjectNames(settings) }), actions(order));
        announce(`${found.changes.length} changes, not saved yet`);
      } catch (error) {
        if (error.name === "AbortError") return;
        const told = refusalTold(error.message, settings);
        replace(bar, notice(told), actions(null));
        const [part, field] = edits.at(-1) ?? [];
        const path = field && CSS.escape(field.path.join("/"));
        if (error.status === 400 && order.patch && path) {
          markRefused(holder.querySelector(`input[data-path="${path}"]:not([type=checkbox], [type=radio])`), told, valueAt(part, field.path));
        }
      }
    }

    const actions = (order) => h("div", { class: "actions" },
      h("button", { type: "button", onclick: () => { drafts.delete(user); load(); } }, "Discard"),
      order && h("button", { type: "button", class: "primary", onclick: (event) => save(order, event.target) }, "Save"));

    async function save(order, button) {
      button.disabled = true;
      try {
        const to = person(user);
        const answer = order.preset ? await door.post(`${to}/preset`, { preset: order.preset })
          : order.reset ? await door.post(`${to}/reset`, {})
            : await door.patch(`${to}/preferences`, patchOn((await door.get(`${to}/settings`, { signal })).preferences));
        drafts.delete(user);
        await load();
        holder.prepend(notice(`Saved as event #${answer.seq}.`, "good"));
        announce("Saved");
      } catch (error) {
        button.disabled = false;
        bar.prepend(notice(refusalTold(error.message, settings)));
      }
    }

    replace(holder,
      !mayChange && notice("Your role may read this, not change it.", "plain"),
      h("p", { class: "soft" }, "As the person has it on their own page: “you” is they."),
      settings.warnings.length > 0 && notice(settings.warnings.join(" "), "wait"),
      h("div", { class: "form-columns" }, form),
      mayChange && h("div", null, h("button", { type: "button", onclick: () => preview({ reset: true }) }, "Back to the defaults…")),
      bar);
    if (edits.length > 0) preview({ patch: patchOn(settings.preferences) });
  }

  await load();
  return holder;
}

/** What was refused was changed, or is asked about again. */
function unmark(note) {
  note.closest(".setting").querySelector("input").removeAttribute("aria-invalid");
  note.remove();
}

/** The settings document with the headings of an operator, who sees somebody else's. */
function aboutThem(settings) {
  const sections = settings.sections.map((section) => (section.name === "kinds" ? { ...section, label: "What reaches them" } : section));
  return { ...settings, sections };
}

/** The settings as a form shows them on which something was changed already. `original` gets each such field as it was drawn first. */
function withDraft(settings, edits, patch, original) {
  if (edits.length === 0) return settings;
  const drawn = new Map(edits.map(([, field]) => [field?.path.join("/"), field]));
  return JSON.parse(JSON.stringify(settings), (_, one) => {
    const first = one && Array.isArray(one.path) ? drawn.get(one.path.join("/")) : null;
    if (!first) return one;
    const changed = { ...one, value: valueAt(patch, one.path) ?? one.default };
    original.set(changed, first);
    return changed;
  });
}
