// The editor: CodeMirror, with what Fluxion says about the program.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, indentUnit, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, hoverTooltip, keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { h } from "./dom";
import type { Edit, Failure, Request } from "./transport";

const keywords = new Set("and data do else for fun if import in let loop match open rec then type while with as".split(" "));

export const language = StreamLanguage.define<{ nested: number }>({
  name: "fluxion",
  startState: () => ({ nested: 0 }),
  token(stream, state) {
    if (state.nested > 0 || stream.match("{-")) {
      if (state.nested === 0) state.nested = 1;
      while (!stream.eol()) {
        if (stream.match("{-")) state.nested++;
        else if (stream.match("-}")) { if (--state.nested === 0) break }
        else stream.next();
      }
      return "comment";
    }
    if (stream.eatSpace()) return null;
    if (stream.match("--")) { stream.skipToEnd(); return "comment" }
    if (stream.match(/^"([^"\\]|\\.)*"?/)) return "string";
    if (stream.match(/^(0x[\da-fA-F_]+|\d[\d_]*(\.\d[\d_]*)?([eE][+-]?\d+)?)/)) return "number";
    const word = stream.match(/^[\p{L}_][\p{L}\p{N}_']*/u) as RegExpMatchArray | null;
    if (word) {
      if (word[0] === "true" || word[0] === "false") return "bool";
      if (keywords.has(word[0])) return "keyword";
      if (/^\p{Lu}/u.test(word[0]) && !/^[Α-Ω]/.test(word[0])) return "typeName";
      return "variableName";
    }
    if (stream.match(/^(λ|\\|=>|⇒|->|→|\|>|[+\-*\/^<>=!&|≤≥≠×∇]+)/)) return "operator";
    stream.next();
    return null;
  },
  languageData: { commentTokens: { line: "--", block: { open: "{-", close: "-}" } }, closeBrackets: { brackets: ["(", "[", "{", '"'] } },
});

export type Ask = (request: Request) => Promise<any>;

// markup writes documentation, in which code stands between backticks.
export function markup(text: string): HTMLElement {
  const box = h("div", { class: "doc" });
  for (const paragraph of text.split(/\n\n+/)) {
    const p = h("p");
    paragraph.split("`").forEach((part, i) => p.append(i % 2 ? h("code", {}, part) : part));
    box.append(p);
  }
  return box;
}

export interface Options {
  parent: HTMLElement; text: string; label: string; nonce: string; ask: Ask; small?: boolean;
  changed?: () => void; run: () => void;
}

export function editor(o: Options): EditorView {
  const hover = hoverTooltip(async (view, pos) => {
    const found = await o.ask({ method: "hover", text: view.state.doc.toString(), at: pos }).catch(() => null);
    if (!found) return null;
    return {
      pos: found.from, end: found.to, above: true,
      create: () => ({ dom: h("div", { class: "tip" }, h("pre", {}, found.code), found.doc && markup(found.doc)) }),
    };
  });
  const complete = async (context: CompletionContext): Promise<CompletionResult | null> => {
    const word = context.matchBefore(/[\p{L}_][\p{L}\p{N}_'.]*$/u);
    if (!word && !context.explicit) return null;
    const found = await o.ask({ method: "complete", text: context.state.doc.toString(), at: context.pos }).catch(() => null);
    if (!found || found.items.length === 0) return null;
    return {
      from: found.from,
      options: found.items.map((item: any, i: number) => ({
        label: item.label, type: item.kind, detail: item.detail.length > 44 ? item.detail.slice(0, 43) + "…" : item.detail, boost: -i / 10,
        info: item.doc || item.detail.length > 44 ? () => h("div", { class: "tip" }, h("pre", {}, item.detail), item.doc && markup(item.doc)) : undefined,
        apply: item.edits ? (view: EditorView, _: unknown, from: number, to: number) => {
          view.dispatch({ changes: [{ from, to, insert: item.label }, ...item.edits] });
          const end = view.state.doc.toString().indexOf(item.label, from) + item.label.length;
          view.dispatch({ selection: { anchor: end } });
        } : undefined,
      })),
    };
  };
  return new EditorView({
    parent: o.parent,
    state: EditorState.create({
      doc: o.text,
      extensions: [
        EditorView.cspNonce.of(o.nonce),
        o.small ? [] : [lineNumbers(), highlightActiveLineGutter(), highlightActiveLine(), lintGutter()],
        history(), drawSelection(), bracketMatching(), closeBrackets(), highlightSelectionMatches(), indentUnit.of("  "),
        language, syntaxHighlighting(classHighlighter), hover,
        autocompletion({ override: [complete], maxRenderedOptions: 60 }),
        EditorView.contentAttributes.of({ "aria-label": o.label, autocapitalize: "off", autocorrect: "off", spellcheck: "false" }),
        keymap.of([
          { key: "Mod-Enter", run: () => { o.run(); return true } },
          { key: "Shift-Alt-f", run: view => { void format(view, o.ask); return true } },
          ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap,
        ]),
        EditorView.updateListener.of(u => { if (u.docChanged) o.changed?.() }),
      ],
    }),
  });
}

// format puts the program into the canonical layout.
export async function format(view: EditorView, ask: Ask) {
  const text = view.state.doc.toString();
  const edits: Edit[] = await ask({ method: "format", text });
  if (view.state.doc.toString() === text && edits.length) view.dispatch({ changes: edits });
}

// mark shows findings in the text.
export function mark(view: EditorView, findings: Failure[]) {
  const length = view.state.doc.length;
  const list: Diagnostic[] = findings.filter(f => !f.where).map(f => ({
    from: Math.min(f.from, length), to: Math.min(Math.max(f.to, f.from), length),
    severity: f.warning ? "warning" : "error", source: f.code,
    message: f.message, renderMessage: () => explain(f),
    actions: f.actions?.map(a => ({ name: a.title, apply: (v: EditorView) => v.dispatch({ changes: a.edits }) })),
  }));
  view.dispatch(setDiagnostics(view.state, list.sort((a, b) => a.from - b.from)));
}

// explain writes a finding with its hints.
export function explain(f: Failure): HTMLElement {
  const box = h("div", { class: "finding" });
  const say = (tag: "p" | "li", text: string) => {
    const e = markup(text);
    return h(tag, {}, ...[...e.childNodes].flatMap(p => [...p.childNodes]));
  };
  box.append(say("p", f.message));
  if (f.label) box.append(h("p", { class: "quiet" }, f.label));
  if (f.where) box.append(h("p", { class: "quiet" }, "in " + f.where));
  const more = [...(f.related ?? []).map(r => r.message), ...(f.hints ?? [])];
  if (more.length) box.append(h("ul", {}, ...more.map(t => say("li", t))));
  return box;
}
