import { announce, h, plural, replace } from "../common/dom.js";
import { chip, confirmed, copyButton, field, notice, select, table } from "../common/controls.js";
import { id, said, spelt, step } from "../common/text.js";
import { stamp, mine, instant } from "../common/time.js";
import { pause } from "../common/stream.js";
import { forget, remember, remembered } from "../common/storage.js";
import { isSame } from "../common/changes.js";
import { capital, kindName, nameKinds, plain } from "../common/words.js";
import { eventLink, personLink } from "./links.js";

const priorities = { critical: "bad", high: "wait", medium: "send", low: "plain" };

/** The policy in force, readable; another one held against it over a stretch of the log, and adopted from there. */
export async function policyView(place) {
  place.title("Policy");
  const policy = await place.door.get("/v1/policy", { signal: place.signal });
  nameKinds(policy.kinds);
  return [
    h("div", { class: "head" }, h("div", { class: "head-text" },
      h("h1", null, "Policy: ", said(policy.policy.name)),
      policy.policy.about && h("p", { class: "soft" }, said(policy.policy.about)),
      h("p", { class: "facts" }, policy.seq && h("span", null, "Adopted ", stamp(policy.adopted_at, { full: true, named: true }), " as ", eventLink(policy.seq, policy.partition))))),
    h("section", { class: "sheet", "aria-labelledby": "rules" }, h("h2", { id: "rules" }, "What holds for everybody"),
      h("ul", { class: "sentences" }, policy.sentences.map((one) => h("li", null, said(one, "span"))))),
    h("section", { class: "sheet flush stack tight", "aria-labelledby": "kinds" },
      h("h2", { id: "kinds", class: "inset" }, plural(policy.kinds.length, "kind")),
      h("div", { class: "kinds" }, policy.kinds.map((kind) => kindRow(kind, policy.policy.kinds?.find((one) => one.name === kind.name))))),
    h("section", { class: "sheet" }, h("details", null, h("summary", null, "The document"),
      h("div", { class: "stack tight" }, h("div", null, copyButton(() => JSON.stringify(policy.policy, null, 2), "Copy the document")),
        h("pre", { tabindex: "0", "aria-label": "The policy’s document" }, JSON.stringify(policy.policy, null, 2))))),
    compare(place, policy),
  ];
}

function kindRow(kind, document) {
  const copy = document?.copy ?? {};
  return h("article", { class: "kind-row" },
    h("div", { class: "row" }, h("h3", null, said(kind.label)), chip(capital(kind.priority), priorities[kind.priority] ?? "plain"), h("span", { class: "soft" }, id(kind.name))),
    h("p", null, said(kind.sentence, "span")),
    (kind.rules.length > 0 || Object.keys(copy).length > 0) && h("details", null, h("summary", null, "Rules and copy"),
      h("ul", { class: "sentences" }, kind.rules.map((rule) => h("li", null, said(rule, "span")))),
      Object.keys(copy).length > 0 && h("dl", { class: "pairs copy" }, Object.entries(copy).map(([name, text]) => [
        h("dt", null, capital(plain(name))), h("dd", null, said(typeof text === "string" ? text : JSON.stringify(text)))]))));
}

// How long a worker that did not answer is let alone.
const awayFor = 2000;

// The document of the last comparison: the worker keeps what came of it, by a number, and not the document itself.
const drafts = "what-if";

const stretches = [
  { value: "86400000", label: "The last day" },
  { value: "604800000", label: "The last week" },
  { value: "2592000000", label: "The last 30 days" },
  { value: "", label: "The whole log" },
  { value: "between", label: "Between two moments" },
];

/** Another document against the one in force. What comes of it is shown before it can be adopted. */
function compare({ door, session, signal, router, query }, policy) {
  const result = h("div", { class: "stack", "aria-live": "off" });
  const text = h("textarea", { rows: 14, spellcheck: "false", autocomplete: "off", value: JSON.stringify(policy.policy, null, 2) });
  const problems = h("div");
  // What came of a document that is no longer the one in the box is marked, and cannot be adopted from there.
  let compared = null;
  // The number of the policy that it was held against.
  let against = policy.seq;
  const stale = notice("The document was changed since: below is what came of it as it was. Hold it against the log again to adopt it.", "wait");
  const offer = h("div");
  const look = () => {
    const isStale = compared !== null && !isSame(parsed(text.value).document, compared);
    if (isStale && stale.hidden) announce("The document was changed since it was compared");
    stale.hidden = !isStale;
    offer.hidden = isStale;
  };
  const from = h("input", { type: "datetime-local" });
  const to = h("input", { type: "datetime-local" });
  const between = h("div", { class: "filters", hidden: true }, field(`From (${mine})`, from), field("To", to));
  const stretch = select(stretches, "604800000", (value) => { between.hidden = value !== "between"; });
  const shipped = select([{ value: "", label: "The one in force" }, ...policy.shipped.map((name) => ({ value: name, label: `Shipped: ${name}` }))], "", (name) => begin(name));
  const run = h("button", { type: "submit", class: "primary" }, "Hold against the log");
  let checking = null;
  // What is in the box by now: an answer about what was there before is none.
  let turns = 0;

  async function begin(name) {
    const turn = ++turns;
    try {
      const document = name ? await door.get(`/v1/policy/${step(name)}`, { signal }) : policy.policy;
      if (turn !== turns) return;
      text.value = JSON.stringify(document, null, 2);
      await check();
    } catch (error) {
      if (error.name !== "AbortError" && turn === turns) replace(problems, notice(error.message, "wait"));
    }
  }

  /** The document in the box; `null` where it is none, or where nobody can say just now. */
  async function check() {
    clearTimeout(checking);
    look();
    const turn = ++turns;
    const found = parsed(text.value);
    const answer = found.problem ? { ok: false, problems: [{ path: "", problem: found.problem }] }
      : await door.post("/v1/policy/check", found.document, { signal }).catch((error) => error);
    if (signal.aborted || turn !== turns) return null;
    if (answer instanceof Error && (answer.isLoss || answer.status === 429 || answer.status === 500)) {
      replace(problems, notice(`Whether this is a policy cannot be said just now. ${answer.message}`, "wait"));
      text.removeAttribute("aria-invalid");
      run.disabled = false;
      return null;
    }
    const wrong = answer.ok ? [] : answer.problems ?? answer.body?.problems ?? [{ path: "", problem: answer.message }];
    const list = (all) => h("ul", null, all.map((one) =>
      h("li", null, one.path ? [id(one.path), ": "] : null, said(one.problem))));
    if (!answer.ok) replace(problems, notice("This is no policy yet.", "bad", list(wrong)));
    else replace(problems, answer.warnings.length > 0
      ? notice("This is a policy. Some of it may not be meant so:", "wait", list(answer.warnings)) : null);
    text.setAttribute("aria-invalid", String(!answer.ok));
    run.disabled = !answer.ok;
    return answer.ok ? found.document : null;
  }

  text.addEventListener("input", () => {
    turns += 1;
    look();
    clearTimeout(checking);
    checking = setTimeout(check, 400);
  });

  async function hold(event) {
    event.preventDefault();
    const document = await check();
    if (!document) return;
    run.disabled = true;
    try {
      against = policy.seq;
      if (await isOvertaken()) return;
      const { id: number } = await door.post("/v1/what-if", { policy: document, ...stretchOf(stretch.value, from, to) });
      remember(drafts, JSON.stringify({ number, document, against }), "sessionStorage");
      router.filter({ what_if: number });
      await watch(number, document, { isOwn: true });
    } catch (error) {
      if (error.name === "AbortError") return;
      // Somebody's is running, which can be looked at, and stopped there.
      if (error.status === 409 && error.body.id) {
        replace(result, notice("Another comparison is running, and there is one at a time.", "wait",
          h("button", { type: "button", onclick: () => { router.filter({ what_if: error.body.id }); goOn(error.body.id); } }, "Show that one")));
      } else replace(result, notice(error.message));
    } finally {
      run.disabled = false;
    }
  }

  /** `isOwn`: it was begun here, and nobody waits for it once this page is left. */
  async function watch(number, document, { isOwn }) {
    const bar = h("progress", { max: 1, value: 0, "aria-label": "How much of the stretch was decided again" });
    const words = h("p", { class: "soft" }, "Deciding the stretch again…");
    let isStopped = false;
    compared = null;
    replace(result, bar, h("div", { class: "row apart" }, words, h("button", { type: "button", onclick: async () => {
      isStopped = true;
      await door.remove(`/v1/what-if/${number}`).catch(() => null);
      replace(result, notice("Stopped.", "plain"));
    } }, "Stop")));
    const leave = () => door.remove(`/v1/what-if/${number}`).catch(() => null);
    if (isOwn) signal.addEventListener("abort", leave, { once: true });
    while (!signal.aborted && !isStopped) {
      // A worker that is busy or away for a moment goes on with it.
      const told = await door.get(`/v1/what-if/${number}`, { signal }).catch((error) => {
        if (error.isLoss || error.status === 429) return null;
        throw error;
      });
      if (isStopped) return;
      if (told === null) {
        await pause(awayFor, signal);
        continue;
      }
      bar.value = told.progress ?? 0;
      words.textContent = `Deciding the stretch again: ${Math.round((told.progress ?? 0) * 100)} %`;
      if (told.state === "done") {
        signal.removeEventListener("abort", leave);
        announce("The comparison is done");
        compared = document;
        replace(offer, adoption(document, told.report));
        stale.hidden = true;
        look();
        replace(result, stale, overWhat(document, told.report), report(told.report, labelsOf(document)), offer);
        return;
      }
      if (told.state === "failed") {
        signal.removeEventListener("abort", leave);
        replace(result, notice(told.problem ?? "It failed."));
        return;
      }
      await pause(400, signal);
    }
  }

  function adoption(document, found) {
    if (!document) return h("p", { class: "soft" }, "The document that was compared is not kept here. To adopt one, hold it against the log.");
    if (!session.may("admin")) return h("p", { class: "soft" }, "Adopting a policy takes the role admin.");
    return h("div", { class: "row apart adopt" }, h("p", null, "Adopted, it decides for everybody from that moment on. What was decided stays."),
      h("button", { type: "button", class: "primary", onclick: () => adopt(document, found) }, "Adopt this policy…"));
  }

  /** What was compared was held against the policy in force then: whoever adopts must not take back what somebody else adopted since. */
  async function isOvertaken() {
    const now = await door.get("/v1/policy", { signal });
    if (now.seq === against) return false;
    replace(result, notice(["Another policy was adopted meanwhile, as ", eventLink(now.seq, now.partition), ". Nothing was adopted from here. Hold the document against the log again, under that one."], "wait",
      h("button", { type: "button", onclick: async () => { router.filter({ what_if: null }); await router.show({ quietly: true }); } }, "Show the policy in force")));
    announce("Another policy was adopted meanwhile");
    return true;
  }

  async function adopt(document, found) {
    try {
      await confirmAndAdopt(document, found);
    } catch (error) {
      if (error.name === "AbortError") return;
      // What came of the comparison stays, and can be adopted from there.
      offer.querySelector(".notice")?.remove();
      offer.prepend(notice(error.body?.results?.[0]?.refused ?? error.message));
    }
  }

  async function confirmAndAdopt(document, found) {
    if (await isOvertaken()) return;
    const isSure = await confirmed({ title: "Adopt this policy?", action: "Adopt", body: [
      h("p", null, "The policy ", said(document.name ?? "without a name"), " takes the place of ", said(policy.policy.name), " for everybody, at once. It is a recorded fact; adopting the other again undoes it from then on."),
      h("p", null, `It is the document that was held against the log: ${found.gained.toLocaleString("en")} gained, ${found.lost.toLocaleString("en")} lost, ${found.moved.toLocaleString("en")} moved.`)] });
    if (!isSure || await isOvertaken()) return;
    const answer = await door.post("/v1/facts", { type: "policy_adopted", data: { policy: document } });
    const entry = answer.results?.[0] ?? {};
    forget(drafts, "sessionStorage");
    router.filter({ what_if: null });
    await router.show({ quietly: true });
    window.scrollTo(0, 0);
    window.document.querySelector("main .head")?.after(notice(entry.seq ? `Adopted as event #${entry.seq}.` : "It was adopted already.", "good"));
    announce("The policy was adopted");
  }

  // A comparison has an address: it is still there after the page was read anew, as long as the worker keeps it.
  async function goOn(number) {
    const kept = parsed(remembered(drafts, "sessionStorage") ?? "{}").document ?? {};
    const document = kept.number === number ? kept.document : null;
    if (document) text.value = JSON.stringify(document, null, 2);
    against = kept.against ?? null;
    try {
      await watch(number, document, { isOwn: document !== null });
    } catch (error) {
      if (error.name === "AbortError") return;
      replace(result, notice(error.status === 404 ? "This comparison is no longer kept. Hold the document against the log once more." : error.message, "wait"));
    }
  }

  if (/^[0-9a-zA-Z_-]{1,64}$/.test(query.get("what_if") ?? "")) goOn(query.get("what_if"));

  return h("section", { class: "sheet stack", "aria-labelledby": "compare" },
    h("div", null, h("h2", { id: "compare" }, "Hold another policy against this one"),
      h("p", { class: "soft" }, "The recorded facts of a stretch are decided again under the other document. Nothing is recorded and nothing is sent.")),
    h("form", { class: "stack", onsubmit: hold },
      h("div", { class: "filters" }, field("Begin with", shipped), field("Over", stretch)),
      between,
      field("Document", text), problems,
      h("div", null, run)),
    result);
}

function parsed(text) {
  try {
    return { document: JSON.parse(text) };
  } catch (error) {
    return { problem: `This is no JSON: ${error.message}` };
  }
}

function stretchOf(value, from, to) {
  if (value === "between") {
    return { ...(from.value ? { from: instant(from.value, mine) } : {}), ...(to.value ? { to: instant(to.value, mine) } : {}) };
  }
  return value ? { from: new Date(Date.now() - Number(value)).toISOString() } : {};
}

/** Which document was compared, and over what: an address is opened where neither stands in the form. */
function overWhat(document, { from, to }) {
  return h("p", null, document ? ["Under ", said(document.name ?? "a document without a name")] : "Under a document that is not kept here, and is not the one in the box above",
    ", from ", stamp(from, { full: true, named: true }), " to ", stamp(to, { full: true, named: true }), ":");
}

/** A kind that the compared document alone has goes by its label there. */
function labelsOf(document) {
  const own = new Map((document?.kinds ?? []).map((kind) => [kind.name, kind.label]));
  return (kind) => (own.get(kind) ? spelt(own.get(kind)) : kindName(kind));
}

function report(found, label) {
  const figure = (name, value, more) => h("div", { class: "figure" }, h("dt", null, name), h("dd", { class: "value" }, value.toLocaleString("en")), h("dd", { class: "more" }, more));
  const figures = [
    { label: "Gained", class: "number", cell: (one) => `+${one.gained}` },
    { label: "Lost", class: "number", cell: (one) => `−${one.lost}` },
    { label: "Moved", class: "number", cell: (one) => String(one.moved) },
  ];
  return h("div", { class: "stack" },
    h("dl", { class: "figures" }, figure("Gained", found.gained, "jobs that would come"), figure("Lost", found.lost, "jobs that would not"), figure("Moved", found.moved, "at another moment")),
    h("div", { class: "halves" },
      h("div", null, h("h3", null, "By kind"), table("By kind", [{ label: "Kind", cell: (one) => label(one.kind) }, ...figures,
        { label: "Same", class: "number extra", cell: (one) => String(one.same ?? 0) }], found.kinds)),
      h("div", null, h("h3", null, "By person, most changed first"), table("By person", [
        { label: "Person", cell: (one) => personLink(one.user) }, ...figures], found.people, { empty: "Nobody would notice." }))),
    found.refused > 0 && refusals(found),
    found.examples.length > 0 && h("details", null, h("summary", null, "Examples"), h("clock-note", { class: "help" }), table("Examples", [
      { label: "Person", cell: (one) => id(one.user) }, { label: "Kind", cell: (one) => label(one.kind) },
      { label: "Was", cell: (one) => one.was ? stamp(one.was, { full: true }) : "did not come" },
      { label: "Becomes", cell: (one) => one.becomes ? stamp(one.becomes, { full: true }) : "would not come" },
    ], found.examples)));
}

/** Facts that the other policy would not take: an app that tells them is refused from the adoption on. */
function refusals({ refused, refusals: groups = [] }) {
  return h("div", { class: "stack tight" },
    notice(`${plural(refused, "recorded fact")} would be refused under this policy. An app that goes on telling them is told so.`, "wait"),
    table("What would be refused", [
      { label: "Fact", cell: (one) => [capital(plain(one.type)), one.kind ? [" of ", id(one.kind)] : null] },
      { label: "How many", class: "number", cell: (one) => one.count.toLocaleString("en") },
      { label: "The first", cell: (one) => eventLink(one.first, one.partition ?? null) },
    ], groups));
}
