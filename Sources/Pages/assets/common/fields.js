import { h, unique } from "./dom.js";
import { said, spelt } from "./text.js";
import { select, timeInput } from "./controls.js";
import { capital, channelName } from "./words.js";
import { week } from "./week.js";

// One control for each type of field that a settings document knows. A control tells `onchange` its new value, and of what has parts the
// value that it was changed from: changes may come faster than they are saved and drawn.

const dayNames = { mon: "Mon", tue: "Tue", wed: "Wed", thu: "Thu", fri: "Fri", sat: "Sat", sun: "Sun" };
const sets = [
  ["All days", ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]],
  ["Weekdays", ["mon", "tue", "wed", "thu", "fri"]],
  ["Weekends", ["sat", "sun"]],
];

/** `{node, labelled, isWide}`: `labelled` is what a label may name, or `null` for a group, which names itself. */
export function control(field, { onchange, onproblem = null, isOff, isBarred = () => false }) {
  const common = { disabled: isOff, id: unique("setting") };
  let last = field.value;
  const onpart = (value) => {
    const before = last;
    last = value;
    onchange(value, before);
  };
  switch (field.type) {
    case "bool": return single(h("input", { ...common, type: "checkbox", class: "switch", role: "switch", checked: field.value === true,
      onchange: (event) => onchange(event.target.checked) }));
    case "time": return single(timeInput({ ...common, value: field.value ?? field.default ?? "" }, (input) => {
      if (isWellTyped(input, "a time of day", field, onproblem)) onchange(input.value);
    }));
    case "one_of": return single(select(field.values ?? [], field.value ?? "", (value) => onchange(typed(value, field)), common));
    case "number": return single(number(field, common, onchange, onproblem));
    case "text": return single(h("input", { ...common, type: "text", value: field.value ?? "", maxlength: field.length_max,
      onchange: (event) => onchange(event.target.value) }));
    case "zone": return single(zone(field, common, onchange, onproblem));
    case "list": return field.values ? wide(checks(field, field.values, isOff, onpart)) : wide(tokens(field, isOff, onpart));
    case "channels": return wide(checks(field, (field.values ?? (field.allowed ?? []).map((value) => ({ value, label: capital(channelName(value)) })))
      .filter((one) => !field.allowed || field.allowed.includes(one.value)).map((one) => ({ ...one, label: capital(channelName(one.value)), locked: one.locked || isBarred(one.value) })), isOff, onpart));
    case "days": return wide(days(field, isOff, onpart));
    case "schedule": return wide(week(field, isOff, onpart));
    default: return wide(h("code", null, spelt(JSON.stringify(field.value))));
  }
}

const single = (node) => ({ node, labelled: node, isWide: false });
const wide = (node) => ({ node, labelled: null, isWide: true });
const typed = (value, field) => (field.values.find((one) => String(one.value) === value)?.value ?? value);

/**
 * Whether what stands in a field can be saved. What cannot is marked and told of in a sentence that stays, since what was typed
 * stands there as if it were saved.
 */
function isWellTyped(input, wanted, field, onproblem) {
  const isRight = input.value !== "" && input.validity.valid;
  if (isRight) input.removeAttribute("aria-invalid");
  else {
    input.setAttribute("aria-invalid", "true");
    onproblem?.(`“${field.label}” was not saved and is still ${field.value ?? field.default ?? "empty"}: write ${wanted}.`);
  }
  return isRight;
}

function number(field, common, onchange, onproblem) {
  const [least, most] = field.range ?? [null, null];
  return h("input", { ...common, type: "number", inputmode: "numeric", min: least, max: most, step: 1, value: field.value ?? "",
    onchange: (event) => {
      const wanted = field.range ? `a whole number from ${least} to ${most}` : "a whole number";
      if (isWellTyped(event.target, wanted, field, onproblem)) onchange(Number(event.target.value));
    } });
}

function zone(field, common, onchange, onproblem) {
  const list = h("datalist", { id: unique("zones") }, Intl.supportedValuesOf("timeZone").map((name) => h("option", { value: name })));
  const input = h("input", { ...common, type: "text", value: field.value ?? "", list: list.id, spellcheck: "false", autocomplete: "off",
    onchange: (event) => {
      if (isWellTyped(event.target, "a time zone such as Europe/Paris", field, onproblem)) onchange(event.target.value);
    } });
  input.append(list);
  return input;
}

function checks(field, options, isOff, onchange) {
  const chosen = new Set(field.value ?? []);
  return h("div", { class: "choices", role: "group", "aria-label": field.label }, options.map((one) => h("label", { class: "pick" },
    h("input", { type: "checkbox", checked: one.always || chosen.has(one.value), disabled: isOff || one.locked || one.always, onchange: (event) => {
      if (event.target.checked) chosen.add(one.value); else chosen.delete(one.value);
      onchange(options.map((each) => each.value).filter((value) => chosen.has(value)));
    } }), said(one.label))));
}

function days(field, isOff, onchange) {
  const inputs = Object.keys(dayNames).map((day) => h("input", { type: "checkbox", name: day, disabled: isOff,
    checked: (field.value ?? []).includes(day), onchange: () => tell() }));
  const tell = () => onchange(inputs.filter((one) => one.checked).map((one) => one.name));
  return h("div", { class: "stack tight", role: "group", "aria-label": field.label },
    h("div", { class: "days" }, inputs.map((input) => h("label", null, input, dayNames[input.name]))),
    !isOff && h("div", { class: "row" }, sets.map(([label, chosen]) => h("button", { type: "button", class: "quiet small", onclick: () => {
      for (const input of inputs) input.checked = chosen.includes(input.name);
      tell();
    } }, label))));
}

function tokens(field, isOff, onchange) {
  let words = [...(field.value ?? [])];
  const input = h("input", { type: "text", "data-draft": "", "aria-label": `Add to ${field.label.toLowerCase()}`, maxlength: field.length_max, disabled: isOff,
    onkeydown: (event) => { if (event.key === "Enter") { event.preventDefault(); add(); } } });
  const become = (next) => {
    words = next;
    onchange(words);
  };
  const add = () => {
    const word = input.value.trim();
    if (!word || words.includes(word) || words.length >= (field.count_max ?? Infinity)) return;
    // Whoever types on while it is saved begins the next one.
    input.value = "";
    become([...words, word]);
  };
  return h("div", { class: "stack tight", role: "group", "aria-label": field.label },
    h("ul", { class: "tokens" }, words.map((word) => h("li", null, said(word), h("button", { type: "button", class: "quiet small", disabled: isOff,
      "aria-label": `Remove ${spelt(word)}`, onclick: () => become(words.filter((one) => one !== word)) }, "×")))),
    !isOff && h("div", { class: "row" }, input, h("button", { type: "button", onclick: add }, "Add")));
}
