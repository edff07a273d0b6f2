import { Problem } from "../common/door.js";

// What the first view of a person does not need is loaded when it is asked for, or once that view is there: a slow line brings
// the person sooner, and a worker of another version brings no half of a page.

const all = [];

/** A function of a module that is loaded later, as if it were here. */
export function later(load, name) {
  all.push(load);
  return async (...given) => {
    const module = await load().catch(() => { throw new Problem(0, "A part of this page could not be loaded. Reload the page."); });
    return module[name](...given);
  };
}

/** Loads whatever is left. */
export function loadTheRest() {
  for (const load of all.splice(0)) load().catch(() => { /* it is asked for again where it is needed */ });
}
