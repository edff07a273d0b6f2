import { h } from "../common/dom.js";
import { chip } from "../common/controls.js";
import { person } from "../common/door.js";

/** Consent, where the policy asks for it. A guardian's is told by the app, which knows who that is. */
export function consentPart(consent, page) {
  if (!consent?.asked) return null;
  const isGuardians = consent.by === "guardian";
  const say = (given) => page.queue(async () => {
    await page.door.post(`${person(page.user)}/consent`, { given });
    await page.load();
    page.tell(given ? "Thank you: your consent is noted." : "Your consent is taken back.");
  });
  return h("section", { class: "sheet", "aria-labelledby": "consent" },
    h("h2", { id: "consent" }, "Consent"),
    h("div", { class: "setting" },
      h("span", { class: "setting-name" }, isGuardians ? "A guardian has to agree before anything is sent" : "Your messages may be looked at to tell what matters"),
      consent.given ? chip("Given", "good") : chip("Missing", "wait"),
      h("span", { class: "setting-note" }, isGuardians ? "They do so in the app."
        : h("button", { type: "button", class: "small", onclick: () => say(!consent.given) }, consent.given ? "Take it back" : "I agree"))));
}
