import { sentence } from "./door.js";
import { now, timesIn, when } from "./time.js";

// Sending a job once more (N7): why it cannot be, told before anybody asks for it as well as after.

/** Why what failed cannot be sent once more, in a sentence; `null` where it can. `row` is one of the history. */
export function whyNotAgain({ retry, not_after: end }, zone) {
  switch (retry) {
    case "possible": return end && Date.parse(end) < now() ? tooLate(end, zone) : null;
    case "too_late": return tooLate(end, zone);
    case "under_way": return "It is being sent again; nothing is heard of that yet.";
    case "forgotten": return "It cannot be sent again: that is possible for 7 days.";
    case "reached": return "There is nothing to send again: it was delivered since it failed.";
    case "stopped": return "It is not sent again: it was done, opened, put off or switched off since, or there is no consent any more.";
    case "not_failed": return "There is nothing to send again.";
    default: return null;
  }
}

const tooLate = (end, zone) => `It cannot be sent again: its time passed ${when(end, { zone, full: true })}.`;

/** Why the worker refused to send a job once more, without the field’s name and with the reader’s times. */
export function refusedTold(problem, zone) {
  const told = String(problem).replace(/^(?:data\.)?[a-z_]+: /i, "").replace(/^"(?:[^"\\]|\\.)*" /, "it ");
  return sentence(timesIn(told, { zone }));
}
