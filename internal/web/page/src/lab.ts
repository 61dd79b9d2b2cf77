// The laboratory: what each published algorithm makes of a function, side by side.
import { h } from "./dom";
import { showFailure } from "./results";
import { FluxionError, Stopped, type Failure } from "./transport";
import type { Call } from "./graph";

export interface Lens { name: string; type: string; from: number; fun: boolean; curve: boolean; point: string }

interface Outcome {
  strategy: string; paper: string; gradient?: string; primal: number; forward: number; backward: number;
  cells?: number; allocations: number; seconds: number; explanation?: string; failure?: Failure;
}

const titles: Record<string, string> = {
  trace: "Trace, then differentiate", forward: "Dual numbers", reverse1: "Reals with gradients", reverse2: "Deltas, not shared",
  delta: "Deltas, shared", "curry-list": "Curry: lists of calls", "curry-env": "Curry: environments", tower: "Derivative tower",
  certified: "Deltas over enclosures", compiled: "Fluxion's own reverse mode", tape: "Fluxion's tape",
};

// A Step shows one moment of an algorithm's panel: lines up to it, and what of them is known.
interface Panel { steps: number; show: (step: number) => void; box: HTMLElement }

export function laboratory(at: HTMLElement, call: Call) {
  const fun = h("select", { id: "lab-fun" });
  const point = h("input", { id: "lab-at", type: "text", spellcheck: "false", size: 28 });
  const out = h("div", { class: "lab-out", "aria-live": "polite" });
  const compare = h("button", { type: "submit", class: "primary" }, "Compare");
  const form = h("form", { class: "lab-form" },
    h("label", { for: "lab-fun" }, "function"), fun, h("label", { for: "lab-at" }, "at"), point, compare);
  form.addEventListener("submit", e => { e.preventDefault(); void run() });
  let lenses: Lens[] = [];
  fun.addEventListener("change", () => { point.value = lenses.find(l => l.name === fun.value)?.point ?? "" });
  at.append(
    h("div", { class: "intro" }, h("h2", {}, "Laboratory"),
      h("p", {}, "One function of your program, differentiated by every published algorithm. Each panel shows what the algorithm makes of it; step through them together with ← and →.")),
    form, out);

  async function run() {
    if (!fun.value) { out.replaceChildren(h("p", { class: "quiet" }, "The program has no function with a real result to differentiate.")); return }
    out.replaceChildren(h("p", { class: "quiet" }, "differentiating…"));
    try {
      const answer = await call({ method: "lab", name: fun.value, expr: point.value });
      point.value = answer.at;
      out.replaceChildren(...report(answer.outcomes, answer.agree, answer.apart[0]));
    } catch (e) {
      if (e instanceof FluxionError) out.replaceChildren(showFailure(e.failure));
      else if (e instanceof Stopped) out.replaceChildren(h("p", { class: "quiet" }, "stopped"));
      else throw e;
    }
  }

  return {
    // offer lists the functions that can be chosen.
    offer(all: Lens[]) {
      lenses = all.filter(l => l.fun);
      const kept = fun.value, text = point.value;
      fun.replaceChildren(...lenses.map(l => h("option", { value: l.name }, `${l.name} : ${l.type}`)));
      if (lenses.some(l => l.name === kept)) { fun.value = kept; point.value = text }
      else point.value = lenses[0]?.point ?? "";
    },
    choose(name: string, where?: string) {
      fun.value = name;
      point.value = where ?? lenses.find(l => l.name === name)?.point ?? "";
      void run();
    },
    run: () => { if (!out.hasChildNodes()) void run() },
  };
}

function report(outcomes: Outcome[], agree: boolean, apart: number | null): HTMLElement[] {
  const answered = outcomes.filter(o => !o.failure);
  const most = Math.max(1, ...answered.map(o => Math.max(0, o.forward) + Math.max(0, o.backward)));
  const count = (n: number) => n < 0 ? "–" : n.toLocaleString("en");
  const rows = outcomes.map(o => {
    const head = h("th", { scope: "row" }, h("a", { href: "#lab-" + o.strategy, onclick: (e: Event) => { e.preventDefault(); document.getElementById("lab-" + o.strategy)?.scrollIntoView({ behavior: "smooth", inline: "start", block: "nearest" }) } }, o.strategy), h("small", {}, o.paper));
    if (o.failure) return h("tr", { class: "failed" }, head, h("td", { colspan: 6 }, o.failure.message));
    const bar = h("td", { class: "bar" });
    const part = (n: number, name: string) => {
      const b = h("i", { class: name, title: `${name}: ${n}` });
      b.style.width = `${100 * Math.max(0, n) / most}%`;
      return b;
    };
    bar.append(part(o.forward, "forward"), part(o.backward, "backward"));
    return h("tr", {}, head, h("td", { class: "gradient" }, o.gradient ?? ""), h("td", {}, count(o.primal)), h("td", {}, count(o.forward)), h("td", {}, count(o.backward)), bar,
      h("td", {}, o.seconds < 0.001 ? `${Math.round(o.seconds * 1e6)} µs` : `${(o.seconds * 1e3).toFixed(1)} ms`));
  });
  const verdict = answered.length < 2 ? "" : !agree ? "They DISAGREE." : apart === 0 ? `All ${answered.length} agree exactly.` : `All ${answered.length} agree to ${apart?.toExponential(0)}.`;
  const table = h("div", { class: "scroll" }, h("table", { class: "counts" },
    h("thead", {}, h("tr", {}, ...["algorithm", "gradient", "function", "forward", "backward", "operations", "time"].map(t => h("th", { scope: "col" }, t)))),
    h("tbody", {}, ...rows)));
  const panels = answered.filter(o => o.explanation).map(panel);
  const steps = Math.max(1, ...panels.map(p => p.steps));
  const slider = h("input", { type: "range", min: 0, max: steps, value: steps, "aria-label": "step" });
  const shown = h("output", {}, "all steps");
  const go = (k: number) => {
    const at = Math.min(steps, Math.max(0, k));
    slider.value = String(at);
    shown.textContent = at >= steps ? "all steps" : `step ${at} of ${steps}`;
    panels.forEach(p => p.show(at));
  };
  slider.addEventListener("input", () => go(+slider.value));
  const button = (text: string, label: string, act: () => void) => h("button", { type: "button", class: "mini", "aria-label": label, title: label, onclick: act }, text);
  let playing: ReturnType<typeof setInterval> | undefined;
  const play = button("▶", "play", () => {
    if (playing) { clearInterval(playing); playing = undefined; play.textContent = "▶"; return }
    if (+slider.value >= steps) go(0);
    play.textContent = "❚❚";
    playing = setInterval(() => {
      go(+slider.value + 1);
      if (+slider.value >= steps || !slider.isConnected) { clearInterval(playing); playing = undefined; play.textContent = "▶" }
    }, 700);
  });
  const stepper = h("div", { class: "stepper" }, button("⏮", "first step", () => go(0)), button("←", "step back", () => go(+slider.value - 1)), play, button("→", "step", () => go(+slider.value + 1)), slider, shown);
  const all = h("div", { class: "panels", tabindex: "0", role: "region", "aria-label": "what each algorithm makes of the function" }, ...panels.map(p => p.box));
  all.addEventListener("keydown", e => {
    if (e.key === "ArrowRight") { e.preventDefault(); go(+slider.value + 1) }
    if (e.key === "ArrowLeft") { e.preventDefault(); go(+slider.value - 1) }
  });
  return [table, h("p", { class: agree ? "verdict" : "verdict error" }, verdict), stepper, all];
}

// isHeading tells whether a line introduces what follows it.
const isHeading = (line: string) => /^\S/.test(line) && !/^(let|ret|d\d+) /i.test(line);

// panel is an algorithm's explanation. Its steps are the events in the order of evaluation: the use of a rule by the
// trace, a binding of a translated program, a node of a Delta; adjoints, which are computed from the last
// node to the first, come after all nodes, in that order. A heading comes with the event after it, and a judgement
// with the term that it ends in.
function panel(o: Outcome): Panel {
  const body = h("pre", { tabindex: "0" });
  const text = o.explanation!.replace(/\n+$/, "").replaceAll("_experiment_._fn", "fn").replaceAll("_fn", "fn");
  const moments: HTMLElement[] = [], backwards: HTMLElement[] = [];
  let box = h("span", {}), open = ""; // the event before, and whether the line may belong to it
  for (const line of text.split("\n")) {
    const heads = !line.trim() || isHeading(line), term = open === "term" && !heads && !line.includes("⊢");
    if (open !== "heading" && !term) {
      box = h("span", { class: "line" });
      body.append(box);
      moments.push(box);
    }
    const adjoint = line.match(/^(\s*d\d+ = .*?)(\s{2,}adjoint .*)$/);
    if (adjoint) {
      const value = h("span", { class: "adjoint" }, adjoint[2]);
      box.append(adjoint[1], value, "\n");
      backwards.unshift(value);
    } else box.append(line + "\n");
    open = heads ? "heading" : term || line.endsWith("⇝") ? "term" : "";
  }
  moments.push(...backwards);
  return {
    steps: moments.length,
    show(step) {
      const all = step >= moments.length;
      moments.forEach((m, k) => {
        m.classList.toggle("later", !all && k >= step);
        m.classList.toggle("now", !all && k === step - 1);
      });
      if (!all && step > 0) {
        const line = moments[step - 1];
        if (line.offsetTop < body.scrollTop || line.offsetTop > body.scrollTop + body.clientHeight - 30) body.scrollTop = line.offsetTop - body.clientHeight / 2;
      }
    },
    box: h("article", { class: "panel", id: "lab-" + o.strategy },
      h("header", {}, h("h3", {}, o.strategy), h("p", {}, titles[o.strategy] ?? "", h("small", {}, o.paper)),
        h("p", { class: "counts" }, o.forward < 0 ? "" : `${o.forward} forward · ${o.backward} backward`, o.cells ? ` · ${o.cells} cells` : "")), body),
  };
}
