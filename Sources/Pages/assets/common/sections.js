import { h, unique } from "./dom.js";
import { said, spelt } from "./text.js";
import { chip } from "./controls.js";
import { control } from "./fields.js";
import { fieldsOf, patchAt } from "./changes.js";
import { stamp } from "./time.js";
import { because, capital, channelName, plain, subjectTold } from "./words.js";

/**
 * A settings document as a form. Nothing of a policy is known here: whatever it declares comes as sections of fields.
 *
 * `change` gets a merge patch, `problem` why what was typed cannot be one, `order` a preset, `extra` may add to a section by its name.
 */
export function sectionsOf(settings, options) {
  const drawing = { ...options, all: fieldsOf(settings), settings };
  return settings.sections.filter((section) => section.name !== "presets" || options.hasPresets).map((section) => {
    const heading = unique("section");
    return h("section", { class: "sheet section", "aria-labelledby": heading, "data-section": section.name },
      h("h2", { id: heading }, said(section.label)),
      parts(section, drawing), options.extra?.(section, drawing));
  });
}

function parts(section, drawing) {
  return h("div", null,
    section.presets && presets(section.presets, drawing),
    settingsOf(section.fields ?? [], drawing),
    (section.kinds ?? []).map((kind) => expander({ ...kind, key: kind.name }, [{ fields: kindFields(kind) }], kind.enabled, drawing)),
    (section.goals ?? []).map((goal) => expander(
      { key: `goal:${goal.goal}`, label: goal.title ?? goal.goal, deadline: goal.deadline, own: ["goals", goal.goal] },
      [{ label: "Its reminder", fields: goal.fields ?? [] }, { label: "What comes about it", fields: goal.kinds ?? [] }], null, drawing)),
    (section.subjects ?? []).map((one) => expander(
      { key: one.subject, label: subjectTold(one.subject, one.title === one.subject ? null : one.title), own: ["subjects", one.subject] }, [{ fields: one.kinds ?? [] }], null, drawing)),
    section.analyser && analyser(section.analyser));
}

const kindFields = (kind) => [kind.channels, kind.digest, ...(kind.subtypes ?? [])].filter(Boolean);

/** The switch that is off and takes this field with it; `null` where the field means something. A switch may hang on another. */
function switchedOffBy(field, all) {
  const above = field.depends_on && all.get(field.depends_on.join("/"));
  if (!above) return null;
  return switchedOffBy(above, all) ?? (above.value === false ? above : null);
}

/** `isToldAbove`: the setting before it hangs on the same switch, and says so. */
function setting(field, { all, mayChange, change, problem }, isToldAbove = false) {
  const waitsFor = switchedOffBy(field, all);
  const isOff = !mayChange || field.locked || waitsFor !== null;
  // A channel that is off as a whole reaches nobody by any kind: "if off, all push options are greyed out".
  const isBarred = (channel) => all.get(`channels/${channel}`)?.value === false;
  const barred = field.type === "channels" ? (field.allowed ?? []).filter(isBarred) : [];
  const made = control(field, { isOff, isBarred, onproblem: problem, onchange: (value, from) => change(patchAt(field.path, value), from === undefined ? field : { ...field, value: from }) });
  const name = made.labelled
    ? h("label", { class: "setting-name", for: made.labelled.id }, said(field.label))
    : h("span", { class: "setting-name" }, said(field.label));
  const also = field.also_on && field.value === false && !waitsFor && all.get(field.also_on.join("/"));
  const reasons = [waitsFor && !isToldAbove && withoutEffect(waitsFor, field), also?.value === true && `Comes all the same: “${also.label}” is on.`];
  const note = notesOf(field, { isOff, mayChange, change, barred, reasons });
  if (note && made.labelled) {
    note.id = unique("note");
    made.labelled.setAttribute("aria-describedby", note.id);
  }
  made.node.dataset.path = field.path.join("/");
  return h("div", { class: `setting${made.isWide ? " wide" : ""}${waitsFor ? " off" : ""}` }, name, made.node, note);
}

const own = { goals: " for this goal", subjects: " here" };

/** Where a switch can be for one goal and for all, it says which of them is off. */
const withoutEffect = ({ label, path }, field) =>
  `Without effect as long as “${label}” is off${own[path[0]] ?? (own[field.path[0]] ? " altogether" : "")}.`;

/** Settings one beneath the other; what takes several of them with it is told at the first. */
function settingsOf(fields, drawing) {
  let last = null;
  return fields.map((field) => {
    const switching = switchedOffBy(field, drawing.all);
    const isToldAbove = switching !== null && switching === last;
    last = switching;
    return setting(field, drawing, isToldAbove);
  });
}

/** A field whose value was refused keeps it, and says why beneath. */
export function markRefused(input, told, typed) {
  if (!input) return;
  input.value = typed;
  input.setAttribute("aria-invalid", "true");
  const row = input.closest(".setting");
  const note = row.querySelector(".refusal") ?? row.appendChild(h("p", { class: "setting-note refusal", id: unique("refusal") }));
  note.textContent = told;
  input.setAttribute("aria-errormessage", note.id);
  // Not everything that reads a page aloud knows of error messages.
  input.setAttribute("aria-describedby", [...describing(input).filter((one) => one !== note.id), note.id].join(" "));
}

/** A field in which another value is given has no refusal. */
export function unmarkRefused(input) {
  const note = input?.closest(".setting").querySelector(".refusal");
  if (!note) return;
  const others = describing(input).filter((one) => one !== note.id);
  for (const name of ["aria-invalid", "aria-errormessage", "aria-describedby"]) input.removeAttribute(name);
  if (others.length > 0) input.setAttribute("aria-describedby", others.join(" "));
  note.remove();
}

/** The ids of what describes a field. */
const describing = (input) => (input.getAttribute("aria-describedby") ?? "").split(" ").filter(Boolean);

function notesOf(field, { isOff, mayChange, change, barred, reasons }) {
  const parts = [
    ...reasons.filter(Boolean).map((reason) => h("span", null, said(reason, "span"))),
    field.help && h("span", null, said(field.help, "span")),
    barred.length > 0 && h("span", null, `Switched off for everything, under “Channels”: ${barred.map(channelName).join(", ")}.`),
    field.locked && h("span", null, said(field.why_locked ?? "This cannot be switched.", "span")),
    field.range && h("span", null, `${field.range[0]} to ${field.range[1]}`),
    field.changed && mayChange && !field.locked && h("button", { type: "button", class: "link", disabled: isOff,
      "aria-label": `${spelt(field.label)}: back to ${inWords(field.default, field)}`,
      onclick: () => change(patchAt(field.path, null), field) }, `Back to ${inWords(field.default, field)}`),
  ].filter(Boolean);
  return parts.length > 0 ? h("div", { class: "setting-note" }, parts) : null;
}

function inWords(value, field) {
  if (value === true) return "“on”";
  if (value === false) return "“off”";
  if (value === null || value === undefined || value === "") return "the default";
  const named = (one) => field.values?.find((each) => each.value === one)?.label ?? (field.type === "channels" ? channelName(one) : plain(one));
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.length > 4 ? "the default" : value.map(named).join(", ");
  return typeof value === "object" ? "the default" : spelt(named(value));
}

const opened = new Set();

/** Has the parts of a kind, a goal or a subject shown when the form is drawn next. */
export const openUp = (key) => opened.add(key);

/** A kind, a goal or a subject: its own switch, and the rest behind a button. */
function expander(one, groups, enabled, drawing) {
  const fields = groups.flatMap((group) => group.fields);
  const inside = h("div", { class: "inside", id: unique("inside"), hidden: !opened.has(one.key) });
  const fill = () => {
    if (inside.childElementCount > 0) return;
    inside.append(...groups.filter((group) => group.fields.length > 0).map((group) => groupOf(group, drawing)), ...[revert(one, fields, drawing), drawing.inside?.(one)].filter(Boolean));
  };
  const isLocked = one.locked === true;
  const waitsFor = enabled ? switchedOffBy(enabled, drawing.all) : null;
  const button = h("button", { type: "button", class: "quiet small foldaway", "aria-expanded": String(!inside.hidden), "aria-controls": inside.id,
    "aria-label": `${inside.hidden ? "More" : "Less"} about ${spelt(one.label)}`, "data-path": `more/${one.key}`, onclick: () => {
      inside.hidden = !inside.hidden;
      if (inside.hidden) opened.delete(one.key); else { opened.add(one.key); fill(); }
      button.setAttribute("aria-expanded", String(!inside.hidden));
      button.textContent = inside.hidden ? "More" : "Less";
      button.setAttribute("aria-label", `${inside.hidden ? "More" : "Less"} about ${spelt(one.label)}`);
    } }, inside.hidden ? "More" : "Less");
  if (!inside.hidden) fill();
  const made = enabled ? control(enabled, { isOff: !drawing.mayChange || isLocked || enabled.locked || waitsFor !== null,
    onchange: (value) => drawing.change(patchAt(enabled.path, value), enabled) }) : null;
  if (made) made.node.dataset.path = enabled.path.join("/");
  return h("div", { class: "expander" },
    h("div", { class: "setting" },
      made ? h("label", { class: "setting-name", for: made.labelled.id }, said(one.label)) : h("span", { class: "setting-name" }, said(one.label)),
      made?.node,
      h("div", { class: "setting-note" },
        (isLocked || enabled?.locked) && h("span", null, said(one.why_locked ?? enabled?.why_locked ?? "This cannot be switched off.", "span")),
        waitsFor && h("span", null, said(withoutEffect(waitsFor, enabled), "span")),
        one.deadline && h("span", null, "Until ", stamp(one.deadline, { zone: drawing.settings.timezone, full: true })),
        fields.length > 0 && button)),
    inside);
}

/** Settings that belong together; parts of a kind stand under it, further in. */
function groupOf({ label, fields }, drawing) {
  if (!label) return h("div", null, settingsOf(fields, drawing));
  const rows = [];
  const made = settingsOf(fields, drawing);
  for (const [index, field] of fields.entries()) {
    const isPart = field.path.at(-2) === "subtypes" && rows.length > 0;
    if (!isPart) rows.push(h("div", null));
    const parts = isPart ? rows.at(-1).querySelector(".parts") ?? rows.at(-1).appendChild(h("div", { class: "parts" })) : rows.at(-1);
    parts.append(made[index]);
  }
  const heading = unique("group");
  return h("div", { class: "settings-group", role: "group", "aria-labelledby": heading }, h("h3", { id: heading }, label), rows);
}

/** A goal or a subject with settings of its own can be as all others again. */
function revert(one, fields, { mayChange, change }) {
  if (!one.own || !mayChange || !fields.some((field) => field.changed)) return null;
  return h("div", null, h("button", { type: "button", class: "small", "aria-label": `Use the default settings: ${spelt(one.label)}`,
    onclick: () => change(patchAt(one.own, null)) }, "Use the default settings"));
}

function presets(list, { order, mayChange, settings, isTheirs }) {
  return h("div", { class: "presets", role: "group", "aria-label": "Presets" }, list.map((one) =>
    h("button", { type: "button", disabled: !mayChange, "aria-pressed": String(settings.preset === one.name), "data-path": `preset/${one.name}`,
      onclick: () => order({ preset: one.name, label: one.label }) }, h("b", null, said(one.label)), h("span", null, said(one.about ?? "")))),
    settings.preset === "custom" && h("p", { class: "help" }, isTheirs ? "These settings are their own: none of the presets." : "These settings are your own: none of the presets."));
}

function analyser({ status, reason }) {
  const words = { active: ["Messages are being looked at", "good"], using_fallback: ["The simple rules decide for now", "wait"],
    untested: ["Nothing was looked at yet", "plain"], off: ["No analyser is set up", "plain"] }[status] ?? [capital(plain(status)), "plain"];
  return h("p", { class: "setting-note" }, chip(words[0], words[1]), reason && because(reason));
}

