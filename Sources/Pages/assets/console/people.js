import { announce, h, isFocusLost, plural, replace } from "../common/dom.js";
import { chip, empty, field, notice, select, table } from "../common/controls.js";
import { isId, said } from "../common/text.js";
import { stamp } from "../common/time.js";
import { personAddress, personLink } from "./links.js";

const page = 50;
// As the worker gives at once.
const pageMost = 1000;
const withs = [
  { value: "", label: "Anybody" },
  { value: "waiting", label: "Something waits for them" },
  { value: "snoozed", label: "Snoozed" },
  { value: "failed", label: "Something failed this week" },
  { value: "opted_out", label: "Switched off" },
  { value: "unreachable", label: "Unreachable" },
  { value: "warned", label: "Something cannot be read" },
];

/** Whom the log knows, found by how their id begins and by what is the matter. */
export async function peopleView(place) {
  place.title("People");
  const { door, router, signal } = place;
  const filters = { prefix: place.query.get("prefix") ?? "", with: place.query.get("with") ?? "" };
  const list = h("div", { class: "sheet flush", "aria-busy": "false" });
  let asking = null;
  let typing = null;
  let people = [];
  signal.addEventListener("abort", () => { clearTimeout(typing); asking?.abort(); });

  async function ask({ after = null, limit = page } = {}) {
    asking?.abort();
    asking = new AbortController();
    const parameters = new URLSearchParams({ limit });
    for (const [name, value] of Object.entries(filters)) if (value) parameters.set(name, value);
    if (after) parameters.set("after", after);
    // What nobody can be called nobody is.
    const found = filters.prefix && !isId(filters.prefix) ? [] : await door.lines(`/v1/people?${parameters}`, { signal: asking.signal });
    people = after ? [...people, ...found] : found;
    draw(found.length === limit);
    announce(`${plural(people.length, "person", "people")} listed`);
  }

  async function more() {
    const listed = people.length;
    await ask({ after: people.at(-1).user });
    // Whoever has no pointer goes on with the first of them.
    if (isFocusLost()) list.querySelectorAll("tbody a")[listed]?.focus({ preventScroll: true });
    router.keep({ listed: people.length });
  }

  function draw(hasMore) {
    if (people.length === 0) {
      replace(list, filters.prefix || filters.with
        ? empty("Nobody like that", "Ids are matched from their beginning, letter by letter.")
        : empty("Nobody yet", "A person appears with the first fact about them."));
      return;
    }
    replace(list, table("People", columns, people),
      hasMore && h("div", { class: "inset" }, h("button", { type: "button", onclick: () => more().catch(complainBelow) }, "Show more")));
  }

  const complain = (error) => { if (error.name !== "AbortError") replace(list, h("div", { class: "inset" }, notice(error.message))); };
  // What is listed already stays, and can be gone on with.
  const complainBelow = (error) => {
    if (error.name === "AbortError") return;
    list.querySelector(".complaint")?.remove();
    list.append(h("div", { class: "inset complaint" }, notice(error.message)));
  };
  const change = (name, value) => {
    filters[name] = value;
    router.filter({ [name]: value });
    clearTimeout(typing);
    typing = setTimeout(() => ask().catch(complain), 120);
  };
  const search = h("input", { type: "search", value: filters.prefix, "data-search": true, autocomplete: "off", spellcheck: "false",
    oninput: (event) => change("prefix", event.target.value) });
  // Whoever comes back finds as many as they had.
  await ask({ limit: Math.min(Math.max(page, place.kept.listed ?? 0), pageMost) }).catch((error) => {
    // Told beside the filters, which are where it is mended.
    if (error.status !== 400) throw error;
    complain(error);
  });
  return [
    h("div", { class: "head" }, h("h1", null, "People")),
    h("form", { class: "filters", role: "search", onsubmit: (event) => {
      event.preventDefault();
      if (people.length > 0 && people[0].user.startsWith(filters.prefix)) router.go(personAddress(people[0].user));
    } },
      h("div", { class: "field grow" }, ...field("Id begins with", search).childNodes),
      field("Who", select(withs, filters.with, (value) => change("with", value)))),
    h("clock-note", { class: "help", each: true }),
    list,
  ];
}

// A long zone goes on in the next line rather than pushing the last column off the page.
const breakable = (zone) => zone.split("/").flatMap((part, index) => (index === 0 ? [part] : ["/", h("wbr"), part]));

const columns = [
  { label: "Person", class: "who-cell", cell: (one) => personLink(one.user) },
  { label: "Name", class: "name-cell", cell: (one) => one.name ? said(one.name) : h("span", { class: "soft" }, "–") },
  { label: "Zone", class: "extra", cell: (one) => breakable(one.timezone) },
  { label: "Last seen", class: "extra", cell: (one) => one.last_active ? stamp(one.last_active, { zone: one.timezone }) : "–" },
  { label: "Next wake", class: "extra", cell: (one) => one.next_wake ? stamp(one.next_wake, { zone: one.timezone }) : "–" },
  { label: "Waiting", cell: (one) => h("span", { class: "row" },
    one.held > 0 && chip(`${one.held} held`, "wait"),
    one.gathered > 0 && chip(`${one.gathered} gathered`, "gather"),
    one.snoozed > 0 && chip(`${one.snoozed} snoozed`, "wait"),
    !one.held && !one.gathered && !one.snoozed && h("span", { class: "soft" }, "nothing")) },
];
