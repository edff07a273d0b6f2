import { step } from "./text.js";
import { heardClock, heardTime } from "./time.js";

// The worker's own door. What goes wrong on the way is told in one shape, and losing or finding the worker is told once.

/** What the worker, or the way to it, said no with. */
export class Problem extends Error {
  constructor(status, message, body = {}, retryAfter = null) {
    super(message);
    this.status = status;
    this.body = body;
    this.retryAfter = retryAfter;
  }

  get isLoss() { return this.status === 0 || this.status === 502 || this.status === 503 || this.status === 504; }
}

/** Asks one worker, with a person's token or with the cookie of a session. */
export class Door extends EventTarget {
  constructor(token = null) {
    super();
    this.token = token;
    this.isLost = false;
  }

  get(path, options) { return this.ask("GET", path, options); }
  post(path, body, options) { return this.ask("POST", path, { ...options, body }); }
  patch(path, body, options) { return this.ask("PATCH", path, { ...options, body }); }
  remove(path, options) { return this.ask("DELETE", path, options); }

  /** One JSON object a line. */
  async lines(path, options) {
    const text = await (await this.send("GET", path, options)).text();
    return text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
  }

  async ask(method, path, options = {}) {
    const response = await this.send(method, path, options);
    if (response.status === 204) return null;
    const body = await response.json();
    heardClock(body ?? {});
    return body;
  }

  async send(method, path, { body, headers = {}, signal } = {}) {
    const all = { Accept: "application/json", ...headers };
    if (this.token) all.Authorization = `Bearer ${this.token}`;
    if (body !== undefined) all["Content-Type"] ??= "application/json";
    let response;
    try {
      // To the worker a plus is a plus; `URLSearchParams` writes a space so.
      response = await fetch(path.replaceAll("+", "%20"), {
        method, signal, headers: all, cache: "no-store", credentials: this.token ? "omit" : "same-origin",
        body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
      });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      this.lose();
      throw new Problem(0, "The worker does not answer.");
    }
    // A gateway says so of a worker that it does not reach; 503 may be its word or the worker's own.
    const isGateway = response.status === 502 || response.status === 504;
    if (isGateway) this.lose();
    else if (response.status !== 503) this.find();
    if (!isGateway) heardTime(response.headers.get("Date"));
    if (response.ok) return response;
    throw await this.problem(response);
  }

  async problem(response) {
    const body = await response.json().catch(() => ({}));
    const wait = Number(response.headers.get("Retry-After"));
    const problem = new Problem(
      response.status, sentence(body.error ?? (this.isLost ? "The worker does not answer." : `The worker answered ${response.status}.`)), body, wait > 0 ? wait : null);
    if (response.status === 401) this.dispatchEvent(new CustomEvent("ended", { detail: problem }));
    return problem;
  }

  lose() {
    if (this.isLost) return;
    this.isLost = true;
    this.dispatchEvent(new Event("lost"));
    this.knock(1000);
  }

  find() {
    if (!this.isLost) return;
    this.isLost = false;
    this.dispatchEvent(new Event("found"));
  }

  /** Waits until it is worth asking again what was asked in vain. */
  back({ retryAfter }) {
    return new Promise((resolve) => {
      if (this.isLost) this.addEventListener("found", resolve, { once: true });
      else setTimeout(resolve, (retryAfter ?? 2) * 1000);
    });
  }

  // `/ready` needs no token and costs nothing; ever longer waits, so that a restarting worker is not crowded.
  knock(wait) {
    setTimeout(async () => {
      if (!this.isLost) return;
      const response = await fetch("/ready", { cache: "no-store" }).catch(() => null);
      if (response?.ok) this.find();
      else this.knock(Math.min(wait * 1.5, 10000));
    }, wait);
  }
}

/** An error's words as a sentence: they come without a capital and without a stop. */
export function sentence(words) {
  const text = String(words);
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…)]$/.test(whole) ? whole : `${whole}.`;
}

export const person = (user) => `/v1/people/${step(user)}`;
