// Other devices have the same settings open. There is no stream of them, so a page that is looked at asks now and then, and
// at once when somebody comes back to it; one that nobody touches asks seldom.
const often = 15_000;
const seldom = 60_000;
const untouched = 300_000;

/** Keeps a page at what is in force, for as long as it is open. */
export class Following {
  constructor(page) {
    this.page = page;
    this.ending = new AbortController();
    this.touchedAt = Date.now();
    const { signal } = this.ending;
    const back = () => { if (!document.hidden) this.look(); };
    window.addEventListener("focus", back, { signal });
    document.addEventListener("visibilitychange", back, { signal });
    for (const name of ["pointerdown", "keydown"]) document.addEventListener(name, () => { this.touchedAt = Date.now(); }, { signal });
    this.wait();
  }

  end() {
    this.ending.abort();
    clearTimeout(this.timer);
  }

  wait() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.look(), Date.now() - this.touchedAt < untouched ? often : seldom);
  }

  /**
   * Whether a redrawing would take something away from under somebody's hands. The field of a code is drawn with the focus in it: the code
   * may be entered elsewhere.
   */
  get isBusy() {
    const { page } = this;
    const { activeElement } = document;
    return !page.settings || page.pending > 0 || page.door.isLost || document.querySelector("dialog[open]") !== null
      || (page.form.contains(activeElement) && activeElement.closest("[data-path]") !== null && activeElement.matches("input:not([type=checkbox]):not([type=radio])"));
  }

  async look() {
    clearTimeout(this.timer);
    if (!document.hidden && !this.isBusy) {
      const settings = await this.page.read().catch(() => null);
      if (settings && !this.isBusy && !this.page.isClosed) this.page.seen(settings);
    }
    if (!this.page.isClosed) this.wait();
  }
}
