// Nodes are built, never parsed: whatever a person or an app wrote can only ever become text.

const properties = new Set(["value", "checked", "disabled", "hidden", "selected", "open", "indeterminate", "readOnly"]);
const vector = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (properties.has(name)) node[name] = value;
    else if (value === false) continue;
    else node.setAttribute(name, value === true ? "" : value);
  }
  append(node, children);
  return node;
}

function append(node, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) append(node, child);
    else node.append(child);
  }
}

/** An element of HTML. `on…` is a listener, `null` and `false` leave an attribute or a child out. */
export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** An element of SVG. */
export function s(tag, attributes, ...children) {
  return fill(document.createElementNS(vector, tag), attributes, children);
}

export function replace(node, ...children) {
  node.replaceChildren();
  append(node, children);
  return node;
}

/** Draws anew, and gives the focus back to the control that had it and is there again. */
export function keepingFocus(nodes, draw) {
  const focused = document.activeElement;
  const place = nodes.find((node) => node.contains(focused));
  const key = place && focusKey(focused);
  draw();
  if (place && !focused.isConnected) focusOn(key, place);
}

const controls = "a, button, summary, input, select, textarea";

/** What tells a link, a button or a field from the others of its page, also when the page was drawn anew. */
export const focusKey = (node) =>
  `${node.localName} ${node.dataset.focus ?? node.getAttribute("aria-label") ?? node.getAttribute("href") ?? node.labels?.[0]?.textContent ?? node.textContent}`;

/** Gives the focus to the control of this key; whether there is one. */
export function focusOn(key, place) {
  const found = [...place.querySelectorAll(controls)].find((node) => focusKey(node) === key && node.getClientRects().length > 0);
  found?.focus({ preventScroll: true });
  return found !== undefined;
}

/** Gives the focus to what is no control: what took the place of the button that had it. */
export function focusHere(node) {
  if (!node) return;
  node.tabIndex = -1;
  node.focus({ preventScroll: true });
}

/** Whether nothing has the focus: what had it is gone, and whoever has no pointer would begin at the top of the page again. */
export const isFocusLost = () => document.activeElement === null || document.activeElement === document.body;

/** The heading of the view, for whoever is to begin there. */
export function focusHeading(place = document) {
  const heading = place.querySelector("h1");
  heading?.setAttribute("tabindex", "-1");
  heading?.focus({ preventScroll: true });
}

/** Gives the focus back when a dialog closes: to what opened it, which may have been drawn anew meanwhile. */
export function givesFocusBack(dialog) {
  const opener = document.activeElement;
  const key = focusKey(opener);
  dialog.addEventListener("close", () => {
    if (isFocusLost() && !focusOn(key, document.querySelector("main") ?? document.body)) focusHeading();
  });
}

let ids = 0;
/** An id for what a label, a heading or a description is tied to. */
export function unique(stem) {
  ids += 1;
  return `${stem}-${ids}`;
}

/** Says something to who cannot see the page change. */
export function announce(text) {
  const region = document.getElementById("announcements");
  if (!region) return;
  region.textContent = "";
  setTimeout(() => { region.textContent = text; }, 30);
}

/** Goes on when what is drawn now is seen; where nobody looks, at once. */
export function onceSeen(then) {
  if (document.hidden) setTimeout(then);
  else requestAnimationFrame(() => setTimeout(then));
}

export function plural(count, one, many = `${one}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}
