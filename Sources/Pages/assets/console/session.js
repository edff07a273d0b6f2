import { h } from "../common/dom.js";
import { field, notice } from "../common/controls.js";

const ranks = ["read", "operate", "admin"];

/** Who is signed in, and what they may do. What a role may not do is not offered; the worker refuses it all the same. */
export class Session {
  constructor({ name, role, expires_at: until }) {
    this.name = name;
    this.role = role;
    this.until = until;
  }

  may(role) { return ranks.indexOf(this.role) >= ranks.indexOf(role); }
}

/** A browser drops a cookie that is for TLS alone without a word, and whoever goes on without one is signed out by the first question. */
async function isKept(door) {
  if (location.protocol !== "http:") return;
  await door.get("/v1/session").catch((error) => {
    if (error.status !== 401) throw error;
    throw new Error("The token is right, but over plain HTTP this browser keeps a session for this machine alone. Open the console by HTTPS or at localhost.");
  });
}

/** Asks for a token until one is taken. */
export function signIn(door, { why = null, done }) {
  const token = h("input", { type: "password", name: "token", required: true, autocomplete: "current-password", spellcheck: "false" });
  const problem = h("div", null, why && notice(why, "wait"));
  const button = h("button", { type: "submit", class: "primary" }, "Sign in");
  const form = h("form", { class: "sheet", onsubmit: async (event) => {
    event.preventDefault();
    button.disabled = true;
    try {
      const session = await door.post("/v1/session", { token: token.value.trim() });
      await isKept(door);
      token.value = "";
      done(new Session(session));
    } catch (error) {
      // The worker's own words are for programs.
      problem.replaceChildren(notice(error.status === 401 ? "This token is not valid. Check that you copied all of it. It may also have expired or been revoked." : error.message));
      token.setAttribute("aria-invalid", "true");
      token.select();
      token.focus();
    } finally {
      button.disabled = false;
    }
  } },
    h("div", { class: "brand" }, h("img", { src: "/assets/icon.svg", alt: "" }), "Belfry"),
    h("h1", null, "Sign in"),
    problem,
    // A browser that keeps passwords asks whose it is.
    h("input", { type: "text", name: "username", autocomplete: "username", value: "belfry", readOnly: true, hidden: true }),
    field("Token", token, { help: "The worker’s own, or one that was made with “belfry token make”." }),
    button);
  document.title = "Sign in · Belfry";
  setTimeout(() => token.focus());
  return h("main", { class: "sign-in", id: "main" }, form);
}
