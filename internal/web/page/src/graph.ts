// The graph of a function with its derivatives, drawn anew wherever the reader zooms to.
import { h, later } from "./dom";
import { drawFigure, short } from "./plot";
import { showFailure } from "./results";
import { FluxionError, Stopped, type Request } from "./transport";

export type Call = (request: Request, on?: (event: any) => void) => Promise<any>;

export function graph(fun: string, call: Call): HTMLElement {
  let from = -5, to = 5, orders = 1, band = false, asked = 0;
  const number = (label: string, value: number, set: (x: number) => void) => {
    const input = h("input", { type: "text", inputmode: "decimal", value: String(value), "aria-label": label, size: 7 });
    input.addEventListener("change", () => { const x = Number(input.value.replace("−", "-")); if (Number.isFinite(x)) { set(x); void draw() } });
    return input;
  };
  const left = number("from", from, x => { from = x }), right = number("to", to, x => { to = x });
  const choice = h("select", { "aria-label": "derivatives", onchange: () => { orders = choice.selectedIndex; void draw() } },
    ...["f", "f and f′", "f, f′ and f″", "f to f‴"].map((t, k) => h("option", { selected: k === 1 }, t)));
  const sure = h("input", { type: "checkbox", onchange: () => { band = sure.checked; void draw() } });
  const body = h("div", { class: "body" }, h("p", { class: "quiet" }, "drawing…"));
  const notes = h("div", { class: "quiet" });
  const draw = async () => {
    const mine = ++asked;
    try {
      const answer = await call({ method: "graph", expr: fun, from, to, orders, band });
      if (mine !== asked) return;
      body.replaceChildren(drawFigure(answer.figure, {
        label: `graph of ${fun} from ${short(from)} to ${short(to)}`,
        ranged: (a, b) => { from = +a.toPrecision(12); to = +b.toPrecision(12); left.value = short(from); right.value = short(to); soon() },
      }));
      notes.replaceChildren(...answer.notes.map((n: string) => h("p", {}, n)));
    } catch (e) {
      if (e instanceof FluxionError && mine === asked) body.replaceChildren(showFailure(e.failure));
      else if (!(e instanceof Stopped) && !(e instanceof FluxionError)) throw e;
    }
  };
  const soon = later(300, () => void draw());
  void draw();
  return h("section", { class: "part graph" },
    h("header", {}, h("h3", {}, "graph of ", h("code", {}, fun)),
      h("div", { class: "controls" }, left, " to ", right, choice, h("label", {}, sure, " certified range"))),
    body, notes);
}
