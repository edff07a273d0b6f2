import { h } from "./dom.js";

const names = { mon: "Monday", tue: "Tuesday", wed: "Wednesday", thu: "Thursday", fri: "Friday", sat: "Saturday", sun: "Sunday" };
const working = ["mon", "tue", "wed", "thu", "fri"];
const begins = [["09:00", "17:00"]];
const presets = [
  ["Weekdays", (day) => (working.includes(day) ? begins : [])],
  ["Weekends", (day) => (working.includes(day) ? [] : begins)],
  ["All week", () => begins],
];

/** The weekly schedule: per day the hours in which notices may come, or no schedule at all. */
export function week(field, isOff, onchange) {
  const schedule = field.value;
  const start = (slotsOf) => onchange(Object.fromEntries(Object.keys(names).map((day) => [day, slotsOf(day)])));
  const offers = h("div", { class: "row" }, presets.map(([label, slotsOf]) =>
    h("button", { type: "button", class: "small", disabled: isOff, onclick: () => start(slotsOf) }, label)));
  if (schedule === null || schedule === undefined) {
    return h("div", { class: "stack tight", role: "group", "aria-label": field.label },
      h("p", { class: "soft" }, "No schedule: notices may come at any hour outside quiet hours. Begin with:"), offers);
  }
  const change = (day, slots) => onchange({ ...whole(schedule), [day]: slots });
  return h("div", { class: "week", role: "group", "aria-label": field.label },
    Object.entries(names).map(([day, name]) => dayRow(name, schedule[day] ?? [], isOff, (slots) => change(day, slots))),
    !isOff && h("div", { class: "row" }, offers, h("button", { type: "button", class: "quiet small", onclick: () => onchange(null) }, "No schedule")));
}

// A merge patch leaves alone what it does not name: every day is named.
const whole = (schedule) => Object.fromEntries(Object.keys(names).map((day) => [day, schedule[day] ?? []]));

function dayRow(name, slots, isOff, change) {
  const time = (index, part, word) => h("input", { type: "time", value: slots[index][part], disabled: isOff, "aria-label": `${name}, ${word}`,
    onchange: (event) => {
      if (!event.target.value) return;
      change(slots.map((slot, each) => (each === index ? slot.map((at, side) => (side === part ? event.target.value : at)) : slot)));
    } });
  return h("div", { class: "week-day" }, h("span", null, name.slice(0, 3)), h("div", { class: "row" },
    slots.length === 0 && h("span", { class: "soft" }, "Nothing comes"),
    slots.map((slot, index) => h("span", { class: "slot" }, time(index, 0, "from"), "–", time(index, 1, "to"),
      !isOff && h("button", { type: "button", class: "quiet small", "aria-label": `Remove ${slot[0]} to ${slot[1]} on ${name}`,
        onclick: () => change(slots.filter((_, each) => each !== index)) }, "×"))),
    !isOff && h("button", { type: "button", class: "quiet small", "aria-label": `Add hours on ${name}`, onclick: () => change([...slots, ...begins]) }, "Add hours")));
}
