import { h, s } from "../common/dom.js";
import { Drawn } from "./drawn.js";

/**
 * `<bar-chart>`: stacked bars by hand. The table beside it says the same, so to a reader of screens it is one picture with
 * a name; a pointer gets each bar's figures.
 */
export class BarChart extends Drawn {
  set({ columns, series, label, tones = null, height = 220 }) { super.set({ columns, series, label, tones, tall: height }); }

  connectedCallback() {
    this.classList.add("chart");
    super.connectedCallback();
  }

  paint(width) {
    const left = 40;
    const bottom = this.tall - 24;
    const most = nice(Math.max(1, ...this.columns.map((column) => column.values.reduce((sum, value) => sum + value, 0))));
    const y = (value) => bottom - (value / most) * (bottom - 10);
    const step = (width - left) / Math.max(1, this.columns.length);
    const wide = Math.max(1, Math.min(48, step * 0.72));
    this.replaceChildren(s("svg", { width, height: this.tall, role: "img", "aria-label": this.label },
      [0, 0.5, 1].map((part) => s("g", null,
        s("line", { class: part === 0 ? "axis" : "grid", x1: left, x2: width, y1: y(most * part), y2: y(most * part) }),
        s("text", { x: left - 8, y: y(most * part) + 4, "text-anchor": "end" }, (most * part).toLocaleString("en")))),
      this.columns.map((column, index) => this.bar(column, left + index * step + (step - wide) / 2, wide, y)),
      this.columns.map((column, index) => index % Math.ceil(labelWidth(this.columns) / step) === 0 &&
        s("text", { x: left + (index + 0.5) * step, y: this.tall - 6, "text-anchor": "middle" }, column.label))));
  }

  bar(column, x, wide, y) {
    let below = 0;
    const parts = column.values.map((value, index) => {
      const from = below;
      below += value;
      return value > 0 && s("rect", { class: colour(index, this.tones), x, width: wide, y: y(below), height: Math.max(0.5, y(from) - y(below)) });
    });
    const told = this.series.map((name, index) => [name, column.values[index]]).filter(([, value]) => value > 0);
    return s("g", null, s("title", null, `${column.title ?? column.label}\n${told.map(([name, value]) => `${name}: ${value.toLocaleString("en")}`).join("\n") || "nothing"}`),
      s("rect", { x, width: wide, y: 0, height: this.tall, fill: "transparent" }), parts);
  }
}
customElements.define("bar-chart", BarChart);

// A series that is a state of a notice wears its colour; others one of eight.
const colour = (index, tones) => tones?.[index] ?? `series-${index % 8}`;
const labelWidth = (columns) => Math.max(...columns.map((column) => column.label.length)) * 7.5 + 12;

function nice(value) {
  const size = 10 ** Math.floor(Math.log10(value));
  return Math.max(2, [1, 2, 4, 5, 10].map((one) => one * size).find((one) => one >= value));
}

export function barChart(data) {
  const chart = document.createElement("bar-chart");
  chart.set(data);
  return chart;
}

/** What the colours of a chart are. */
export function legend(names, tones = null) {
  return h("ul", { class: "key" }, names.map((name, index) => h("li", null, h("span", { class: `swatch ${colour(index, tones)}` }), name)));
}

/** Shares of a whole, as bars with their figures beside them. */
export function meters(label, rows, whole) {
  return h("dl", { class: "meter", "aria-label": label }, rows.map(([name, value]) => [
    h("dt", null, name),
    h("dd", { "aria-hidden": "true" }, s("svg", { viewBox: "0 0 100 6", preserveAspectRatio: "none" },
      s("rect", { class: "track", width: 100, height: 6 }), s("rect", { class: "filled", width: whole > 0 ? Math.min(100, (value / whole) * 100) : 0, height: 6 }))),
    h("dd", { class: "number" }, value.toLocaleString("en"))]));
}
