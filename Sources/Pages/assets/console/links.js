import { h } from "../common/dom.js";
import { id, step } from "../common/text.js";

// Addresses of the views, and links to them.

export const personAddress = (user, rest = "") => `/people/${step(user)}${rest}`;

export const noticeAddress = (user, notice) => personAddress(user, `/notice?notice=${encodeURIComponent(notice)}`);

/** A link to a person; facts about everybody have none. */
export function personLink(user) {
  return user ? h("a", { href: personAddress(user) }, id(user)) : h("span", { class: "soft" }, "everybody");
}

/** Where a log is in partitions, each has numbers of its own, and -1 is what is about everyone. */
export const eventAddress = (seq, partition = null) => `/log/${seq}${partition === null ? "" : `?partition=${partition}`}`;

export const eventLink = (seq, partition = null) => h("a", { href: eventAddress(seq, partition) },
  partition === null ? `#${seq}` : `#${seq} in ${partitionName(partition)}`);

/** What the worker is asked of one event. */
export const eventPath = (seq, partition = null) => `/v1/events/${encodeURIComponent(seq)}${partition === null ? "" : `?partition=${encodeURIComponent(partition)}`}`;

export const partitionName = (partition) => (Number(partition) < 0 ? "the log of everyone" : `partition ${partition}`);
