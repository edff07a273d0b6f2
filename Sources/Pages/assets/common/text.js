import { focusHere, h } from "./dom.js";

// What would turn the direction of what follows, or not be seen at all: a name must not be able to write on the page around
// it, nor to look like another. The same as the command line escapes (`Visible`), but for line ends and tabs.
const unseen = new RegExp("[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180e"
  + "\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb"
  + "\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]", "gu");
const isUnseen = (mark) => mark.search(unseen) === 0;
const long = 320;

// What breaks a line, and controls with the marks that turn the direction: the same as notices are cleaned of (`Plain.lines`).
const breaking = /[\u000b-\u000d\u0085\u2028\u2029]/g;
const turning = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** What others wrote as their notices show it: nothing in it is code, and nothing turns what stands around it. */
export const cleaned = (text) => String(text).replace(breaking, " ").replace(turning, "");

let isForReaders = false;
/** On a page of one person’s own what others wrote is shown as in their notices, instead of spelt out for who looks for tricks. */
export function showAsNotices() { isForReaders = true; }

/** What others wrote, with what cannot be seen spelt out as the command line spells it, or as a notice shows it. */
export function spelt(text) {
  if (isForReaders) return cleaned(text);
  return String(text).replace(unseen, (mark, place, whole) => (joins(mark, place, whole) ? mark : `\\u{${mark.codePointAt(0).toString(16).padStart(2, "0")}}`));
}

// A joiner belongs between letters of Persian or of India, or between emoji; beside anything else it only hides.
function joins(mark, place, whole) {
  if (mark !== "\u200c" && mark !== "\u200d") return false;
  const neighbours = [[...whole.slice(Math.max(0, place - 2), place)].at(-1), [...whole.slice(place + 1, place + 3)][0]];
  return neighbours.every((one) => one && one.codePointAt(0) > 0x7f && !isUnseen(one));
}

/** Whether a text is what stands in the place of one that was erased. */
export const isErased = (text) => text === "[erased]";

/** What others wrote, as text on its own: its direction and its length end where it ends. */
export function said(text, tag = "bdi") {
  const shown = spelt(text);
  if (shown.length <= long) return h(tag, { class: "said" }, shown);
  const whole = h(tag, { class: "said" }, `${shown.slice(0, long)}…`);
  const more = h("button", { type: "button", class: "link", onclick: () => {
    whole.textContent = shown;
    more.remove();
    focusHere(whole);
  } }, `Show all ${shown.length.toLocaleString("en")} characters`);
  return h("span", null, whole, " ", more);
}

// A part of an id that is no longer than this stays on one line.
const partMost = 24;

/** An id: what others wrote, in the letters of machines. It is broken behind a slash rather than within a part. */
export function id(text) {
  const parts = spelt(text).split(/(?<=\/)/);
  return h("bdi", { class: "id" }, parts.map((part, index) => [
    index > 0 && h("wbr"), part.length <= partMost ? h("span", { class: "nowrap" }, part) : part]));
}

/**
 * A name as a step of a path. `.` and `..` are people's ids too, and a browser takes them for other addresses however they are
 * percent-encoded; no id has a `~`.
 */
export const step = (name) => (isDots(name) ? `~${name}` : encodeURIComponent(name));

/** The name that a step of a path stands for. */
export function named(step) {
  let name = step;
  try { name = decodeURIComponent(step); } catch { /* as it was typed */ }
  return name.startsWith("~") && isDots(name.slice(1)) ? name.slice(1) : name;
}

/** Whether anybody could have this id, or one that begins so (SPEC §2). */
export const isId = (text) => /^[A-Za-z0-9._:@-]{1,128}$/.test(text);

const isDots = (name) => name === "." || name === "..";
