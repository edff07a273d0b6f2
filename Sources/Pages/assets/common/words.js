import { plural } from "./dom.js";
import { spelt } from "./text.js";

// The log's words, in the words of people.

const reasons = {
  expired: "it had expired",
  settled: "it was settled already",
  no_consent: "consent is missing",
  opted_out: "notifications are switched off",
  kind_off: "this kind is switched off",
  no_channel: "no chosen channel reaches them",
  viewing: "they were looking at the conversation",
  quiet_hours: "quiet hours",
  outside_schedule: "outside their weekly schedule",
  digest_mode: "they want it in a digest",
  cooldown: "one of this kind came shortly before",
  overload: "too many at once",
  daily_cap: "the day’s limit was reached",
  already_active_today: "they were active today already",
  superseded: "a newer one took its place",
  missed: "its time was missed by too much",
  analysis_limit: "the hour’s analyses were used up",
  ai_unavailable: "the analyser gave no answer",
  no_rule_matched: "no rule called for it",
  suppressed: "messages are suppressed without the analyser",
  too_late: "it could not be sent in time",
};

/** On a page of one person’s own, what is said of them is said to them. */
export function speakToThem() {
  Object.assign(reasons, {
    no_channel: "no chosen channel reaches you", viewing: "you were looking at the conversation", outside_schedule: "outside your weekly schedule",
    digest_mode: "you want it in a digest", already_active_today: "you were active today already", kind_off: "this kind is switched off in your settings",
    opted_out: "you switched notifications off",
  });
}

export const plain = (word) => String(word).replaceAll("_", " ");
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
export const because = (reason) => reasons[reason] ?? plain(reason ?? "no reason was recorded");

/** The worker ends what it says of a decision or an end with the reason’s name. */
export const inWords = (says) => String(says).replace(/: ([a-z_]+)(?=$|,| \()/g, (whole, reason) => (reasons[reason] ? `: ${reasons[reason]}` : whole));

/** Why nothing would come of a slot, without the rule’s number. */
export const silenceTold = (words) => words.replace(/ \([A-Z]\d+\)$/, "");

const kinds = new Map();
/** What the policy calls its kinds, for every view to call them so. */
export function nameKinds(list) {
  kinds.clear();
  for (const { name, label } of list) kinds.set(name, spelt(label));
}
/** A kind by its label; one that no policy in force names, by its name in plain words. */
export const kindName = (kind) => kinds.get(kind) ?? spelt(capital(plain(kind ?? "")));

/** What a notice is about: by its title or name where it has one, else by what it is and its id. */
export function subjectTold(subject, title = null) {
  if (title) return title;
  const place = subject.indexOf(":");
  return place > 0 ? `${plain(subject.slice(0, place))} “${subject.slice(place + 1)}”` : `“${subject}”`;
}

const channels = { push: "push", email: "email", sms: "SMS", in_app: "in the app" };
export const channelName = (channel) => channels[channel] ?? plain(channel);
export const channelList = (list) => list.length === 0 ? "no channel" : list.map(channelName).join(", ");
/** By which ways something goes or went: “by push, email and in the app”. */
export function waysTold(list) {
  const ways = list.filter((channel) => channel !== "in_app").map(channelName);
  if (list.length === 0) return "by no channel";
  if (ways.length === 0) return channels.in_app;
  return `by ${ways.join(", ")}${ways.length < list.length ? ` and ${channels.in_app}` : ""}`;
}
/** The channels that a job went out on as far as is known: those whose latest word is good. */
export function channelsReached({ channels, outcomes }) {
  const latest = new Map((outcomes ?? []).filter((one) => one.channel).map((one) => [one.channel, one.status]));
  const reached = [...latest].filter(([, status]) => status === "sent" || status === "delivered").map(([channel]) => channel);
  return reached.length > 0 ? reached : channels ?? [];
}
/** What a provider’s or the app’s taking of a job is called. */
export const takenBy = (channel) => (channel === "in_app" ? "Shown in the app" : `Taken by ${channelName(channel)}`);

/** How much was handed out on a day. What is critical, and what is shown in the app alone, counts towards no limit (P17). */
export function handedOut({ all_jobs_today: all, jobs_today: counted, daily_cap: cap }, when) {
  const sent = `${all === 0 ? "No notice" : plural(all, "notice")} handed out ${when}`;
  return cap === null || cap === undefined ? sent : `${sent}, ${counted} of ${cap} counted towards the day’s limit`;
}

const rules = {
  P1: "Not expired", P2: "Not settled", P3: "Consent given", P4: "Notifications on", P5: "Kind switched on",
  P6: "A channel reaches them", P7: "Not looking at it", P8: "Outside quiet hours", P9: "Within the schedule",
  P10: "Not for a digest", P11: "No cooldown", P12: "Not too many in an hour", P13: "Under the day’s limit",
};
export const ruleName = (rule, name) => rules[rule] ?? capital(plain(name));

/** The colours and shapes of what can become of a notice; `tone` is a class of the style sheet. */
export const states = {
  raised: { label: "Raised", tone: "plain" },
  requested: { label: "Raised", tone: "plain" },
  held: { label: "Held", tone: "wait" },
  gathered: { label: "Gathered", tone: "gather" },
  dropped: { label: "Dropped", tone: "drop" },
  skipped: { label: "Skipped", tone: "drop" },
  emitted: { label: "Handed out", tone: "send" },
  joined: { label: "Handed out", tone: "send" },
  sent: { label: "Sent", tone: "send" },
  delivered: { label: "Delivered", tone: "good" },
  failed: { label: "Failed", tone: "bad" },
  bounced: { label: "Bounced", tone: "bad" },
  complained: { label: "Complained", tone: "bad" },
  expired: { label: "Expired", tone: "bad" },
  retried: { label: "Tried again", tone: "plain" },
  opened: { label: "Opened", tone: "good" },
  dismissed: { label: "Dismissed", tone: "plain" },
  snoozed: { label: "Snoozed", tone: "wait" },
  judged: { label: "Judged", tone: "plain" },
  helpful: { label: "Helpful", tone: "good" },
  not_helpful: { label: "Not helpful", tone: "drop" },
  queued: { label: "Waiting", tone: "wait" },
  blocked: { label: "Withheld", tone: "drop" },
};
export const state = (name) => states[name] ?? { label: capital(plain(name)), tone: "plain" };

const stateNames = {
  notice_requested: "raised", notice_held: "held", notice_gathered: "gathered", notice_dropped: "dropped", slots_skipped: "skipped",
  job_emitted: "emitted", job_delivered: "sent", job_failed: "failed", notice_opened: "opened", notice_dismissed: "dismissed",
  notice_snoozed: "snoozed", job_retry_requested: "retried",
};
/** The state that an event of the log puts a notice into, by its name; `null` where it is about something else. */
export const stateNameOf = (event) =>
  event.type === "delivery_reported" ? event.data?.status ?? "failed" : stateNames[event.type] ?? null;
export const stateOfEvent = (event) => (stateNameOf(event) ? state(stateNameOf(event)).label : "Fact");

/** One event of the log in a sentence, after the person's name. */
export function tells(event) {
  const data = event.data ?? {};
  switch (event.type) {
    case "notice_requested": return `${kindName(data.kind)}: asked for`;
    case "notice_held": return `${kindName(data.kind)}: to wait, ${because(data.reason)}`;
    case "notice_gathered": return `${kindName(data.kind)}: into a digest, ${because(data.reason)}`;
    case "notice_dropped": return `${kindName(data.kind)}: not to come, ${because(data.reason)}`;
    case "slots_skipped":
      return `${kindName(data.kind)}: not raised${data.count > 1 ? ` ${data.count} times` : ""}, ${because(data.reason)}`;
    case "job_emitted": return `${kindName(data.kind)}: out ${waysTold(data.channels ?? [])}`;
    case "job_delivered": return takenBy(data.channel);
    case "delivery_reported": {
      const ways = data.gives_way_to?.length ? `; tried ${waysTold(data.gives_way_to)} instead` : "";
      return `${capital(channelName(data.channel))} reports: ${plain(data.status)}${ways}`;
    }
    case "job_failed": return `Failed on ${channelName(data.channel)}: ${because(data.reason)}`;
    case "notice_snoozed": return `Snoozed for ${data.minutes} minutes`;
    case "preset_applied": return `Preset ${data.preset} was applied`;
    case "phone_verified": return "The phone number was verified";
    case "timezone_changed": return `Moved to ${data.timezone}`;
    case "user_enrolled": return `Enrolled in ${data.timezone}`;
    default: return capital(plain(event.type));
  }
}

export function toneOf(event) {
  const name = stateNameOf(event);
  return name ? state(name).tone : "plain";
}
