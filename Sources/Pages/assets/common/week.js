import { timeInput } from "./controls.js";
import { announce, h, unique } from "./dom.js";

const names = { mon: "Monday", tue: "Tuesday", wed: "Wednesday", thu: "Thursday", fri: "Friday", sat: "Saturday", sun: "Sunday" };
const working = ["mon", "tue", "wed", "thu", "fri"];
const begins = [["09:00", "17:00"]];
const minutes = (at) => Number(at.slice(0, 2)) * 60 + Number(at.slice(3));
const at = (minute) => `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;

/** Hours of a day that has some already: such as it has not, up to two of them; `null` where the day is full. */
export function moreHours(slots) {
  if (slots.length === 0) return begins[0];
  const taken = slots.map(([from, to]) => [minutes(from), minutes(to)]).sort((a, b) => a[0] - b[0]);
  const gaps = [];
  let free = 0;
  for (const [from, to] of [...taken, [24 * 60 - 1, 24 * 60]]) {
    if (from - free >= 30) gaps.push([free, from]);
    free = Math.max(free, to);
  }
  // After what there is rather than before it, and not in the night where the day has room.
  const gap = gaps.findLast(([, to]) => to > taken[0][1]) ?? gaps.at(-1);
  if (!gap) return null;
  const [from, to] = gap[1] <= taken[0][0] ? [Math.max(gap[0], gap[1] - 180), gap[1]] : gap;
  const pause = to - from > 120 ? 60 : 0;
  return [at(from + pause), at(Math.min(to, from + pause + 120))];
}

const presets = [
  ["Weekdays", (day) => (working.includes(day) ? begins : [])],
  ["Weekends", (day) => (working.includes(day) ? [] : begins)],
  ["All week", () => begins],
];

/**
 * The weekly schedule: per day the hours in which notices may come, or no schedule at all. `changed` gets what it becomes.
 */
export function week(field, isOff, changed) {
  const schedule = field.value;
  // What it is by now: changes may come faster than they are saved and drawn.
  let last = schedule;
  const onchange = (next) => {
    last = next;
    changed(next);
  };
  const start = (slotsOf) => onchange(Object.fromEntries(Object.keys(names).map((day) => [day, slotsOf(day)])));
  const offers = h("div", { class: "row" }, presets.map(([label, slotsOf]) =>
    h("button", { type: "button", class: "small", disabled: isOff, onclick: () => start(slotsOf) }, label)));
  if (schedule === null || schedule === undefined) {
    return h("div", { class: "stack tight", role: "group", "aria-label": field.label },
      h("p", { class: "soft" }, "No schedule: notices may come at any hour outside quiet hours. Begin with:"), offers);
  }
  const change = (day, slots) => onchange({ ...whole(last ?? {}), [day]: slots });
  return h("div", { class: "week", role: "group", "aria-label": field.label },
    Object.entries(names).map(([day, name]) => dayRow(name, schedule[day] ?? [], field.outside, isOff, (slots) => change(day, slots))),
    !isOff && h("div", { class: "row" }, offers, h("button", { type: "button", class: "quiet small", onclick: () => onchange(null) }, "No schedule")));
}

// A merge patch leaves alone what it does not name: every day is named.
const whole = (schedule) => Object.fromEntries(Object.keys(names).map((day) => [day, schedule[day] ?? []]));

function dayRow(name, slots, outside, isOff, change) {
  // What is changed here counts at once: the next change may come before this one is saved and drawn.
  let hours = slots.map((slot) => [...slot]);
  const become = (next) => {
    hours = next;
    change(hours.map((slot) => [...slot]));
  };
  // What cannot be saved stays as it was typed and says so, as everywhere.
  const note = h("p", { class: "setting-note refusal", id: unique("refusal") });
  const time = (slot, part, word) => timeInput({ value: slot[part], disabled: isOff, "aria-label": `${name}, ${word}` }, (input) => {
    const isMissing = input.value === "";
    if (isMissing) {
      input.setAttribute("aria-invalid", "true");
      input.setAttribute("aria-describedby", note.id);
      note.textContent = `${name} was not saved and is still from ${slot[0]} to ${slot[1]}: write a time of day, or remove these hours.`;
      row.append(note);
      return announce(note.textContent);
    }
    input.removeAttribute("aria-invalid");
    input.removeAttribute("aria-describedby");
    note.remove();
    slot[part] = input.value;
    return become(hours);
  });
  const row = h("div", { class: "week-day" }, h("span", null, name.slice(0, 3)), h("div", { class: "row" },
    slots.length === 0 && h("span", { class: "soft" }, outside ?? "Nothing comes"),
    hours.map((slot) => h("span", { class: "slot" }, time(slot, 0, "from"), "–", time(slot, 1, "to"),
      !isOff && h("button", { type: "button", class: "quiet small", "aria-label": `Remove ${slot[0]} to ${slot[1]} on ${name}`,
        onclick: () => become(hours.filter((one) => one !== slot)) }, "×"))),
    !isOff && h("button", { type: "button", class: "quiet small", "aria-label": `Add hours on ${name}`, disabled: !moreHours(slots),
      onclick: () => { const more = moreHours(hours); if (more) become([...hours, more].sort((a, b) => (a[0] < b[0] ? -1 : 1))); } }, "Add hours")));
  return row;
}
