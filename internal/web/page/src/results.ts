// Results: each part of a value in the presentation that suits it best, with the others one click away.
import { h } from "./dom";
import { explain } from "./editor";
import { drawFigure, drawMatrix, type Figure } from "./plot";
import type { Edit, Failure } from "./transport";

export interface Part {
  name?: string; text: string; figure?: Figure; picture?: (number | null)[][];
  table?: { heads: string[]; rows: string[][]; total: number };
  enclosed?: { path: string; lo: string; hi: string }[];
}

export function showPart(p: Part): HTMLElement {
  const ways: [string, () => HTMLElement][] = [];
  if (p.figure) ways.push(["figure", () => drawFigure(p.figure!)]);
  if (p.enclosed) ways.push(["digits", () => digits(p.enclosed!)]);
  if (p.picture) ways.push(["heat map", () => drawMatrix(p.picture!)]);
  if (p.table) ways.push(["table", () => table(p.table!)]);
  ways.push(["text", () => h("pre", { class: "value" }, p.text)]);
  const body = h("div", { class: "body" });
  const tabs = h("div", { class: "ways", role: "group", "aria-label": "show as" });
  const choose = (k: number) => {
    body.replaceChildren(ways[k][1]());
    [...tabs.children].forEach((b, i) => b.setAttribute("aria-pressed", String(i === k)));
  };
  ways.forEach(([name], k) => tabs.append(h("button", { type: "button", onclick: () => choose(k) }, name)));
  choose(0);
  return h("section", { class: "part" }, (p.name || ways.length > 1) && h("header", {}, p.name && h("h3", {}, p.name), ways.length > 1 && tabs), body);
}

// digits are the reals of an exact value: what both ends share is certain.
export function digits(list: { path: string; lo: string; hi: string }[]): HTMLElement {
  const box = h("dl", { class: "digits" });
  for (const { path, lo, hi } of list) {
    let n = 0;
    while (n < lo.length && n < hi.length && lo[n] === hi[n]) n++;
    const whole = (s: string) => s.split(".")[0].length;
    if (whole(lo) !== whole(hi) || n < whole(lo)) n = 0;
    const sure = lo.slice(0, n).replace(/\.$/, "");
    const decimals = sure.includes(".") ? sure.split(".")[1].length : 0;
    const note = lo === hi ? "exactly" : n ? `${decimals} certain digit${decimals === 1 ? "" : "s"} after the point` : "certain to lie between these";
    const text = h("dd", { "aria-label": `between ${lo} and ${hi}` });
    if (n) text.append(h("b", {}, group(sure)), lo === hi ? "" : h("span", { class: "open" }, ends(lo.slice(sure.length), hi.slice(sure.length))));
    else text.append(`[${lo}, ${hi}]`);
    text.append(h("small", {}, note));
    box.append(h("dt", {}, path.replace(/^\./, "") || "="), text);
  }
  return box;
}

// ends are the last digits of the two ends, one above the other.
function ends(lo: string, hi: string): Node {
  return h("span", { class: "ends" }, h("span", {}, hi), h("span", {}, lo));
}

// group puts a thin space after every fifth decimal.
function group(text: string): string {
  const [whole, rest] = text.split(".");
  return rest ? whole + "." + rest.replace(/(\d{5})(?=\d)/g, "$1\u2009") : text;
}

function table(t: { heads: string[]; rows: string[][]; total: number }): HTMLElement {
  const rows = t.rows.map(r => h("tr", {}, ...r.map((c, k) => k ? h("td", {}, c) : h("th", { scope: "row" }, c))));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "table" },
    h("table", {}, h("thead", {}, h("tr", {}, ...t.heads.map(x => h("th", { scope: "col" }, x)))), h("tbody", {}, ...rows)),
    t.total > t.rows.length && h("p", { class: "quiet" }, `${t.rows.length} of ${t.total} rows`));
}

// showFailure says what is wrong; go moves the cursor there, and apply carries out what mends it.
export function showFailure(f: Failure, go?: () => void, apply?: (edits: Edit[]) => void): HTMLElement {
  const box = explain(f);
  box.classList.add(f.warning ? "warning" : "error");
  const foot = h("p", { class: "quiet" });
  if (f.code) foot.append(h("code", {}, f.code));
  if (go && !f.where && f.to > f.from) foot.append(" ", h("button", { type: "button", class: "link", onclick: go }, "show me where"));
  if (apply) box.append(...(f.actions ?? []).map(a => h("button", { type: "button", class: "fix", onclick: () => apply(a.edits) }, a.title)));
  box.append(foot);
  return box;
}
