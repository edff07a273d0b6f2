import { announce, focusHeading, focusKey, focusOn, h, isFocusLost, replace } from "../common/dom.js";
import { notice } from "../common/controls.js";
import { named } from "../common/text.js";

/**
 * Every view has an address. A view is a function that gets where it is and gives a node; `signal` ends whatever it
 * started when another view takes its place, or when the session's own signal ends the router.
 */
export class Router {
  constructor(routes, outlet, context, signal) {
    this.routes = routes;
    this.outlet = outlet;
    this.context = context;
    this.running = new AbortController();
    // What had the focus in each place that was left, which is in no history: it may name somebody.
    this.focused = new Map();
    // A fragment in the same address, as the skip link has, is no other view: what was typed in this one stays.
    window.addEventListener("popstate", () => { if (here() !== this.shown) this.show({ isReturn: true }); }, { signal });
    // A view is there only when the worker has answered, which a browser does not wait for.
    history.scrollRestoration = "manual";
    document.addEventListener("click", (event) => this.click(event), { signal });
    // Whoever leaves by the browser's own buttons, or reloads, comes back as well.
    let rest = null;
    window.addEventListener("scroll", () => {
      clearTimeout(rest);
      rest = setTimeout(() => this.keepPlace(), 400);
    }, { signal, passive: true });
    window.addEventListener("pagehide", () => this.keepPlace(), { signal });
    signal.addEventListener("abort", () => this.running.abort());
  }

  click(event) {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.composedPath().find((node) => node instanceof Element && node.localName === "a");
    const address = link?.getAttribute("href");
    if (!address || link.hasAttribute("download") || link.getAttribute("target") || address.startsWith("#")) return;
    const url = new URL(address, location.href);
    if (url.origin !== location.origin || url.pathname.startsWith("/v1/") || url.pathname === "/me") return;
    event.preventDefault();
    this.go(url.pathname + url.search, { isStep: link.hasAttribute("data-step") });
  }

  /** `isStep`: from one page of a view to its next, which whoever goes on with the same link does not begin at the top of. */
  async go(address, { replacing = false, isStep = false } = {}) {
    if (!replacing) this.keepPlace();
    history[replacing ? "replaceState" : "pushState"](null, "", address);
    await this.show({ quietly: isStep });
    if (isStep) announce(document.title);
  }

  /** Keeps a view's filters in the address; what is null or empty is left out. */
  filter(changes) {
    const url = new URL(location.href);
    for (const [name, value] of Object.entries(changes)) {
      if (value === null || value === undefined || value === "") url.searchParams.delete(name);
      else url.searchParams.set(name, value);
    }
    history.replaceState(null, "", url.pathname + url.search);
    this.shown = here();
  }

  /** A filter of the view that was changed: it is drawn anew, and what it has come to is said. */
  async narrow(changes) {
    this.filter(changes);
    await this.show({ quietly: true });
    this.tell();
  }

  /** Says what the view has come to, for who does not see it. */
  tell() {
    const told = this.outlet.querySelector("[data-told]")?.textContent;
    if (told) announce(told);
  }

  /** Keeps something for whoever comes back to this view: it is in `place.kept` then. */
  keep(kept) { history.replaceState({ ...history.state, ...kept }, ""); }

  /** How far down the reader was, and on what. */
  keepPlace() {
    if (!this.isDrawn || here() !== this.shown) return;
    const focused = document.activeElement;
    const place = history.state?.place ?? crypto.randomUUID();
    this.focused.set(place, this.outlet.contains(focused) && focused !== this.outlet ? focusKey(focused) : null);
    this.keep({ scroll: window.scrollY, place });
  }

  /** Shows something in place of the view, which is over. */
  put(nodes) {
    this.running.abort();
    replace(this.outlet, h("div", { class: "view" }, nodes));
  }

  /**
   * `quietly`: the same view anew, in which nobody is to lose their place. `isReturn`: one that the reader was at before. `failed`: what
   * was told of it, which is not told anew.
   */
  async show({ quietly = false, isReturn = false, failed = null } = {}) {
    const kept = history.state ?? {};
    // What has the focus when the view goes: a dialog may have given it back while the worker was asked.
    let held = null;
    const put = (node) => {
      const focused = document.activeElement;
      if (quietly && this.outlet.contains(focused) && focused !== this.outlet) held = focusKey(focused);
      replace(this.outlet, node);
    };
    this.running.abort();
    const running = new AbortController();
    this.running = running;
    this.shown = here();
    this.isDrawn = false;
    const steps = location.pathname.split("/").slice(1).map(named);
    const route = this.routes.find((one) => one.matches(steps)) ?? nowhere;
    const place = {
      ...this.context, router: this, steps, signal: running.signal, query: new URLSearchParams(location.search), kept,
      title: (text) => { document.title = `${text} · Belfry`; },
    };
    this.onroute?.(route);
    // Behind a dialog the view stays: what opened it has the focus again when it closes.
    const slow = setTimeout(() => { if (failed === null && !document.querySelector("dialog[open]")) put(h("p", { class: "busy" }, "Asking the worker…")); }, 250);
    let node;
    try {
      node = await route.view(place);
      this.hasFailed = false;
    } catch (error) {
      if (running.signal.aborted || error.status === 401) return;
      this.hasFailed = true;
      if (error.isLoss || error.status === 429) this.goOn(error, running);
      if (error.message === failed) return;
      node = this.failure(error);
    } finally {
      clearTimeout(slow);
    }
    if (running.signal.aborted) return;
    put(h("div", { class: "view" }, node));
    this.isDrawn = true;
    performance.mark("belfry-view");
    // Where tabs and views do not fit beside each other, the one that is open is in sight.
    for (const one of document.querySelectorAll("nav a[aria-current]")) {
      const bar = one.closest("nav");
      bar.scrollLeft = one.offsetLeft - bar.offsetLeft - (bar.clientWidth - one.offsetWidth) / 2;
    }
    if (quietly) {
      if (held !== null && isFocusLost() && !focusOn(held, this.outlet)) focusHeading(this.outlet);
      return;
    }
    window.scrollTo(0, isReturn ? kept.scroll ?? 0 : 0);
    const focus = this.focused.get(kept.place);
    if (!isReturn || !focus || !focusOn(focus, this.outlet)) focusHeading(this.outlet);
  }

  /** A worker that is busy or gone for a while is asked again without anybody's doing. */
  async goOn(error, running) {
    await this.context.door.back(error);
    if (this.running === running && !running.signal.aborted) this.show({ quietly: true, failed: error.message });
  }

  failure(error) {
    document.title = "Belfry";
    const title = error.status === 404 ? "Nothing is here" : error.status === 403 ? "Not with this role" : "That did not work";
    return [
      h("h1", null, title),
      notice(error.status || error.name === "Problem" ? error.message : String(error.message ?? error), "bad",
        h("div", { class: "row" }, h("button", { type: "button", onclick: () => this.show() }, "Try again"))),
    ];
  }
}

/** An address that is none of a view's. */
const nowhere = { name: null, view: (place) => {
  place.title("Nothing is here");
  return [h("h1", null, "Nothing is here"), h("p", { class: "soft" }, "No view has this address. The menu has them all.")];
} };

const here = () => location.pathname + location.search;
