import { focusHere, h, isFocusLost, replace, unique } from "../common/dom.js";
import { chip, confirmed, field, notice } from "../common/controls.js";
import { person } from "../common/door.js";
import { id, said, spelt } from "../common/text.js";
import { now, stamp, when } from "../common/time.js";

/** Where notices go: the address of mail, the phone with its verification, the devices. */
export function channelsExtra(section, page) {
  const devices = section.devices ?? [];
  return h("div", null,
    section.email && h("div", { class: "setting" }, h("span", { class: "setting-name" }, "Email goes to"), said(section.email),
      h("span", { class: "setting-note" }, "Your app can change the address.")),
    section.phone && usesPhone(section) && phonePart(section.phone, page),
    devices.length > 0 && h("div", { class: "panel" }, h("h3", null, "Devices"), h("ul", { class: "entries devices" }, devices.map((one, place) => h("li", { class: "setting" },
      h("span", { class: "setting-name" }, id(one.device)), one.alive ? chip("In use", "good") : chip("No longer reached", "bad"),
      h("span", { class: "setting-note" }, h("span", null, one.platform ? `${platforms[one.platform] ?? one.platform}, ` : "", "since ", stamp(one.registered_at, { zone: page.settings.timezone, full: true })),
        h("button", { type: "button", class: "link", "aria-label": `Remove ${spelt(one.device)}`, onclick: () => remove(one.device, place, page) }, "Remove")))))));
}

/** The page cannot bring it back: only the app on it can. */
async function remove(device, place, page) {
  const body = h("p", null, "Nothing rings on ", id(device), " any more, until the app there registers it again.");
  if (!await confirmed({ title: "Remove this device?", action: "Remove", body })) return;
  await page.queue(async () => {
    await page.door.post(`${person(page.user)}/devices/remove`, { device });
    await page.load();
    page.tell("The device is removed.");
    if (!isFocusLost()) return;
    const left = page.form.querySelectorAll(".devices button");
    const next = left[Math.min(place, left.length - 1)];
    if (next) next.focus({ preventScroll: true });
    else focusHere(page.form.querySelector("[data-section=channels] h2"));
  });
}

/** A number is asked for where it is of use; one that is known, or waits for its code, is shown all the same. */
const usesPhone = ({ fields, phone }) => phone.number !== null || phone.asked !== null || fields.some((field) => field.path[1] === "sms");

const platforms = { ios: "iPhone or iPad", android: "Android", web: "Browser" };

/** What of a verification is under way outlives a redrawing of the page. It is one person's: the next pass may be somebody else's. */
let underWay = { step: "closed" };

function phonePart(phone, page) {
  const holder = h("div");
  if (underWay.user !== page.user) underWay = { user: page.user, step: "closed", resendAt: 0 };
  const draw = (word = null) => replace(holder, ...(underWay.step === "code" ? codeStep(phone, page, draw, word) : underWay.step === "number" ? numberStep(page, draw) : [summary(phone, page, draw)]));
  // What was seen to wait and waits no more was entered elsewhere, or nobody may enter it any more.
  if (phone.asked) underWay.isSeen = true;
  else if (underWay.isSeen && underWay.step === "code" && !underWay.isUnsent) underWay.step = "closed";
  if (underWay.step === "closed" && phone.asked && !underWay.isPutOff) {
    underWay.step = "code";
    underWay.resendAt = phone.resend_at ? Date.parse(phone.resend_at) : 0;
    underWay.endsAt = phone.code_expires_at;
    underWay.isEntered = false;
  }
  draw();
  return holder;
}

/** Whoever pressed something is led to what comes of it. A drawing for another reason leaves everybody where they are. */
function leadTo(node) {
  setTimeout(() => {
    if (!underWay.leads || !node.isConnected) return;
    underWay.leads = false;
    node.focus();
  });
  return node;
}

function go(step, draw) {
  underWay.step = step;
  underWay.leads = true;
  draw();
}

function putOff(draw) {
  underWay.isPutOff = true;
  go("closed", draw);
}

function summary(phone, page, draw) {
  return h("div", { class: "setting" },
    h("span", { class: "setting-name" }, "Phone ", phone.number && said(phone.number)),
    h("span", { class: "row" }, phone.number && (phone.verified ? chip("Verified", "good") : chip("Not verified", "wait")),
      leadTo(h("button", { type: "button", class: "small", onclick: () => go("number", draw) }, phone.number ? "Change" : "Add phone number"))),
    phone.locked_until && h("span", { class: "setting-note" }, `Too many attempts. You can try again at ${when(phone.locked_until, { zone: page.settings.timezone })}.`));
}

function numberStep(page, draw) {
  const input = h("input", { type: "tel", name: "phone", autocomplete: "tel", placeholder: "+33 6 12 34 56 78", required: true,
    value: underWay.typed ?? "", oninput: () => { underWay.typed = input.value; } });
  const problem = h("div");
  const button = h("button", { type: "submit", class: "primary" }, "Send the code");
  const form = h("form", { class: "panel", onsubmit: async (event) => {
    event.preventDefault();
    button.disabled = true;
    try {
      const answer = await page.door.post(`${person(page.user)}/phone`, { phone: input.value.replace(/[\s().-]/g, "").replace(/^00/, "+") });
      underWay.typed = null;
      underWay.shown = masked(input.value);
      underWay.resendAt = now() + (answer.resend_after_seconds ?? 30) * 1000;
      underWay.isUnsent = isUnsent(answer);
      underWay.endsAt = answer.code_expires_at;
      underWay.isEntered = true;
      underWay.isSeen = false;
      go("code", draw);
      page.load().catch(() => {});
    } catch (error) {
      replace(problem, notice(error.message));
      input.setAttribute("aria-invalid", "true");
      input.focus();
    } finally {
      button.disabled = false;
    }
  } },
    h("h3", null, "Add your phone number"),
    field("Phone number, with the country’s code", input, { help: "For urgent notices by SMS, never for marketing. Your operator’s rates may apply." }),
    problem, h("div", { class: "row" }, button, h("button", { type: "button", onclick: () => putOff(draw) }, "Cancel")));
  leadTo(input);
  return [form];
}

const masked = (number) => `•••• ${number.replace(/\D/g, "").slice(-2)}`;

/** Whether the worker took the wish and has nobody who sends texts. */
const isUnsent = (answer) => answer.warnings?.length > 0;

/** Of a code that was asked for before the page was opened nobody knows here whether it went out. */
function codeTold(number, page) {
  if (!underWay.endsAt || Date.parse(underWay.endsAt) <= now()) return ["The code for ", said(number), " has run out. Ask for another."];
  const end = when(underWay.endsAt, { zone: page.settings.timezone });
  return underWay.isEntered ? ["Sent to ", said(number), `. It is good until ${end}.`] : ["The code for ", said(number), ` is good until ${end}.`];
}

function codeStep(phone, page, draw, word = null) {
  const later = (name) => h("button", { type: "button", class: "quiet", onclick: () => putOff(draw) }, name);
  // Nothing that they could enter was sent, and guesses would lock them out.
  if (underWay.isUnsent) {
    return [h("div", { class: "panel" }, h("h3", null, "Your phone number"),
      notice("No code could be sent: SMS is not set up here.", "wait"), h("div", { class: "row" }, leadTo(later("Close"))))];
  }
  const input = h("input", { type: "text", class: "code", name: "code", inputmode: "numeric", autocomplete: "one-time-code", maxlength: 6, pattern: "[0-9]{6}", required: true });
  const [sentTo, problem] = [h("p", { class: "soft", id: unique("sent") }, codeTold(underWay.shown ?? phone.asked ?? "your phone", page)), h("div", { id: unique("problem") }, word)];
  input.setAttribute("aria-describedby", `${sentTo.id} ${problem.id}`);
  const button = h("button", { type: "submit", class: "primary" }, "Verify");
  const resend = h("button", { type: "button" }, "Resend");
  const form = h("form", { class: "panel" },
    h("h3", null, "Enter the verification code"),
    sentTo,
    field("Code of 6 digits", input), problem,
    h("div", { class: "row" }, button, resend, h("button", { type: "button", class: "quiet", onclick: () => go("number", draw) }, "Change number"),
      later("Later")));
  const count = () => {
    const left = Math.ceil((underWay.resendAt - now()) / 1000);
    resend.disabled = left > 0;
    resend.textContent = left > 0 ? `Resend in ${left} s` : "Resend";
    if (left > 0 && form.isConnected) setTimeout(count, 500);
  };
  const verify = async () => {
    button.disabled = true;
    try {
      await page.door.post(`${person(page.user)}/phone/code`, { code: input.value });
      page.isTyping = false;
      Object.assign(underWay, { step: "closed", leads: true });
      await page.load();
      page.tell("Your phone number is verified.");
    } catch (error) {
      underWay.leads = false;
      replace(problem, notice(error.message));
      input.setAttribute("aria-invalid", "true");
      input.value = "";
      if (error.status === 429) input.disabled = true;
      else input.focus();
    } finally {
      button.disabled = input.disabled;
    }
  };
  form.addEventListener("submit", (event) => { event.preventDefault(); verify(); });
  input.addEventListener("input", () => { if (/^\d{6}$/.test(input.value)) verify(); });
  resend.addEventListener("click", async () => {
    try {
      const answer = await page.door.post(`${person(page.user)}/phone/again`);
      underWay.resendAt = now() + (answer.resend_after_seconds ?? 30) * 1000;
      underWay.isUnsent = isUnsent(answer);
      underWay.endsAt = answer.code_expires_at;
      underWay.isEntered = true;
      underWay.leads = true;
      draw(underWay.isUnsent ? null : notice("A new code is on its way.", "good"));
      return;
    } catch (error) {
      if (error.retryAfter) underWay.resendAt = now() + error.retryAfter * 1000;
      // No number waits any more, as after a lock: it is asked for anew.
      else if (error.status === 400) return go("number", draw);
      replace(problem, notice(error.message));
    }
    count();
  });
  // Who comes to the page came for something else: nobody is led away from its beginning.
  leadTo(input);
  setTimeout(count);
  return [form];
}
