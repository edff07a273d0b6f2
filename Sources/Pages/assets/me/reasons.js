import { because, channelName } from "../common/words.js";

// What senders and providers say is for operators. A person is told what it comes to, which the worker knows (`means`), and
// where on this page they can do something about it.

const meanings = {
  too_late: () => "it could not be sent in time",
  no_address: (channel) => ({ push: "no device is registered", sms: "no phone number is verified" })[channel] ?? "no address is known",
  address_dead: (channel) => ({ push: "push token invalid: the app on your device has to be opened once more",
    email: "your address does not take mails", sms: "your number cannot be reached" })[channel] ?? unknown,
  stopped: () => "you answered STOP to the text messages; after START they can come again",
  switched_off: () => "you had switched it off before it was sent",
  no_consent: () => "there was no consent any more when it was to be sent",
  settled: () => "what it was for was done before it was sent",
  answered: () => "you had opened it, dismissed it or put it off before it was sent",
  network: () => "network error on the way",
};
const reported = {
  bounced: { email: "mails to your address come back", sms: "your number cannot be reached" },
  complained: { email: "it was marked as spam" },
};
const unknown = "it could not be delivered";

/** Why one channel failed, in a person's words. What only the operator can mend is not explained to them. */
export function failureTold({ channel, status, means }) {
  const told = reported[status]?.[channel] ?? meanings[means]?.(channel);
  return told ?? (status === "expired" ? "it could not be delivered in time" : unknown);
}

const failing = new Set(["failed", "bounced", "complained", "expired"]);

/** The last word on each channel, where it was a failure. */
export function failures(row) {
  const last = new Map();
  for (const one of row.outcomes) if (one.status !== "retried") last.set(one.channel, one);
  return [...last.values()].filter((one) => failing.has(one.status));
}

/** “By push: network error; by email: mails to your address come back.” */
export function failuresTold(row) {
  const found = failures(row);
  if (found.length === 0) return because(row.reason);
  return found.map((one) => (one.channel ? `by ${channelName(one.channel)}: ${failureTold(one)}` : failureTold(one))).join("; ");
}

const mendable = new Set(["no_address", "address_dead", "stopped"]);
/** Whether the person can do something about it. */
const isTheirs = ({ channel, status, means }) => Boolean(reported[status]?.[channel]) || mendable.has(means);

/** The setting that has to do with why a notice failed or was withheld; `null` where nothing on this page has. */
export function placeOf(row) {
  if (row.status === "failed") {
    const one = failures(row).find((failure) => failure.channel && failure.channel !== "in_app" && isTheirs(failure));
    return one ? { path: `channels/${one.channel}`, section: "channels" } : null;
  }
  switch (row.reason) {
    case "opted_out": return { path: "enabled", section: "master" };
    case "kind_off": return { path: `kinds/${row.kind}/enabled`, section: "kinds" };
    case "no_channel": return { path: `kinds/${row.kind}/channels`, within: row.kind, section: "channels" };
    case "quiet_hours": return { path: "quiet_hours/enabled", section: "quiet_hours" };
    case "outside_schedule": return { path: "schedule", section: "schedule" };
    case "digest_mode": return { path: "digest_mode", section: "master" };
    default: return null;
  }
}
