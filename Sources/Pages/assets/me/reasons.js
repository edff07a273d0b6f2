import { because, channelName } from "../common/words.js";

// What senders and providers say is for operators. A person is told what it comes to, and where on this page they can do
// something about it.

const causes = [
  [/too_late|before not_after/i, () => "it could not be sent in time"],
  [/no device is registered|no sender reaches/i, () => "no device is registered"],
  [/denied|disabled|not allowed/i, () => "notifications are disabled on the device"],
  [/unregistered|not ?registered|badtoken|baddevicetoken|devicetokennotfortopic|registration|subscription|\b410\b/i, (channel) =>
    channel === "push" ? "push token invalid: the app on your device has to be opened once more" : null],
  [/no email|no phone|no address|not verified/i, () => "no address is known"],
  [/time[sd]?.?out|timed|connect|resolve|refused|unreachable|network|reset|tls|certificate|\b429\b|\b5\d\d\b/i, () => "network error on the way"],
];
const reported = {
  bounced: { email: "mails to your address come back", sms: "your number cannot be reached" },
  complained: { email: "it was marked as spam" },
};

/** Why one channel failed, in a person's words. */
export function failureTold({ channel, status, reason }) {
  const known = reported[status]?.[channel];
  if (known) return known;
  if (channel === "email" && /\b5[05]\d\b/.test(reason ?? "")) return "your address does not take mails";
  for (const [pattern, told] of causes) {
    const words = pattern.test(reason ?? "") ? told(channel) : null;
    if (words) return words;
  }
  if (status === "expired") return "it could not be delivered in time";
  return channel === "push" ? "your device could not be reached" : "it was not taken";
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

const isTheirs = (told) => !/network error|in time|was not taken/.test(told);

/** The setting that has to do with why a notice failed or was withheld; `null` where nothing on this page has. */
export function placeOf(row) {
  if (row.status === "failed") {
    const one = failures(row).find((failure) => failure.channel && failure.channel !== "in_app" && isTheirs(failureTold(failure)));
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
