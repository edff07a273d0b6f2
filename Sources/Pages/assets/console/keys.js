import { h, unique } from "../common/dom.js";
import { remember, remembered } from "../common/storage.js";
import { modes, setTimeMode, timeMode } from "../common/time.js";

const places = { n: "/now", p: "/people", a: "/agenda", r: "/policy", u: "/numbers", l: "/log" };
const keys = [
  ["/", "search in the view, or find a person"],
  ["?", "these keys"],
  ["g n", "now"], ["g p", "people"], ["g a", "agenda"], ["g r", "the policy and its rules"], ["g u", "numbers"], ["g l", "the log"],
  ["p", "pause what is live, or go on"],
  ["t", "times: person’s, mine, UTC, relative"],
];

let waiting = false;

// Keys of one letter can be switched off: who speaks to the browser would press them by accident (WCAG 2.1.4).
const areOn = () => remembered("keys") !== "off";

export function listenToKeys(router, signal) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || !areOn()) return;
    if (event.target.closest?.("input, textarea, select, dialog")) return;
    const isHandled = act(event.key, router);
    if (isHandled) event.preventDefault();
  }, { signal });
}

function act(key, router) {
  if (waiting) {
    waiting = false;
    if (!places[key]) return false;
    router.go(places[key]);
    return true;
  }
  switch (key) {
    case "/": return focusSearch();
    case "?": help(); return true;
    case "g":
      waiting = true;
      setTimeout(() => { waiting = false; }, 1500);
      return true;
    case "p": {
      const button = document.querySelector("[data-pause]");
      button?.click();
      return Boolean(button);
    }
    case "t": {
      const next = modes[(modes.findIndex((one) => one.value === timeMode()) + 1) % modes.length].value;
      setTimeMode(next);
      const choice = document.getElementById("time-mode");
      if (choice) choice.value = next;
      return true;
    }
    default: return false;
  }
}

function focusSearch() {
  const search = document.querySelector("main [data-search]") ?? document.querySelector("[data-rail-search]");
  search?.focus();
  search?.select?.();
  return Boolean(search);
}

export function help() {
  if (document.querySelector("dialog[open]")) return;
  const heading = unique("help");
  const choice = h("input", { type: "checkbox", class: "switch", role: "switch", id: unique("keys"), checked: areOn(),
    onchange: (event) => remember("keys", event.target.checked ? "on" : "off") });
  const dialog = h("dialog", { "aria-labelledby": heading, onclose: () => dialog.remove() },
    h("form", { method: "dialog", class: "dialog" },
      h("h2", { id: heading }, "Keys"),
      h("dl", { class: "keys" }, keys.map(([key, does]) => [
        h("dt", null, key.split(" ").map((one, index) => [index ? " " : null, h("kbd", null, one)])), h("dd", null, does)])),
      h("div", { class: "row apart" }, h("label", { for: choice.id }, "Keys of one letter"), choice),
      h("div", { class: "actions" }, h("button", { type: "submit", class: "primary" }, "Close"))));
  document.body.append(dialog);
  dialog.showModal();
}
