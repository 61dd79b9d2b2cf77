// Small helpers to make elements.

type Child = Node | string | null | undefined | false;
type Props = Record<string, unknown>;

function fill(e: Element, props: Props, children: Child[]) {
  for (const [k, v] of Object.entries(props)) {
    if (v === undefined || v === null || v === false) continue;
    if (k.startsWith("on")) e.addEventListener(k.slice(2), v as EventListener);
    else e.setAttribute(k, v === true ? "" : String(v));
  }
  e.append(...children.filter((c): c is Node | string => c !== null && c !== undefined && c !== false));
}

export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  fill(e, props, children);
  return e;
}

export function svg(tag: string, props: Props = {}, ...children: Child[]): SVGElement {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(e, props, children);
  return e;
}

export function byId<T extends HTMLElement = HTMLElement>(id: string): T { return document.getElementById(id) as T }

// later calls a function once nothing has asked for it for a while.
export function later(ms: number, f: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  return () => { clearTimeout(timer); timer = setTimeout(f, ms) };
}

let toasting: ReturnType<typeof setTimeout>;

// toast says something in passing.
export function toast(text: string) {
  const at = byId("toast");
  at.textContent = text;
  at.classList.add("shown");
  clearTimeout(toasting);
  toasting = setTimeout(() => at.classList.remove("shown"), 3000);
}
