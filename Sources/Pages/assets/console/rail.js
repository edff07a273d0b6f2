import { h, s } from "../common/dom.js";
import { field, select } from "../common/controls.js";
import { modes, setTimeMode, timeMode } from "../common/time.js";
import { id } from "../common/text.js";
import { help } from "./keys.js";

const views = [
  { name: "now", label: "Now", drawn: "M3 12h4l3-8 4 16 3-8h4" },
  { name: "people", label: "People", drawn: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM4 21c0-4 3.600-6 8-6s8 2 8 6" },
  { name: "agenda", label: "Agenda", drawn: "M5 20V10M12 20V4M19 20v-7" },
  { name: "policy", label: "Policy", drawn: "M6 3h9l4 4v14H6zM9 11h7M9 15h7" },
  { name: "numbers", label: "Numbers", drawn: "M3 17l6-6 4 4 8-9" },
  { name: "log", label: "Log", drawn: "M4 6h16M4 12h16M4 18h10" },
];

const icon = (drawn) => s("svg", { viewBox: "0 0 24 24", "aria-hidden": "true", fill: "none", stroke: "currentColor",
  "stroke-width": "2", "stroke-linecap": "round", "stroke-linejoin": "round" }, s("path", { d: drawn }));

/** The rail: where one can go, whom one looks for, how times are shown, who is signed in. */
export function rail({ router, session, leave }) {
  const links = views.map((view) => ({ ...view, node: h("a", { href: `/${view.name}` }, icon(view.drawn), view.label) }));
  const search = h("input", { type: "search", name: "prefix", placeholder: "Find a person  /", "aria-label": "Find a person", "data-rail-search": true, autocomplete: "off", spellcheck: "false" });
  const node = h("header", { class: "rail" },
    h("a", { class: "brand", href: "/now" }, h("img", { src: "/assets/icon.svg", alt: "" }), "Belfry"),
    h("form", { class: "find", role: "search", onsubmit: (event) => {
      event.preventDefault();
      router.go(`/people?prefix=${encodeURIComponent(search.value.trim())}`);
    } }, search),
    h("nav", { "aria-label": "Views" }, h("ul", null, links.map((link) => h("li", null, link.node)))),
    h("div", { class: "rail-foot" },
      field("Times", select(modes, timeMode(), setTimeMode, { id: "time-mode" })),
      h("div", { class: "who" },
        h("span", null, id(session.name), h("span", { class: "soft" }, ` · ${session.role}`)),
        h("span", { class: "row" },
          h("button", { type: "button", class: "quiet small", "aria-label": "Keys and help", onclick: help }, "?"),
          h("button", { type: "button", class: "quiet small", onclick: leave }, "Sign out")))));
  return { node, mark: (name) => {
    for (const link of links) {
      if (link.name === name) link.node.setAttribute("aria-current", "page");
      else link.node.removeAttribute("aria-current");
    }
  } };
}
