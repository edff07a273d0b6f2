import { h, plural } from "./dom.js";
import { person, sentence } from "./door.js";
import { notice } from "./controls.js";
import { because, kindName, plain, subjectTold, waysTold } from "./words.js";
import { said } from "./text.js";
import { when } from "./time.js";

/** A merge patch that puts one value at a path. */
export function patchAt(path, value) {
  return path.reduceRight((inner, name) => ({ [name]: inner }), value);
}

/** Two merge patches as one; the later wins. */
export function merged(first, second) {
  const whole = { ...first };
  for (const [name, value] of Object.entries(second)) {
    whole[name] = isObject(value) && isObject(whole[name]) ? merged(whole[name], value) : value;
  }
  return whole;
}

/** What stands in a document at a path. */
export const valueAt = (document, path) => path.reduce((inner, name) => inner?.[name], document);

/**
 * A change as it is to be made to a document that somebody else may have changed since it was drawn: of a list, what was put
 * in or taken out; of a schedule, the days that were changed. All else is saved as it was set.
 */
export function rebased(patch, field, document) {
  if (!field) return patch;
  return patchAt(field.path, moved(field.value, valueAt(patch, field.path), valueAt(document, field.path)));
}

/**
 * What takes a change back: of what nobody has changed since, all of it, so that a default is a default again; else only the
 * step. Where somebody is has no default: `null` would move nobody.
 */
export function takenBack(made, field, before, now) {
  const { path } = field;
  const [saved, earlier] = [valueAt(made, path), valueAt(before.preferences, path)];
  const wasDefault = (valueAt(before.changed, path) ?? null) === null && path[0] !== "timezone";
  const isUntouched = saved === null || isSame(saved, valueAt(now, path));
  return patchAt(path, wasDefault && isUntouched ? null : moved(saved, earlier ?? field.value, valueAt(now, path)));
}

/**
 * Whether a change is there to be taken back: nobody has set what it set to something else since. Of a list it may be there in
 * part; of a schedule it is each day that it changed.
 */
export function isStillMade(made, field, before, now) {
  const { path } = field;
  const [saved, earlier, current] = [valueAt(made, path), valueAt(before.preferences, path), fieldsOf(now).get(path.join("/"))?.value];
  if (saved === null) return (valueAt(now.changed, path) ?? null) === null;
  if ([saved, earlier, current].every(Array.isArray)) return true;
  if (!isObject(saved) || !isObject(current)) return isSame(saved, current);
  const changed = Object.keys(saved).filter((name) => !isSame(saved[name], earlier?.[name]));
  return changed.every((name) => isSame(saved[name], current[name]));
}

/** The step from one value to another, taken from where a third is. */
export function moved(from, to, now) {
  const all = [from, to, now];
  if (all.every(Array.isArray)) {
    return [...now.filter((one) => !from.includes(one) || to.includes(one)), ...to.filter((one) => !from.includes(one) && !now.includes(one))];
  }
  if (all.every(isObject)) {
    return Object.fromEntries(Object.keys(to).map((name) => [name, isSame(from[name], to[name]) ? now[name] ?? to[name] : to[name]]));
  }
  return to;
}

/** The paths that a change of settings sets. Most are of one field. */
export function pathsOf(part, field) {
  if (field) return [field.path];
  return Object.entries(part).flatMap(([name, value]) =>
    (isObject(value) ? pathsOf(value).map((path) => [name, ...path]) : [[name]]));
}

export const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** What a change would do, as the worker decides it in earnest; nothing is recorded. */
export function previewOf(door, user, order, signal) {
  return door.post(`${person(user)}/preview`, order, { signal });
}

/** A preview in sentences: what changes, what to mind, what becomes of what waits. */
export function previewTold(preview, { zone = null, nameOf = (subject) => subject } = {}) {
  const waiting = preview.waiting ?? [];
  return h("div", { class: "stack tight" },
    preview.changes.length === 0
      ? h("p", null, "Nothing would change: it is like that already.")
      : h("ul", { class: "changes" }, preview.changes.map((change) => h("li", null, said(sentence(change.sentence), "span")))),
    preview.warnings.length > 0 && notice("Mind:", "wait", h("ul", null, preview.warnings.map((one) => h("li", null, said(sentence(one), "span"))))),
    waiting.length > 0 && h("div", null, h("p", null, `What waits now (${plural(waiting.length, "notice")}):`),
      h("ul", { class: "changes" }, waiting.map((one) => h("li", null, said(calledIn(one, nameOf)), ` (${when(one.raised_at, { zone, full: true, theirs: true })}) `, fate(one))))));
}

/** One that has no title of its own yet is told from others of its kind by what it is about. */
const calledIn = ({ title, kind, subject }, nameOf) => title ?? [kindName(kind), subject ? nameOf(subject) : null].filter(Boolean).join(": ");

/** Whether a setting is still there to be set as it was drawn. A policy that was adopted meanwhile may have taken it away, or allow other values. */
export function isStillThere(field, settings) {
  if (!field) return true;
  const found = fieldsOf(settings).get(field.path.join("/"));
  return found !== undefined && ["type", "values", "allowed", "range", "length_max", "count_max", "locked"].every((name) => isSame(found[name], field[name]));
}

/** Whether two documents let one set the same, whatever is set. Goals and other subjects come and go by themselves. */
export function hasSameForm(one, other) {
  const lasting = (settings) => [...fieldsOf(settings).values()].filter(({ path }) => path[0] !== "goals" && path[0] !== "subjects");
  const fields = lasting(one);
  return fields.length === lasting(other).length && fields.every((field) => isStillThere(field, other));
}

/** What is told of a change that can be made no more, and of a form that is another now. */
export const formChanged = "What can be set here has changed meanwhile. It is shown as it is now.";

/** Every field by its path, wherever it stands. */
export function fieldsOf(settings) {
  const found = new Map();
  const keep = (field) => { if (field?.path) found.set(field.path.join("/"), field); };
  for (const section of settings.sections) {
    section.fields?.forEach(keep);
    for (const kind of section.kinds ?? []) [kind.enabled, kind.channels, kind.digest, ...(kind.subtypes ?? [])].forEach(keep);
    for (const one of [...(section.goals ?? []), ...(section.subjects ?? [])]) [...(one.fields ?? []), ...(one.kinds ?? [])].forEach(keep);
  }
  return found;
}

/** What the settings call a goal or another subject. */
export function subjectNames(settings) {
  const names = new Map();
  for (const section of settings?.sections ?? []) {
    for (const { goal, title } of section.goals ?? []) names.set(`goal:${goal}`, title ?? goal);
    for (const { subject, title } of section.subjects ?? []) if (title !== subject) names.set(subject, title);
  }
  return (subject, title = null) => subjectTold(subject, title ?? names.get(subject));
}

const refusedPath = /^(?:data\.)?patch\.([^\s:]+): /i;

/** Which of several edits, each a patch and its field, the worker’s words are about. Not always the last: they may come faster than answers. */
export function refusedOf(edits, message) {
  const [, told] = refusedPath.exec(message) ?? [];
  const isWithin = (one, other) => `${one}.`.startsWith(`${other}.`);
  const isToldOf = ([, field]) => {
    const path = field?.path.join(".");
    return path && told && (isWithin(path, told) || isWithin(told, path));
  };
  return edits.findLast(isToldOf) ?? edits.at(-1);
}

/** Why a change is refused, with the settings by their labels where the worker names their paths. */
export function refusalTold(message, settings) {
  const names = namesOf(settings);
  const [whole, path] = refusedPath.exec(message) ?? ["", null];
  const place = path && [...names.keys()].filter((one) => path === one || path.startsWith(`${one}.`) || one.startsWith(`${path}.`))
    .sort((a, b) => b.length - a.length)[0];
  // A word by itself is one of the language, but for the switch of everything.
  const told = message.slice(whole.length).replace(/a schedule needs at least one slot;.*$/, "leave hours on one day at least, or choose “No schedule”").replace(/[a-z_]+(?:\.[a-z_]+)+|\benabled\b/g, (name) => names.get(name)?.name ?? name);
  const readable = told.replace(/^"(.*)" is not (?:the name of a time zone|a time zone of this machine's tz database [^;]*|a zone of this tz database)/, "“$1” is not a time zone that is known here")
    .replace(/at most (\d+) bytes/, "at most $1 characters (those beyond A to Z count for two to four)");
  return place ? `${names.get(place).full}: ${readable}` : sentence(readable);
}

/** Every setting’s label by its path. */
function namesOf(settings) {
  const names = new Map();
  for (const section of settings?.sections ?? []) {
    const keep = (field, within) => {
      if (!field?.path) return;
      const name = `“${field.label}”`;
      names.set(field.path.join("."), { name, full: within === field.label ? name : `${name} under “${within}”` });
    };
    section.fields?.forEach((field) => keep(field, section.label));
    const kinds = (list, within) => (list ?? []).forEach((kind) => {
      keep(kind.enabled && { ...kind.enabled, label: kind.enabled.label ?? kind.label }, within);
      [kind, kind.channels, kind.digest, ...(kind.subtypes ?? [])].forEach((field) => keep(field, kind.label ?? within));
    });
    kinds(section.kinds, section.label);
    for (const one of [...(section.goals ?? []), ...(section.subjects ?? [])]) {
      one.fields?.forEach((field) => keep(field, one.title ?? one.goal ?? one.subject));
      kinds(one.kinds, one.title ?? one.goal ?? one.subject);
    }
  }
  return names;
}

function fate(one) {
  switch (one.fate) {
    case "dropped": return `would not come: ${because(one.reason)}.`;
    case "dropped_from_digest": return `would be left out of its digest: ${because(one.reason)}.`;
    case "held": return `would wait: ${because(one.reason)}.`;
    case "gathered": return `would go into a digest: ${because(one.reason)}.`;
    case "released": return `would come at once, ${waysTold(one.channels ?? [])}.`;
    default: return `${plain(one.fate)}.`;
  }
}
