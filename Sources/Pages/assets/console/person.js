import { focusHeading, h, keepingFocus, plural, replace } from "../common/dom.js";
import { chip, copyButton } from "../common/controls.js";
import { person } from "../common/door.js";
import { id, said } from "../common/text.js";
import { clock, now, stamp } from "../common/time.js";
import { channelName, handedOut, plain } from "../common/words.js";
import { eventAddress, personAddress } from "./links.js";
import { isErasedHere, personActions } from "./orders.js";
import { dayTab } from "./day.js";
import { forgetDraftOf } from "./drafts.js";
import { devicesTab } from "./devices.js";
import { historyTab } from "./history.js";
import { noticePanel } from "./notice.js";
import { preferencesTab } from "./preferences.js";
import { whyTab } from "./why.js";

const tabs = [
  { name: "", label: "Day", show: dayTab },
  { name: "why", label: "Why, why not", show: whyTab },
  { name: "preferences", label: "Preferences", show: preferencesTab },
  { name: "history", label: "History", show: historyTab },
  { name: "devices", label: "Devices", show: devicesTab },
  { name: "notice", label: null, show: noticePanel },
];

// What stands there is by the person’s clock alone, and says so.
// Which say it themselves, or have none.
const byTheirClock = new Set(["", "why", "preferences"]);

/** One person: their day, why and why not, preferences, history, devices. */
export async function personView(place) {
  const user = place.steps[1];
  const tab = tabs.find((one) => one.name === (place.steps[2] ?? "")) ?? tabs[0];
  const base = personAddress(user);
  place.title(`${user} – ${tab.label ?? "Notice"}`);
  // What the tab asks is under way while the head is asked for: one trip, not two.
  const state = place.door.get(`${person(user)}/state`, { signal: place.signal });
  const about = h("div", { class: "head-text" });
  const onstate = (fresh) => keepingFocus([about], () => {
    const [title, ...rest] = headText(fresh, user, base);
    const shown = about.firstElementChild;
    // The heading may have the focus, which is where a reader of the screen begins.
    if (shown?.textContent !== title.textContent) return replace(about, title, rest);
    while (shown.nextSibling) shown.nextSibling.remove();
    return about.append(...rest);
  });
  const [shown, body] = await Promise.all([state, tab.show({ ...place, user, base, state, onstate, onerased: (seq, partition) => erased(place, seq, partition) })]);
  onstate(shown);
  watch(place, user);
  return [
    h("div", { class: "head" }, about, personActions(place, user, state)),
    h("nav", { class: "tabs", "aria-label": "About this person" }, tabs.filter((one) => one.label).map((one) =>
      h("a", { href: one.name ? `${base}/${one.name}` : base, "aria-current": one === tab ? "page" : null }, one.label))),
    !byTheirClock.has(tab.name) && h("clock-note", { class: "help", zone: shown.timezone }),
    body,
  ];
}

const lookEvery = 60_000;

/** Whoever comes back to a page of somebody who was erased meanwhile is not left with what it showed. */
function watch(place, user) {
  // It was left before all of it was there.
  if (place.signal.aborted) return;
  const look = async () => {
    if (document.hidden) return;
    const answer = await place.door.get(`${person(user)}/state`, { signal: place.signal }).catch((error) => error);
    if (answer instanceof Error && answer.status === 404 && !place.signal.aborted) erased(place);
  };
  const timer = setInterval(look, lookEvery);
  place.signal.addEventListener("abort", () => clearInterval(timer));
  for (const [target, name] of [[window, "focus"], [document, "visibilitychange"]]) target.addEventListener(name, look, { signal: place.signal });
}

/** The person was erased by somebody else while they were shown here: nothing of them stays on the page. Whoever does it here is told by their dialog. */
function erased(place, seq = null, partition = null) {
  if (isErasedHere(place.steps[1])) return;
  forgetDraftOf(place.steps[1]);
  place.title("Erased");
  place.router.put([
    h("h1", null, "This person was erased"),
    h("p", { role: "alert" }, "Somebody erased them while this page was open. Who they were and what they were told can be read by nobody any more, so it is gone from here too. "
      + "That something happened, of which kind and when, stays in the log."),
    h("div", { class: "row" }, h("a", { class: "button", href: "/people" }, "All people"),
      seq !== null && h("a", { class: "button", href: eventAddress(seq, partition) }, "The erasure in the log")),
  ]);
  if (!document.activeElement?.closest("dialog, .rail")) focusHeading();
}

function headText(state, user, base) {
  const name = state.name ?? null;
  const zone = state.timezone;
  return [
    h("h1", null, name ? said(name) : id(user)),
    h("p", { class: "facts" },
      h("span", { class: "copied" }, id(user), copyButton(user, "Copy the id")),
      h("span", null, `${clock(now(), zone)} in ${zone}`),
      h("span", null, handedOut(state, "today")),
      state.next_wake && h("span", null, "Next wake ", stamp(state.next_wake, { zone, named: true }))),
    h("div", { class: "row" },
      state.app_open && chip("App open", "good"),
      state.preferences.enabled === false && chip("Switched off", "drop"),
      state.preset && chip(`Preset: ${plain(state.preset)}`),
      state.waiting.length > 0 && h("a", { class: "target", href: `${base}/history?status=queued&days=365` }, chip(plural(state.waiting.length, "waits", "wait"), "wait")),
      state.snoozed?.length > 0 && chip(`${state.snoozed.length} snoozed`, "wait"),
      state.reachable.filter((channel) => channel !== "in_app").length > 0
        ? chip(`Reached by ${state.reachable.filter((channel) => channel !== "in_app").map(channelName).join(", ")}`, "good")
        : chip("Reached in the app only", "bad"),
      state.warnings?.length > 0 && chip(plural(state.warnings.length, "warning"), "bad")),
  ];
}
