// Figures as SVG, to zoom and to read values from.
import { h, svg } from "./dom";

type Num = number | null;
export interface Layer {
  kind: string; name: string; xs?: Num[]; ys?: Num[]; us?: Num[]; vs?: Num[]; bins?: number;
  rows?: Num[][]; ranges: [Num[], Num[]]; levels?: Num[];
}
export interface Figure {
  title: string; x: string; y: string; logX: boolean; logY: boolean; layers: Layer[] | null;
  columns?: number; facets?: Figure[];
}

const ok = (x: Num | undefined): x is number => x !== null && x !== undefined && Number.isFinite(x);

// short writes a number for people: six digits.
export function short(x: number): string {
  if (x === 0) return "0";
  const a = Math.abs(x);
  return (a >= 1e6 || a < 1e-4 ? x.toExponential(4).replace(/\.?0+e/, "e") : String(+x.toPrecision(6))).replace("-", "−");
}

// ticks are round numbers in a range.
function ticks(lo: number, hi: number, count: number, log: boolean): number[] {
  if (log) {
    const from = Math.ceil(lo - 1e-9), to = Math.floor(hi + 1e-9), step = Math.max(1, Math.ceil((to - from) / count));
    const list = [];
    for (let k = from; k <= to; k += step) list.push(k);
    if (list.length > 1) return list;
  }
  const raw = (hi - lo) / count, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map(m => m * power).find(s => s >= raw) ?? raw;
  const list = [];
  for (let k = Math.ceil(lo / step - 1e-9); k * step <= hi + step * 1e-9; k++) list.push(k * step);
  return list;
}

interface View { x: [number, number]; y: [number, number] }

export interface PlotOptions {
  // ranged is told the range of x that the reader has zoomed to; without it there is only what the figure has.
  ranged?: (from: number, to: number) => void;
  label?: string;
}

export function drawFigure(f: Figure, o: PlotOptions = {}): HTMLElement {
  if (f.facets) {
    const grid = h("div", { class: "facets" }, ...f.facets.map(part => drawFigure(part)));
    grid.style.setProperty("--columns", String(f.columns ?? 1));
    return grid;
  }
  return new Plot(f, o).box;
}

const colour = (k: number) => `var(--plot-${k % 7})`;

class Plot {
  readonly box: HTMLElement;
  private at: View;
  private all: View;
  private canvas = svg("svg", { role: "img", preserveAspectRatio: "none" });
  private readout = h("div", { class: "readout", "aria-live": "polite" });
  private width = 640;
  private height = 380;
  private colours: number[] = [];
  private drag?: { x: number; y: number; view: View; pan: boolean; box?: SVGElement };
  private cursor?: number;

  constructor(private f: Figure, private o: PlotOptions) {
    this.all = this.extent();
    this.at = structuredClone(this.all);
    const layers = f.layers ?? [];
    let next = 0;
    const names = new Map<string, number>();
    for (const l of layers) {
      if (l.kind === "Heatmap" || l.kind === "Contour") { this.colours.push(0); continue }
      if (l.name === "no value" || l.name === "kink") { this.colours.push(6); continue }
      if (l.name === "certified range") { this.colours.push(0); continue }
      if (l.name && names.has(l.name)) { this.colours.push(names.get(l.name)!); continue }
      names.set(l.name, next);
      this.colours.push(next++);
    }
    const what = layers.map(l => l.name || l.kind.toLowerCase()).join(", ");
    this.canvas.setAttribute("aria-label", o.label ?? ((f.title || "Figure") + ": " + what));
    this.canvas.setAttribute("tabindex", "0");
    const button = (text: string, label: string, act: () => void) => h("button", { type: "button", class: "mini", title: label, "aria-label": label, onclick: act }, text);
    const legend = this.legend();
    this.box = h("figure", { class: "plot" },
      f.title && h("figcaption", {}, f.title),
      h("div", { class: "canvas" }, this.canvas as unknown as HTMLElement, this.readout,
        h("div", { class: "zoom" }, button("+", "zoom in", () => this.scale(0.6)), button("−", "zoom out", () => this.scale(1 / 0.6)), button("↺", "show all", () => this.reset()))),
      legend);
    this.listen();
    new ResizeObserver(([e]) => {
      const w = Math.max(220, Math.round(e.contentRect.width));
      if (w === this.width) return;
      this.width = w;
      this.height = Math.round(Math.min(420, Math.max(210, w * 0.58)));
      this.draw();
    }).observe(this.canvas.parentElement ?? this.box);
    this.draw();
  }

  private tx(x: number) { return this.f.logX ? Math.log10(x) : x }
  private ty(y: number) { return this.f.logY ? Math.log10(y) : y }
  private seen(x: Num | undefined, y: Num | undefined): boolean {
    return ok(x) && ok(y) && !(this.f.logX && x <= 0) && !(this.f.logY && y <= 0);
  }

  private extent(): View {
    const v: View = { x: [Infinity, -Infinity], y: [Infinity, -Infinity] };
    const put = (r: [number, number], z: number) => { if (Number.isFinite(z)) { r[0] = Math.min(r[0], z); r[1] = Math.max(r[1], z) } };
    for (const l of this.f.layers ?? []) {
      if (l.kind === "Heatmap" || l.kind === "Contour") {
        l.ranges[0].forEach(x => ok(x) && put(v.x, this.tx(x)));
        l.ranges[1].forEach(y => ok(y) && put(v.y, this.ty(y)));
      } else if (l.kind === "Histogram") {
        for (const b of histogram(l)) { put(v.x, b.from); put(v.x, b.to); put(v.y, 0); put(v.y, b.count) }
      } else {
        (l.xs ?? []).forEach((x, k) => {
          for (const y of [l.ys?.[k], l.kind === "Band" ? l.us?.[k] : undefined]) {
            if (this.seen(x, y)) { put(v.x, this.tx(x!)); put(v.y, this.ty(y!)) }
          }
          if (l.kind === "Arrows" && ok(x) && ok(l.us?.[k])) { put(v.x, x + l.us![k]!); put(v.y, (l.ys![k] ?? 0) + (l.vs?.[k] ?? 0)) }
        });
      }
    }
    for (const r of [v.x, v.y]) {
      if (!(r[0] <= r[1])) { r[0] = 0; r[1] = 1 }
      if (r[0] === r[1]) { r[0] -= 0.5; r[1] += 0.5 }
    }
    const field = (this.f.layers ?? []).some(l => l.kind === "Heatmap");
    const pad = field ? 0 : (v.y[1] - v.y[0]) * 0.06;
    v.y = [v.y[0] - pad, v.y[1] + pad];
    return v;
  }

  private legend(): HTMLElement | null {
    const seen = new Set<string>();
    const items = (this.f.layers ?? []).flatMap((l, k) => {
      if (!l.name || seen.has(l.name)) return [];
      seen.add(l.name);
      const chip = h("i", { class: "chip " + l.kind.toLowerCase() + (l.name === "kink" ? " kink" : "") });
      chip.style.setProperty("--c", colour(this.colours[k]));
      return [h("li", {}, chip, l.name)];
    });
    return items.length ? h("ul", { class: "legend" }, ...items) : null;
  }

  private get frame() { return { left: 58, right: this.width - 14, top: 10, bottom: this.height - 38 } }
  private px(x: number) { const r = this.frame; return r.left + (x - this.at.x[0]) / (this.at.x[1] - this.at.x[0]) * (r.right - r.left) }
  private py(y: number) { const r = this.frame; return r.bottom - (y - this.at.y[0]) / (this.at.y[1] - this.at.y[0]) * (r.bottom - r.top) }
  private back(px: number, py: number): [number, number] {
    const r = this.frame;
    return [this.at.x[0] + (px - r.left) / (r.right - r.left) * (this.at.x[1] - this.at.x[0]),
      this.at.y[0] + (r.bottom - py) / (r.bottom - r.top) * (this.at.y[1] - this.at.y[0])];
  }

  private draw() {
    const r = this.frame, c = this.canvas;
    c.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    c.replaceChildren();
    const id = "clip" + Math.random().toString(36).slice(2);
    c.append(svg("clipPath", { id }, svg("rect", { x: r.left, y: r.top, width: r.right - r.left, height: r.bottom - r.top })));
    const grid = svg("g", { class: "grid" });
    const write = (v: number, log: boolean) => log ? short(10 ** v) : short(v);
    for (const x of ticks(...this.at.x, Math.max(4, Math.floor(this.width / 90)), this.f.logX)) {
      const p = this.px(x);
      grid.append(svg("line", { x1: p, x2: p, y1: r.top, y2: r.bottom }), svg("text", { x: p, y: r.bottom + 17, "text-anchor": "middle" }, write(x, this.f.logX)));
    }
    for (const y of ticks(...this.at.y, Math.max(3, Math.floor(this.height / 60)), this.f.logY)) {
      const p = this.py(y);
      grid.append(svg("line", { x1: r.left, x2: r.right, y1: p, y2: p }), svg("text", { x: r.left - 8, y: p + 4, "text-anchor": "end" }, write(y, this.f.logY)));
    }
    if (this.at.y[0] < 0 && this.at.y[1] > 0 && !this.f.logY) grid.append(svg("line", { class: "zero", x1: r.left, x2: r.right, y1: this.py(0), y2: this.py(0) }));
    c.append(grid);
    if (this.f.x) c.append(svg("text", { class: "axis", x: (r.left + r.right) / 2, y: this.height - 4, "text-anchor": "middle" }, this.f.x));
    if (this.f.y) c.append(svg("text", { class: "axis", x: r.left, y: r.top - 0, "text-anchor": "start", dy: "-0.1em" }, this.f.y));
    const layers = svg("g", { "clip-path": `url(#${id})` });
    (this.f.layers ?? []).forEach((l, k) => layers.append(this.layer(l, colour(this.colours[k]))));
    c.append(layers, svg("rect", { class: "frame", x: r.left, y: r.top, width: r.right - r.left, height: r.bottom - r.top }));
    c.append(svg("g", { class: "cursor" }));
  }

  private layer(l: Layer, paint: string): SVGElement {
    const g = svg("g");
    const X = (x: number) => this.px(this.tx(x)).toFixed(1), Y = (y: number) => this.py(this.ty(y)).toFixed(1);
    const xs = l.xs ?? [], ys = l.ys ?? [], us = l.us ?? [], vs = l.vs ?? [];
    switch (l.kind) {
      case "Line": {
        let d = "", up = true;
        xs.forEach((x, k) => {
          if (!this.seen(x, ys[k])) { up = true; return }
          d += (up ? "M" : "L") + X(x!) + " " + Y(ys[k]!);
          up = false;
        });
        g.append(svg("path", { d, fill: "none", stroke: paint, "stroke-width": l.name === "no value" ? 4 : 2, "stroke-linejoin": "round" }));
        break;
      }
      case "Band": {
        let top = "", bottom = "";
        xs.forEach((x, k) => {
          if (!this.seen(x, ys[k]) || !ok(us[k])) return;
          top += (top ? "L" : "M") + X(x!) + " " + Y(us[k]!);
          bottom = "L" + X(x!) + " " + Y(ys[k]!) + bottom;
        });
        g.append(svg("path", { d: top + bottom + "Z", fill: paint, "fill-opacity": 0.2, stroke: "none" }));
        break;
      }
      case "Scatter":
        xs.forEach((x, k) => {
          if (this.seen(x, ys[k])) g.append(svg("circle", { cx: X(x!), cy: Y(ys[k]!), r: l.name === "kink" ? 4.5 : xs.length > 400 ? 2 : 3.2, fill: paint, "fill-opacity": xs.length > 400 ? 0.5 : 0.85 }));
        });
        break;
      case "Histogram":
        for (const b of histogram(l)) {
          const left = this.px(b.from), right = this.px(b.to), top = this.py(b.count);
          g.append(svg("rect", { x: left + 0.5, width: Math.max(0.5, right - left - 1), y: top, height: Math.max(0, this.py(0) - top), fill: paint, "fill-opacity": 0.75 }));
        }
        break;
      case "Heatmap": {
        const [x, y] = l.ranges;
        const image = heat(l.rows ?? [], true);
        const left = this.px(x[0]!), right = this.px(x[1]!), top = this.py(y[1]!), bottom = this.py(y[0]!);
        g.append(svg("image", { href: image, x: left, y: top, width: right - left, height: bottom - top, preserveAspectRatio: "none", class: "pixels" }));
        break;
      }
      case "Contour":
        g.append(svg("path", { d: this.contours(l), fill: "none", class: "contour" }));
        break;
      case "Arrows":
        xs.forEach((x, k) => {
          if (!ok(x) || !ok(ys[k]) || !ok(us[k]) || !ok(vs[k])) return;
          const x1 = this.px(x), y1 = this.py(ys[k]!), x2 = this.px(x + us[k]!), y2 = this.py(ys[k]! + vs[k]!);
          const a = Math.atan2(y2 - y1, x2 - x1), head = Math.min(7, Math.hypot(x2 - x1, y2 - y1) / 2);
          const wing = (s: number) => `${x2 - head * Math.cos(a + s)} ${y2 - head * Math.sin(a + s)}`;
          g.append(svg("path", { d: `M${x1} ${y1}L${x2} ${y2}M${wing(0.5)}L${x2} ${y2}L${wing(-0.5)}`, fill: "none", stroke: paint, "stroke-width": 1.4 }));
        });
        break;
    }
    return g;
  }

  // contours are the lines at the levels, by marching squares.
  private contours(l: Layer): string {
    const rows = l.rows ?? [], n = rows.length, m = rows[0]?.length ?? 0, [rx, ry] = l.ranges;
    const x = (c: number) => rx[0]! + (rx[1]! - rx[0]!) * c / Math.max(m - 1, 1), y = (r: number) => ry[0]! + (ry[1]! - ry[0]!) * r / Math.max(n - 1, 1);
    let d = "";
    for (const level of l.levels ?? []) {
      if (!ok(level)) continue;
      for (let r = 0; r + 1 < n; r++) for (let c = 0; c + 1 < m; c++) {
        const at = [[c, r], [c + 1, r], [c + 1, r + 1], [c, r + 1]], z = at.map(([i, j]) => rows[j][i]);
        if (!z.every(ok)) continue;
        const cuts: string[] = [];
        for (let k = 0; k < 4; k++) {
          const a = z[k] as number, b = z[(k + 1) % 4] as number;
          if ((a < level) === (b < level)) continue;
          const t = (level - a) / (b - a), [p, q] = [at[k], at[(k + 1) % 4]];
          cuts.push(`${this.px(x(p[0] + t * (q[0] - p[0])))} ${this.py(y(p[1] + t * (q[1] - p[1])))}`);
        }
        for (let k = 0; k + 1 < cuts.length; k += 2) d += `M${cuts[k]}L${cuts[k + 1]}`;
      }
    }
    return d;
  }

  private listen() {
    const c = this.canvas as unknown as HTMLElement;
    const local = (e: MouseEvent): [number, number] => {
      const r = c.getBoundingClientRect();
      return [(e.clientX - r.left) / r.width * this.width, (e.clientY - r.top) / r.height * this.height];
    };
    c.addEventListener("pointermove", e => {
      const [x, y] = local(e);
      if (!this.drag) { if (e.pointerType !== "touch") this.point(x, y); return }
      if (this.drag.pan) {
        const [a] = this.back(this.drag.x, y), [b] = this.back(x, y), [, p] = this.back(x, this.drag.y), [, q] = this.back(x, y);
        this.show({ x: [this.drag.view.x[0] - (b - a), this.drag.view.x[1] - (b - a)], y: [this.drag.view.y[0] - (q - p), this.drag.view.y[1] - (q - p)] });
        return;
      }
      const { x: x0, y: y0 } = this.drag;
      this.drag.box ??= this.canvas.appendChild(svg("rect", { class: "select" }));
      for (const [k, v] of Object.entries({ x: Math.min(x, x0), y: Math.min(y, y0), width: Math.abs(x - x0), height: Math.abs(y - y0) })) this.drag.box.setAttribute(k, String(v));
    });
    c.addEventListener("pointerdown", e => {
      if (e.button !== 0) return;
      const [x, y] = local(e);
      if (e.pointerType === "touch") { this.point(x, y); return } // so that the page scrolls
      this.drag = { x, y, view: structuredClone(this.at), pan: e.shiftKey };
      c.setPointerCapture(e.pointerId);
    });
    c.addEventListener("pointerup", e => {
      const d = this.drag;
      this.drag = undefined;
      if (!d) return;
      const [x, y] = local(e);
      d.box?.remove();
      if (d.pan || Math.abs(x - d.x) < 6 || Math.abs(y - d.y) < 6) { if (d.pan) this.moved(); return }
      const [x1, y1] = this.back(Math.min(x, d.x), Math.max(y, d.y)), [x2, y2] = this.back(Math.max(x, d.x), Math.min(y, d.y));
      this.show({ x: [x1, x2], y: [y1, y2] });
      this.moved();
    });
    c.addEventListener("pointerleave", () => { this.readout.textContent = ""; this.canvas.querySelector(".cursor")?.replaceChildren() });
    c.addEventListener("dblclick", () => this.reset());
    c.addEventListener("wheel", e => {
      if (!e.ctrlKey && !e.metaKey && document.activeElement !== (this.canvas as unknown)) return;
      e.preventDefault();
      const [x, y] = local(e);
      this.scale(Math.exp(e.deltaY * 0.0015), this.back(x, y));
    }, { passive: false });
    c.addEventListener("keydown", e => {
      const move = (dx: number, dy: number) => {
        const w = this.at.x[1] - this.at.x[0], g = this.at.y[1] - this.at.y[0];
        this.show({ x: [this.at.x[0] + dx * w, this.at.x[1] + dx * w], y: [this.at.y[0] + dy * g, this.at.y[1] + dy * g] });
        this.moved();
      };
      const read = (step: number) => {
        this.cursor = Math.min(1, Math.max(0, (this.cursor ?? 0.5) + step));
        this.point(this.frame.left + this.cursor * (this.frame.right - this.frame.left), (this.frame.top + this.frame.bottom) / 2);
      };
      const keys: Record<string, () => void> = {
        "+": () => this.scale(0.6), "=": () => this.scale(0.6), "-": () => this.scale(1 / 0.6), "0": () => this.reset(),
        ArrowLeft: () => e.shiftKey ? move(-0.15, 0) : read(-0.02), ArrowRight: () => e.shiftKey ? move(0.15, 0) : read(0.02),
        ArrowUp: () => move(0, 0.15), ArrowDown: () => move(0, -0.15),
      };
      const act = keys[e.key];
      if (act && !e.ctrlKey && !e.metaKey) { e.preventDefault(); act() }
    });
  }

  private show(v: View) {
    if (!(v.x[1] - v.x[0] > 1e-12 * Math.max(1e-300, Math.abs(v.x[0]))) || !(v.y[1] - v.y[0] > 1e-12 * Math.max(1e-300, Math.abs(v.y[0])))) return;
    this.at = v;
    this.draw();
  }

  private scale(by: number, about?: [number, number]) {
    const [x, y] = about ?? [(this.at.x[0] + this.at.x[1]) / 2, (this.at.y[0] + this.at.y[1]) / 2];
    this.show({ x: [x + (this.at.x[0] - x) * by, x + (this.at.x[1] - x) * by], y: [y + (this.at.y[0] - y) * by, y + (this.at.y[1] - y) * by] });
    this.moved();
  }

  private reset() { this.show(structuredClone(this.all)); this.moved() }

  private moved() { this.o.ranged?.(this.f.logX ? 10 ** this.at.x[0] : this.at.x[0], this.f.logX ? 10 ** this.at.x[1] : this.at.x[1]) }

  // point shows the values under a place.
  private point(px: number, py: number) {
    const r = this.frame, cursor = this.canvas.querySelector(".cursor")!;
    cursor.replaceChildren();
    this.readout.replaceChildren();
    if (px < r.left || px > r.right || py < r.top || py > r.bottom) return;
    const [vx, vy] = this.back(px, py), x = this.f.logX ? 10 ** vx : vx, y = this.f.logY ? 10 ** vy : vy;
    const lines: [string, string, string][] = [["x", short(x), ""]];
    let found = false;
    (this.f.layers ?? []).forEach((l, k) => {
      const paint = colour(this.colours[k]), xs = l.xs ?? [];
      if (l.kind === "Line" && l.name !== "no value" || l.kind === "Band") {
        const i = nearest(xs, x);
        if (i < 0 || !ok(l.ys?.[i]) || Math.abs(this.px(this.tx(xs[i]!)) - px) > 12) return;
        found = true;
        if (l.kind === "Band") { lines.push([l.name || "band", `${short(l.ys![i]!)} … ${short(l.us![i]!)}`, paint]); return }
        lines.push([l.name || "y", short(l.ys![i]!), paint]);
        cursor.append(svg("circle", { cx: this.px(this.tx(xs[i]!)), cy: this.py(this.ty(l.ys![i]!)), r: 4, fill: paint }));
      } else if (l.kind === "Scatter") {
        let best = -1, far = 144;
        xs.forEach((a, i) => {
          if (!this.seen(a, l.ys![i])) return;
          const d = (this.px(this.tx(a!)) - px) ** 2 + (this.py(this.ty(l.ys![i]!)) - py) ** 2;
          if (d < far) { far = d; best = i }
        });
        if (best >= 0) { found = true; lines.push([l.name || "point", `(${short(xs[best]!)}, ${short(l.ys![best]!)})`, paint]) }
      } else if (l.kind === "Histogram") {
        const b = histogram(l).find(b => b.from <= x && x < b.to);
        if (b) { found = true; lines.push([l.name || "count", `${b.count} from ${short(b.from)} to ${short(b.to)}`, paint]) }
      } else if (l.rows && l.kind === "Heatmap") {
        const [a, b] = l.ranges, n = l.rows.length, m = l.rows[0].length;
        const row = Math.floor((y - b[0]!) / (b[1]! - b[0]!) * n), col = Math.floor((x - a[0]!) / (a[1]! - a[0]!) * m), z = l.rows[row]?.[col];
        if (z !== undefined) { found = true; lines.push(["y", short(y), ""], ["value", ok(z) ? short(z) : "none", ""]) }
      }
    });
    if (!found) lines.push(["y", short(y), ""]);
    cursor.prepend(svg("line", { x1: px, x2: px, y1: r.top, y2: r.bottom }));
    for (const [name, value, paint] of lines) {
      const chip = h("b", {}, name);
      if (paint) chip.style.color = paint;
      this.readout.append(h("span", {}, chip, " " + value));
    }
    this.readout.classList.toggle("left", px > (r.left + r.right) / 2);
  }
}

function nearest(xs: Num[], x: number): number {
  let best = -1, far = Infinity;
  for (let i = 0; i < xs.length; i++) {
    const d = Math.abs((xs[i] ?? Infinity) - x);
    if (d < far) { far = d; best = i }
  }
  return best;
}

// ends are the least and the largest of some numbers, of which there may be a million.
function ends(xs: number[]): [number, number] {
  return xs.reduce<[number, number]>(([a, b], x) => [Math.min(a, x), Math.max(b, x)], [Infinity, -Infinity]);
}

function histogram(l: Layer): { from: number; to: number; count: number }[] {
  const xs = (l.xs ?? []).filter(ok), n = l.bins ?? 10;
  let [lo, hi] = ends(xs);
  if (!(lo < hi)) { lo -= 0.5; hi += 0.5 }
  const bins = Array.from({ length: n }, (_, k) => ({ from: lo + (hi - lo) * k / n, to: lo + (hi - lo) * (k + 1) / n, count: 0 }));
  for (const x of xs) bins[Math.min(n - 1, Math.floor((x - lo) / (hi - lo) * n))].count++;
  return bins;
}

// The colours of heat maps: dark to light, and about zero from blue to red.
const viridis = [[68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141], [39, 173, 129], [92, 200, 99], [170, 220, 50], [253, 231, 37]];
const balance = [[33, 76, 152], [94, 137, 196], [163, 190, 219], [226, 232, 238], [245, 236, 229], [234, 190, 163], [212, 121, 94], [168, 38, 48]];

function mix(scale: number[][], t: number): number[] {
  const p = Math.min(0.999999, Math.max(0, t)) * (scale.length - 1), k = Math.floor(p);
  return scale[k].map((v, i) => Math.round(v + (scale[k + 1][i] - v) * (p - k)));
}

// heat is a matrix as a picture, a pixel a number; rows go up if upwards.
export function heat(rows: Num[][], upwards: boolean): string {
  const n = rows.length, m = rows[0]?.length ?? 0;
  const all = rows.flat().filter(ok);
  const [lo, hi] = ends(all);
  const most = Math.max(Math.abs(lo), Math.abs(hi)) || 1;
  const canvas = h("canvas", { width: m, height: n }), paint = canvas.getContext("2d")!, image = paint.createImageData(m, n);
  rows.forEach((row, r) => row.forEach((z, c) => {
    const at = 4 * ((upwards ? n - 1 - r : r) * m + c);
    const rgb = !ok(z) ? [255, 0, 255] : lo < 0 && hi > 0 ? mix(balance, 0.5 + z / most / 2) : mix(viridis, hi > lo ? (z - lo) / (hi - lo) : 0.5);
    image.data.set([...rgb, 255], at);
  }));
  paint.putImageData(image, 0, 0);
  return canvas.toDataURL();
}

// drawMatrix shows a matrix of numbers as a heat map with its values under the pointer.
export function drawMatrix(rows: Num[][]): HTMLElement {
  const readout = h("div", { class: "readout", "aria-live": "polite" });
  const image = h("img", { src: heat(rows, false), alt: `heat map of ${rows.length} by ${rows[0].length} numbers`, class: "pixels" });
  image.style.aspectRatio = `${rows[0].length} / ${rows.length}`;
  const [lo, hi] = ends(rows.flat().filter(ok));
  image.addEventListener("pointermove", e => {
    const r = image.getBoundingClientRect();
    const i = Math.floor((e.clientY - r.top) / r.height * rows.length), j = Math.floor((e.clientX - r.left) / r.width * rows[0].length), z = rows[i]?.[j];
    readout.textContent = z === undefined ? "" : `[${i}, ${j}]  ${ok(z) ? short(z) : "none"}`;
  });
  image.addEventListener("pointerleave", () => { readout.textContent = "" });
  return h("figure", { class: "plot matrix" }, h("div", { class: "canvas" }, image, readout),
    h("figcaption", { class: "quiet" }, `from ${short(lo)} to ${short(hi)}`));
}
