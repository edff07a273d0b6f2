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

/** Draws anew, and gives the focus back to the link or button that had it and is there again. */
export function keepingFocus(nodes, draw) {
  const focused = document.activeElement;
  const place = nodes.find((node) => node.contains(focused));
  const key = (node) => node.getAttribute("href") ?? node.textContent;
  draw();
  if (!place || focused.isConnected) return;
  [...place.querySelectorAll("a, button, summary")].find((node) => key(node) === key(focused) && node.getClientRects().length > 0)?.focus({ preventScroll: true });
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

export function plural(count, one, many = `${one}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}
