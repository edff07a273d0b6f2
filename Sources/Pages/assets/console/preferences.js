import { announce, h, replace } from "../common/dom.js";
import { notice } from "../common/controls.js";
import { person } from "../common/door.js";
import { merged, previewTold, previewOf, refusalTold } from "../common/changes.js";
import { sectionsOf } from "../common/sections.js";
import { analysisTrial } from "../common/trial.js";

/** The preferences as a form. Changes gather below it in sentences, and are saved together. */
export async function preferencesTab(place) {
  const { door, user, signal, session } = place;
  const holder = h("div", { class: "stack" });
  const mayChange = session.may("operate");
  const load = async () => draw(await door.get(`${person(user)}/settings`, { signal }));

  function draw(settings) {
    let patch = {};
    let asking = null;
    const bar = h("section", { class: "draft", "aria-label": "What will change", hidden: true });
    const form = sectionsOf(settings, {
      mayChange, door, user, hasPresets: true,
      change: (part) => {
        patch = merged(patch, part);
        preview({ patch });
      },
      order: ({ preset }) => preview({ preset }),
      extra: (section) => section.analyser && mayChange ? analysisTrial(door, user) : null,
    });

    async function preview(order) {
      asking?.abort();
      asking = new AbortController();
      bar.hidden = false;
      try {
        const found = await previewOf(door, user, order, asking.signal);
        replace(bar, h("h2", null, order.preset ? `Preset: ${order.preset}` : order.reset ? "Back to the defaults" : "This will change"), previewTold(found), actions(order));
        announce(`${found.changes.length} changes, not saved yet`);
      } catch (error) {
        if (error.name !== "AbortError") replace(bar, notice(refusalTold(error.message, settings)), actions(null));
      }
    }

    const actions = (order) => h("div", { class: "actions" },
      h("button", { type: "button", onclick: () => load() }, "Discard"),
      order && h("button", { type: "button", class: "primary", onclick: (event) => save(order, event.target) }, "Save"));

    async function save(order, button) {
      button.disabled = true;
      try {
        const to = person(user);
        const answer = order.preset ? await door.post(`${to}/preset`, { preset: order.preset })
          : order.reset ? await door.post(`${to}/reset`, {}) : await door.patch(`${to}/preferences`, order.patch);
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
      settings.warnings.length > 0 && notice(settings.warnings.join(" "), "wait"),
      h("div", { class: "form-columns" }, form),
      mayChange && h("div", null, h("button", { type: "button", onclick: () => preview({ reset: true }) }, "Back to the defaults…")),
      bar);
  }

  await load();
  return holder;
}
