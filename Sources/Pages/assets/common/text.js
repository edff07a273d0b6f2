import { h } from "./dom.js";

// Controls, and the marks that turn the direction of what follows: a name must not be able to write on the page around it.
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufeff]/g;
const long = 320;

/** What others wrote, with what cannot be seen spelt out as the command line spells it. */
export function spelt(text) {
  return String(text).replace(unseen, (mark) => `\\u{${mark.codePointAt(0).toString(16)}}`);
}

/** What others wrote, as text on its own: its direction and its length end where it ends. */
export function said(text, tag = "bdi") {
  const shown = spelt(text);
  if (shown.length <= long) return h(tag, { class: "said" }, shown);
  const whole = h(tag, { class: "said" }, `${shown.slice(0, long)}…`);
  const more = h("button", { type: "button", class: "link", onclick: () => {
    whole.textContent = shown;
    more.remove();
  } }, `Show all ${shown.length.toLocaleString("en")} characters`);
  return h("span", null, whole, " ", more);
}

/** An id: what others wrote, in the letters of machines. */
export function id(text) {
  return h("bdi", { class: "id" }, spelt(text));
}
