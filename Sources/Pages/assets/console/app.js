import { announce, h, replace } from "../common/dom.js";
import { notice } from "../common/controls.js";
import { Door } from "../common/door.js";
import { forget, remember, remembered } from "../common/storage.js";
import { Router } from "./router.js";
import { Session, signIn } from "./session.js";
import { rail } from "./rail.js";
import { listenToKeys } from "./keys.js";
import { forgetDrafts } from "./drafts.js";
import { agendaView } from "./agenda.js";
import { eventView, logView } from "./log.js";
import { nowView } from "./now.js";
import { numbersView } from "./numbers.js";
import { peopleView } from "./people.js";
import { personView } from "./person.js";
import { policyView } from "./policy.js";
import { nameKinds } from "../common/words.js";

const routes = [
  { name: "now", matches: ([first]) => first === "" || first === "now", view: nowView },
  { name: "people", matches: ([first, user]) => first === "people" && !user, view: peopleView },
  { name: "people", matches: ([first]) => first === "people", view: personView },
  { name: "agenda", matches: ([first]) => first === "agenda", view: agendaView },
  { name: "policy", matches: ([first]) => first === "policy", view: policyView },
  { name: "numbers", matches: ([first]) => first === "numbers", view: numbersView },
  { name: "log", matches: ([first, seq]) => first === "log" && Boolean(seq), view: eventView },
  { name: "log", matches: ([first]) => first === "log", view: logView },
];

const door = new Door();
const banner = h("div", { class: "banner" });
let version = null;
let open = false;
let signedIn = new AbortController();
let last = null;

door.addEventListener("lost", () => {
  replace(banner, notice("The worker does not answer. What you see may be old. When it is back this page goes on by itself; if it was started anew, it asks you to sign in again.", "bad"));
});
door.addEventListener("found", () => {
  replace(banner);
  announce("The worker answers again");
  door.get("/health").then(heardVersion, () => {});
});
door.addEventListener("ended", () => {
  if (open) askToSignIn("Your session has ended. Sign in, and you are back where you were. Preferences that you changed and did not save are kept meanwhile.");
});

/** The worker tells its version to whoever is signed in, and a session ends with the worker: another is heard of after the next signing in. */
function heardVersion({ version: told }) {
  if (!told) return;
  if (version && told !== version) tellOfUpgrade(told);
  version ??= told;
}

function tellOfUpgrade(newer) {
  replace(banner, h("div", { class: "notice row apart wait", role: "status" },
    h("p", null, `The worker is version ${newer} now. Reload to have its pages.`),
    h("button", { type: "button", onclick: () => location.reload() }, "Reload")));
}

function askToSignIn(why) {
  open = false;
  signedIn.abort();
  replace(document.body, banner, signIn(door, { why, done: start }), h("div", { id: "announcements", class: "offscreen", "aria-live": "polite" }));
}

function start(session) {
  open = true;
  signedIn = new AbortController();
  const { signal } = signedIn;
  remember("session", "yes");
  if (last !== null && last !== session.name) forgetDrafts();
  last = session.name;
  const main = h("main", { id: "main", tabindex: "-1" });
  // Who shows what happened waits for it, so that a kind has one name in every view. The next view asks again what was not answered.
  let asked = null;
  const named = () => door.get("/v1/policy").then((policy) => nameKinds(policy.kinds), () => { asked = null; });
  const context = { door, session, get names() { return asked ??= named(); } };
  const router = new Router(routes, main, context, signal);
  const side = rail({ router, session, leave: async () => {
    open = false;
    forget("session");
    forgetDrafts();
    // One that is known no more has ended already.
    const isLeft = await door.remove("/v1/session").then(() => true, (error) => error.status === 401);
    askToSignIn(isLeft ? null : "The worker could not be told: your session goes on there. Sign in and out again once it answers.");
  } });
  router.onroute = (route) => side.mark(route.name);
  door.addEventListener("found", () => { if (router.hasFailed) router.show({ quietly: true }); }, { signal });
  replace(document.body, h("a", { class: "skip", href: "#main" }, "Skip to the view"), banner, side.node, main,
    h("div", { id: "announcements", class: "offscreen", "aria-live": "polite" }));
  listenToKeys(router, signal);
  router.show({ isReturn: performance.getEntriesByType("navigation")[0]?.type === "reload" });
  door.get("/health").then(heardVersion, () => {});
}

/** Goes on with the session that this browser has. Only a worker that does not know it leads to the form; else it is asked again. */
async function resume() {
  const told = h("div");
  for (;;) {
    const answer = await door.get("/v1/session").catch((error) => error);
    if (!(answer instanceof Error)) return start(new Session(answer));
    if (!(answer.isLoss || answer.status === 429 || answer.status === 500)) return askToSignIn(answer.status === 401 ? null : answer.message);
    // Drawn once: who listens to the page hears of it once.
    if (!told.isConnected) {
      document.title = "Belfry";
      replace(document.body, banner, h("main", { class: "sign-in", id: "main" }, h("div", { class: "sheet stack" },
        h("h1", null, "The console cannot be shown yet"), told, h("p", { class: "soft" }, "This page asks again by itself."))),
      h("div", { id: "announcements", class: "offscreen", "aria-live": "polite" }));
    }
    if (told.textContent !== answer.message) replace(told, notice(answer.message, "wait"));
    await door.back(answer);
  }
}

// Without the mark there is no session to ask for: a first visit makes no request that is refused.
if (remembered("session")) resume();
else askToSignIn(null);
