import { announce, givesFocusBack, h, onceSeen, unique } from "./dom.js";
import { id, spelt } from "./text.js";

// The small parts that every page is made of.

/** A labelled state: a shape as well as a colour, since colour alone says nothing to some. */
export function chip(label, tone = "plain") {
  return h("span", { class: `chip ${tone}` }, label);
}

/** Puts text on the clipboard, over plain HTTP too, where browsers offer no clipboard to scripts. */
export async function copy(text) {
  if (navigator.clipboard && window.isSecureContext) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch { /* a browser may refuse; the old way is left */ }
  }
  const before = document.activeElement;
  const area = h("textarea", { class: "offscreen", "aria-hidden": "true", readOnly: true, value: text, tabindex: "-1" });
  (before?.closest("dialog") ?? document.body).append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  before?.focus();
  return done;
}

export function copyButton(text, what = "Copy") {
  const button = h("button", { type: "button", class: "quiet small", "aria-label": `${what}`, onclick: async () => {
    const done = await copy(typeof text === "function" ? text() : text);
    button.textContent = done ? "Copied" : "Not copied";
    announce(done ? "Copied" : "The browser did not let it be copied");
    setTimeout(() => { button.textContent = "Copy"; }, 1600);
  } }, "Copy");
  return button;
}

export const copied = (text, what) => h("span", { class: "copied" }, id(text), " ", copyButton(text, what));

/** A sentence about what went wrong, or right. */
export function notice(text, tone = "bad", ...more) {
  return h("div", { class: `notice ${tone}`, role: tone === "bad" ? "alert" : "status" }, h("p", null, text), ...more);
}

/** Nothing is there, and what that means. */
export function empty(title, text) {
  return h("div", { class: "empty" }, h("p", { class: "empty-title" }, title), text && h("p", null, text));
}

export function field(label, control, { help = null, hidden = false } = {}) {
  control.id ||= unique("field");
  const note = help ? h("p", { class: "help", id: unique("help") }, help) : null;
  if (note) control.setAttribute("aria-describedby", note.id);
  return h("div", { class: "field" }, h("label", { for: control.id, class: hidden ? "offscreen" : null }, label), control, note);
}

export function select(options, value, onchange, attributes = {}) {
  return h("select", { ...attributes, onchange: (event) => onchange?.(event.target.value) },
    options.map((one) => h("option", { value: one.value, selected: String(one.value) === String(value) }, spelt(one.label))));
}

/** Asks before something is done. Resolves to whether it is to be done. */
export function confirmed({ title, body, action, tone = "primary", cancel = "Cancel" }) {
  return new Promise((resolve) => {
    let answer = false;
    const heading = unique("dialog");
    const dialog = h("dialog", { "aria-labelledby": heading, onclose: () => { dialog.remove(); resolve(answer); } },
      h("form", { method: "dialog", class: "dialog" },
        h("h2", { id: heading }, title),
        h("div", { class: "dialog-body" }, body),
        h("div", { class: "actions" },
          h("button", { type: "submit", value: "no" }, cancel),
          h("button", { type: "submit", class: tone, value: "yes", onclick: (event) => { answer = true; swallowSecond(event); } }, action))));
    givesFocusBack(dialog);
    document.body.append(dialog);
    dialog.showModal();
    // Not where the buttons have the focus: it is read from its beginning.
    dialog.scrollTop = 0;
  });
}

/** Who clicks twice means what they clicked first, and nothing that lay beneath it. */
function swallowSecond({ detail, clientX, clientY }) {
  if (detail === 0) return;
  const swallow = (event) => {
    if (event.detail === 0 || Math.hypot(event.clientX - clientX, event.clientY - clientY) > 8) return;
    event.preventDefault();
    event.stopPropagation();
  };
  addEventListener("click", swallow, { capture: true });
  setTimeout(() => removeEventListener("click", swallow, { capture: true }), 500);
}

/** A dialog with a form of its own. `submit` gets the form's data; a problem it throws is shown within. */
export function asked({ title, fields, action, submit, done, left = null }) {
  const heading = unique("dialog");
  const problem = h("div");
  const button = h("button", { type: "submit", class: "primary" }, action);
  const close = h("button", { type: "button", onclick: () => dialog.close() }, "Cancel");
  const form = h("form", { class: "dialog", onsubmit: async (event) => {
    event.preventDefault();
    button.disabled = true;
    problem.replaceChildren();
    try {
      const said = await submit(new FormData(form));
      body.replaceChildren(...[done(said)].flat());
      button.remove();
      close.textContent = "Close";
      close.focus();
      if (left) dialog.addEventListener("close", left);
    } catch (error) {
      problem.replaceChildren(notice(error.message));
    } finally {
      button.disabled = false;
    }
  } });
  const body = h("div", { class: "dialog-body" }, fields, problem);
  form.append(h("h2", { id: heading }, title), body, h("div", { class: "actions" }, close, button));
  const dialog = h("dialog", { "aria-labelledby": heading, onclose: () => dialog.remove() }, form);
  givesFocusBack(dialog);
  document.body.append(dialog);
  dialog.showModal();
  dialog.scrollTop = 0;
}

/**
 * A field for a time of day, or for a date. A browser tells of every digit that makes one of what stands there: whoever types is waited
 * for until they press Enter or go on, and what is picked counts at once.
 */
export const timeInput = (attributes, given) => typedInput("time", attributes, given);
export const dateInput = (attributes, given) => typedInput("date", attributes, given);

function typedInput(type, attributes, given) {
  let told = attributes.value ?? "";
  let isTyping = false;
  const tell = ({ isAsked = false } = {}) => {
    isTyping = false;
    if (input.value === told && !input.validity.badInput && !isAsked) return;
    told = input.value;
    given(input);
  };
  // What was refused stands there again after a drawing: whoever only passes by does not give it once more, and whoever presses Enter does.
  const input = h("input", { ...attributes, type, onblur: () => tell(), onfocus: () => { told = input.value; },
    onkeydown: ({ key }) => { if (key === "Enter") tell({ isAsked: input.hasAttribute("aria-invalid") }); else if (key !== "Tab" && key !== "Shift") isTyping = true; },
    onchange: () => { if (!isTyping) tell(); } });
  return input;
}

/**
 * A table. `columns` are `{label, cell, class?}`; a class `extra` hides a column where there is little room. `stacks`: there a row
 * stands as a block, each figure beneath its label; `lines`, without labels. A table is told as one all the same. `first`: so many rows are
 * there at once, the others when those are seen.
 */
export function table(caption, columns, rows, { empty: nothing = "Nothing.", rowClass = null, stacks = null, first = Infinity } = {}) {
  // What is no table by its style is none to who hears it, unless it says so.
  const role = (name) => (stacks ? name : null);
  const cell = (row, column, index) => (index === 0 && column.isHeader !== false
    ? h("th", { scope: "row", role: role("rowheader"), class: column.class }, column.cell(row))
    : h("td", { role: role("cell"), class: column.class, "data-label": stacks === "labels" ? column.label : null }, column.cell(row)));
  const drawn = (some) => some.map((row) => h("tr", { role: role("row"), class: rowClass?.(row) }, columns.map((column, index) => cell(row, column, index))));
  const body = h("tbody", { role: role("rowgroup") }, rows.length ? drawn(rows.slice(0, first))
    : h("tr", { role: role("row") }, h("td", { role: role("cell"), colspan: columns.length, class: "nothing" }, nothing)));
  if (rows.length > first) onceSeen(() => body.append(...drawn(rows.slice(first))));
  return h("div", { class: `table${stacks ? ` stacks ${stacks}` : ""}`, role: "region", tabindex: "0", "aria-label": caption },
    h("table", { role: role("table") },
      h("caption", { class: "offscreen" }, caption),
      h("thead", { role: role("rowgroup") }, h("tr", { role: role("row") }, columns.map((column) => h("th", { scope: "col", role: role("columnheader"), class: column.class }, column.label)))),
      body));
}
