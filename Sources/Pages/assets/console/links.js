import { h } from "../common/dom.js";
import { id } from "../common/text.js";

// Addresses of the views, and links to them.

export const personAddress = (user, rest = "") => `/people/${encodeURIComponent(user)}${rest}`;

export const noticeAddress = (user, notice) => personAddress(user, `/notice?notice=${encodeURIComponent(notice)}`);

/** A link to a person; facts about everybody have none. */
export function personLink(user) {
  return user ? h("a", { href: personAddress(user) }, id(user)) : h("span", { class: "soft" }, "everybody");
}

export const eventLink = (seq) => h("a", { href: `/log/${seq}` }, `#${seq}`);
