import { h } from "../common/dom.js";
import { id, isId, step } from "../common/text.js";

// Addresses of the views, and links to them.

export const personAddress = (user, rest = "") => `/people/${step(user)}${rest}`;

export const noticeAddress = (user, notice) => personAddress(user, `/notice?notice=${encodeURIComponent(notice)}`);

/**
 * A link to a person; facts about everybody have none. Whoever was erased has no page any more, and in each partition's log a number in
 * place of their id: the link is to their events there.
 */
export function personLink(user, partition = null) {
  if (!user) return h("span", { class: "soft" }, "everybody");
  const events = `/log?user=${encodeURIComponent(user)}${partition === null ? "" : `&partition=${partition}`}`;
  return h("a", { href: isId(user) ? personAddress(user) : events }, id(user));
}

/** Where a log is in partitions, each has numbers of its own, and -1 is what is about everyone. */
export const eventAddress = (seq, partition = null) => `/log/${seq}${partition === null ? "" : `?partition=${partition}`}`;

export const eventLink = (seq, partition = null) => h("a", { href: eventAddress(seq, partition) },
  partition === null ? `#${seq}` : `#${seq} in ${partitionName(partition)}`);

/** What the worker is asked of one event. */
export const eventPath = (seq, partition = null) => `/v1/events/${encodeURIComponent(seq)}${partition === null ? "" : `?partition=${encodeURIComponent(partition)}`}`;

export const partitionName = (partition) => (Number(partition) < 0 ? "the log of everyone" : `partition ${partition}`);
