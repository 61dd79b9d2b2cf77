// The tour, the guide and the papers: each block can be edited and run, and what was run is remembered.
import { marked } from "marked";
import type { EditorView } from "@codemirror/view";
import { h } from "./dom";
import { editor, mark } from "./editor";
import { showFailure, showPart } from "./results";
import { FluxionError, Stopped } from "./transport";
import type { Call } from "./graph";

const chapters = [["tour", "A tour of the language"], ["guide", "From data to a model"], ["papers", "The papers, run"]] as const;

export interface Hooks { call: Call; nonce: string; open: (text: string) => void; compare: (text: string, fun: string, at: string) => void }

// done keeps which blocks were run, by chapter.
const done = {
  read(chapter: string): Set<string> { try { return new Set(JSON.parse(localStorage.getItem("fluxion-done-" + chapter) ?? "[]")) } catch { return new Set() } },
  add(chapter: string, key: string) {
    const all = this.read(chapter).add(key);
    try { localStorage.setItem("fluxion-done-" + chapter, JSON.stringify([...all])) } catch { /* there is no storage: nothing is kept */ }
  },
};

function key(text: string): string {
  let n = 0;
  for (const c of text) n = (n * 31 + c.codePointAt(0)!) | 0;
  return (n >>> 0).toString(36);
}

export function learn(at: HTMLElement, hooks: Hooks) {
  const list = h("nav", { class: "chapters", "aria-label": "chapters" });
  const page = h("article", { class: "prose" });
  at.append(list, page);
  let shown = "";

  const counts = new Map<string, number>();
  function progress() {
    for (const b of list.querySelectorAll<HTMLElement>("button[data-chapter]")) {
      const n = done.read(b.dataset.chapter!).size, all = counts.get(b.dataset.chapter!);
      b.querySelector("small")!.textContent = all ? `${Math.min(n, all)} of ${all} run` : n ? `${n} run` : "";
    }
  }
  for (const [name, title] of chapters) list.append(h("button", { type: "button", "data-chapter": name, onclick: () => void show(name) }, title, h("small")));
  const contents = h("ol", { class: "contents" });
  list.append(contents);

  async function show(name: string) {
    shown = name;
    try { localStorage.setItem("fluxion-chapter", name) } catch { /* nothing is kept */ }
    for (const b of list.querySelectorAll<HTMLElement>("button[data-chapter]")) b.toggleAttribute("aria-current", b.dataset.chapter === name);
    page.replaceChildren(h("p", { class: "quiet" }, "loading…"));
    const text: string = await hooks.call({ method: "page", name });
    if (shown !== name) return;
    // The text is ours, from the binary; images are left out, since the blocks draw them.
    const template = h("template");
    template.innerHTML = marked.parse(text, { async: false }) as string;
    template.content.querySelectorAll("img").forEach(i => i.remove());
    template.content.querySelectorAll("a").forEach(a => { if (!/^https?:/.test(a.getAttribute("href") ?? "")) a.replaceWith(...a.childNodes) });
    const blocks: Block[] = [];
    const infos = [...text.matchAll(/^```(\S+)([^\n]*)$/gm)].filter((_, i) => i >= 0);
    let k = 0;
    for (const pre of [...template.content.querySelectorAll("pre")]) {
      const info = infos[k++];
      if (!info || info[1] !== "flx") { pre.classList.add("console"); continue }
      blocks.push(block(name, pre, info[2].trim(), hooks, progress));
    }
    counts.set(name, blocks.length);
    contents.replaceChildren(...[...template.content.querySelectorAll("h2")].map(t => h("li", {}, h("button", { type: "button", class: "link", onclick: () => t.scrollIntoView({ behavior: "smooth" }) }, t.textContent))));
    page.replaceChildren(template.content);
    at.scrollTop = 0;
    // Editors are made when they come into view: a chapter has fifty.
    const watch = new IntersectionObserver(es => es.forEach(e => {
      if (!e.isIntersecting) return;
      blocks.find(b => b.box === e.target)?.wake();
      watch.unobserve(e.target);
    }), { rootMargin: "400px" });
    blocks.forEach(b => watch.observe(b.box));
    progress();
  }

  return { start() { if (!shown) void show(localStorage.getItem("fluxion-chapter") ?? "tour") } };
}

interface Block { box: HTMLElement; wake: () => void }

function block(chapter: string, pre: HTMLElement, info: string, hooks: Hooks, progress: () => void): Block {
  const original = pre.textContent!.replace(/\n$/, ""), id = key(original + info);
  const digits = Number(info.match(/digits=(\d+)/)?.[1] ?? 0), diff = info.match(/diff=(\S+) (.*)/);
  const expected = info.match(/^E\d{4}/)?.[0];
  const out = h("div", { class: "out", "aria-live": "polite" });
  let view: EditorView | undefined;
  const text = () => view ? view.state.doc.toString() : original;
  const path = "docs/page.flx";
  const ask = (r: object) => hooks.call({ path, ...r } as any);
  const tick = h("span", { class: "tick", title: "you have run this" }, done.read(chapter).has(id) ? "✓" : "");
  const run = async () => {
    out.replaceChildren(h("p", { class: "quiet" }, "running…"));
    const ran = () => { done.add(chapter, id); tick.textContent = "✓"; progress() };
    try {
      const answer = await ask({ method: "run", text: text() + "\n", digits });
      out.replaceChildren(...answer.parts.map(showPart));
      if (view) mark(view, []);
      ran();
    } catch (e) {
      if (e instanceof Stopped) { out.replaceChildren(h("p", { class: "quiet" }, "stopped")); return }
      if (!(e instanceof FluxionError)) throw e;
      out.replaceChildren(showFailure(e.failure));
      if (expected && e.failure.code === expected) { out.append(h("p", { class: "quiet" }, "This is the error that the text speaks of.")); ran() }
      if (view) mark(view, [e.failure]);
    }
  };
  const buttons = h("div", { class: "block-buttons" },
    diff ? h("button", { type: "button", class: "primary", onclick: () => { done.add(chapter, id); tick.textContent = "✓"; progress(); hooks.compare(text() + "\n", diff[1], diff[2]) } }, "Compare the algorithms")
      : h("button", { type: "button", class: "primary", onclick: () => void run() }, "Run"),
    h("button", { type: "button", class: "link", onclick: () => { view?.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: original } }); out.replaceChildren() } }, "reset"),
    h("button", { type: "button", class: "link", onclick: () => hooks.open(text() + "\n") }, "open in the editor"), digits > 0 && h("small", { class: "quiet" }, `exact, ${digits} digits`), tick);
  const holder = h("div", { class: "editor small" }, pre.cloneNode(true));
  const box = h("div", { class: "block" }, holder, buttons, out);
  pre.replaceWith(box);
  return {
    box,
    wake() {
      if (view) return;
      holder.replaceChildren();
      view = editor({ parent: holder, text: original, label: "program", nonce: hooks.nonce, ask, small: true, run: () => void run() });
    },
  };
}
