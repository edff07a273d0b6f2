import { announce, h, keepingFocus, replace } from "../common/dom.js";
import { notice } from "../common/controls.js";
import { Door } from "../common/door.js";
import { forget, remember, remembered } from "../common/storage.js";
import { showAsNotices } from "../common/text.js";
import { showTheirTimes } from "../common/time.js";
import { speakToThem } from "../common/words.js";
import { Page } from "./page.js";

// The app’s server makes a token and opens this page with it behind the #: it is in no request and in no log. It is taken
// out of the address at once, and kept for this tab alone.

const main = h("main", { id: "main", tabindex: "-1" });
const top = h("div", { class: "top" });
let page = null;
// Of the pass that counts. What comes late of one before is not about who is here now.
let door = null;
let edition = null;
showTheirTimes();
showAsNotices();
speakToThem();

// A token is of visible letters of ASCII: no other can be sent in a header, and none of that kind was ever given out.
const isToken = (text) => /^[!-~]+$/.test(text);
// What was about to be saved when the pass ended; a page that goes on with another pass says so.
let hasUnsaved = false;

/** The token that the address brought, or the one this tab was opened with. */
function token() {
  const brought = new URLSearchParams(location.hash.slice(1)).get("token");
  if (brought) {
    history.replaceState(null, "", location.pathname + location.search);
    remember("token", brought, "sessionStorage");
  }
  return brought ?? remembered("token", "sessionStorage");
}

/** `isQuiet`: nobody asked for it, so what stands on the page stays until there is something else. */
async function open({ isQuiet = false } = {}) {
  const own = token();
  hasUnsaved ||= page?.isWaiting === true;
  page?.close();
  page = null;
  door = null;
  replace(top);
  if (!own) return closed("This page is opened by your app", "It brings a pass that says whose settings these are. Open your app, and go to its notification settings.");
  if (!isToken(own)) return ended();
  const mine = new Door(own);
  door = mine;
  const heard = (then) => () => { if (door === mine) then(); };
  mine.addEventListener("lost", heard(() => replace(top, notice("We cannot reach the server. This page goes on by itself; what you change meanwhile is saved when the server is back, if this page stays open.", "bad"))));
  mine.addEventListener("found", heard(found));
  mine.addEventListener("ended", heard(ended));
  const waiting = isQuiet ? null : setTimeout(heard(() => replace(main, h("p", { class: "busy" }, "One moment…"))), 250);
  try {
    const me = await mine.get("/v1/me");
    if (door !== mine) return;
    page = new Page(mine, me, main);
    await page.load();
    if (door !== mine) return;
    if (hasUnsaved) page.tell(lost, { isTrouble: true });
    hasUnsaved = false;
  } catch (error) {
    if (door !== mine) return;
    if (error.status === 404) closed("There is nothing to set yet", "Your app has not told us of you so far. Your settings are here as soon as it has.", again());
    else retryLater(error);
    // One that is away is knocked at, and is opened when it is found.
    if (error.isLoss && !mine.isLost) mine.back(error).then(heard(() => open({ isQuiet: true })));
  } finally {
    clearTimeout(waiting);
  }
}

const lost = "Your last change was not saved: this page’s pass had ended. Please make it again.";
const again = () => h("div", null, h("button", { type: "button", class: "primary", onclick: () => open() }, "Try again"));

function retryLater({ isLoss, message }) {
  keepingFocus([main], () => replace(main, h("div", { class: "whole" }, h("h1", null, "That did not work"),
    h("p", null, isLoss ? "We cannot reach the server just now. This page goes on by itself." : message), again())));
}

async function found() {
  replace(top);
  announce("The server answers again");
  // What waits to be saved draws the page when it is through.
  if (!page?.settings) open();
  else if (page.pending === 0) page.load().catch(() => {});
  const now = await currentEdition();
  if (edition && now && now !== edition && !door?.isLost) {
    replace(top, h("div", { class: "notice row apart wait", role: "status" }, h("p", null, "There is a newer version of this page."),
      h("button", { type: "button", onclick: () => location.reload() }, "Reload")));
  }
}

/** The pass is over: the app that shows this page in a frame is told, and may bring another by changing the address. */
function ended() {
  forget("token", "sessionStorage");
  hasUnsaved ||= page !== null && page.pending > 0;
  page?.close();
  page = null;
  door = null;
  if (window.parent !== window) window.parent.postMessage({ type: "belfry:ended" }, "*");
  closed("This page’s pass has ended", hasUnsaved
    ? "Your last change was not saved. Open the settings from your app once more, and make it again."
    : "Open the settings from your app once more to go on.");
}

function closed(title, text, ...more) {
  replace(main, h("div", { class: "whole" }, h("h1", null, title), h("p", { class: "soft" }, text), more));
  announce(title);
}

// The page itself hardly changes: it names its script, which is all that it does.
const currentEdition = async () => (await fetch("/assets/me.js", { method: "HEAD", cache: "no-store" }).catch(() => null))?.headers.get("ETag") ?? null;

window.addEventListener("beforeunload", (event) => { if (page?.isWaiting || (door?.isLost && page?.pending > 0)) event.preventDefault(); });
window.addEventListener("hashchange", () => { if (location.hash.includes("token=")) open(); });
replace(document.body, h("a", { class: "skip", href: "#main" }, "Skip to the settings"), top, main,
  h("div", { id: "announcements", class: "offscreen", "aria-live": "polite" }));
currentEdition().then((value) => { edition = value; });
open();
