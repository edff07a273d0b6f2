/** An element that draws itself as wide as it is, and anew when that changes. `paint` is given the width. */
export class Drawn extends HTMLElement {
  /** What it is to show; before it is set nothing is drawn. */
  set(shown) {
    Object.assign(this, shown);
    this.isSet = true;
    if (this.isConnected) this.draw();
  }

  connectedCallback() {
    this.watcher = new ResizeObserver(() => {
      if (Math.abs(this.clientWidth - (this.drawn ?? 0)) > 1) this.draw();
    });
    this.watcher.observe(this);
    this.draw();
  }

  disconnectedCallback() { this.watcher?.disconnect(); }

  draw() {
    const width = this.clientWidth;
    if (!this.isSet || width === 0) return;
    this.drawn = width;
    this.paint(width);
  }
}
