// The extension's bundle, run in Node with a stand-in for the editor: it starts `fluxion lsp`, and what the server
// says reaches the editor's interfaces.
//
//	FLUXION=…/fluxion node editors/vscode/test.js
const assert = require("node:assert");
const Module = require("node:module");
const path = require("node:path");
const { setTimeout: sleep } = require("node:timers/promises");

// What the extension and its client have given to the editor.
const given = { providers: {}, commands: {}, findings: [], panels: [], errors: [] };
const disposable = { dispose() {} };

class Position {
  constructor(line, character) { Object.assign(this, { line, character }) }
}
class Range {
  constructor(a, b, c, d) { Object.assign(this, typeof a === "number" ? { start: new Position(a, b), end: new Position(c, d) } : { start: a, end: b }) }
}
class EventEmitter {
  listeners = [];
  event = (f) => (this.listeners.push(f), disposable);
  fire(e) { this.listeners.forEach((f) => f(e)) }
  dispose() {}
}
class Disposable {
  constructor(dispose = () => {}) { this.dispose = dispose }
  static from(...all) { return new Disposable(() => all.forEach((d) => d.dispose())) }
}
class CancellationTokenSource {
  token = { isCancellationRequested: false, onCancellationRequested: () => disposable };
  cancel() {}
  dispose() {}
}
const uri = (text) => ({ scheme: "file", path: text, fsPath: text, toString: () => "file://" + text });

const text = "import linalg\n\nlet g (x : Real) : Real = x^3\n\nderiv g 2\n";
const lines = text.split("\n");
const document = {
  uri: uri("/tmp/fluxion-test/program.flx"), fileName: "/tmp/fluxion-test/program.flx", languageId: "fluxion", version: 1,
  isDirty: false, isUntitled: false, lineCount: lines.length, getText: () => text, lineAt: (n) => ({ text: lines[n] }),
};
const channel = { append() {}, appendLine() {}, clear() {}, show() {}, replace() {}, dispose() {} };

// known has what the test looks at; the rest is made up by namespace(): classes, events and registrations that do nothing.
const known = {
  Position, Range, EventEmitter, Disposable, CancellationTokenSource, version: "1.90.0",
  Uri: { parse: (s) => uri(s.replace("file://", "")), file: uri },
  env: { language: "en" },
  workspace: {
    textDocuments: [document], workspaceFolders: [], notebookDocuments: [], name: "test",
    getConfiguration: () => ({ get: (k, d) => ({ command: process.env.FLUXION, arguments: [] })[k] ?? d }),
    createFileSystemWatcher: () => ({ onDidCreate: () => disposable, onDidChange: () => disposable, onDidDelete: () => disposable, dispose() {} }),
  },
  window: {
    createOutputChannel: () => channel, visibleTextEditors: [], activeTextEditor: undefined, tabGroups: { all: [], onDidChangeTabs: () => disposable },
    createWebviewPanel: () => { const p = { webview: { html: "" } }; given.panels.push(p); return p },
    showErrorMessage: (m) => { given.errors.push(m); return Promise.resolve() },
  },
  commands: {
    registerCommand: (name, f) => { given.commands[name] = f; return disposable },
    executeCommand: async () => {},
  },
  languages: {
    match: (selector, doc) => ([selector].flat().some((s) => s.language === doc.languageId) ? 10 : 0),
    createDiagnosticCollection: () => ({
      set: (u, list) => given.findings.push(...(list ?? [])), delete() {}, clear() {}, dispose() {}, forEach() {}, get: () => [], has: () => false,
    }),
  },
};
function namespace(own, name) {
  return new Proxy(own, {
    get(target, key) {
      if (key in target || typeof key === "symbol" || key === "then") return target[key];
      if (/^on[A-Z]/.test(key)) return () => disposable;
      if (/^register/.test(key)) return (selector, provider) => { given.providers[key] = provider; return disposable };
      if (name === "" && /^[A-Z]/.test(key)) return (target[key] = made(key));
      return undefined;
    },
  });
}
// made is a class, or an enumeration, of that name.
function made(name) {
  const type = class { constructor(...args) { this.args = args; [this.first, this.second] = args } };
  Object.defineProperty(type, "name", { value: name });
  return new Proxy(type, { get: (t, k) => (k in t || typeof k === "symbol" ? t[k] : String(k)) });
}
for (const k of ["workspace", "window", "commands", "languages", "env"]) known[k] = namespace(known[k], k);
const vscode = namespace(known, "");
const load = Module._load;
Module._load = function (name, ...rest) { return name === "vscode" ? vscode : load.call(this, name, ...rest) };

async function until(what, f) {
  for (let i = 0; i < 400; i++) {
    const value = await f();
    if (value) return value;
    await sleep(25);
  }
  throw new Error("there is no " + what + "; " + given.errors.join("; "));
}

async function main() {
  const extension = require(path.join(__dirname, "dist", "extension.js"));
  await extension.activate({ subscriptions: [] });
  await until("finding", () => given.findings.find((d) => JSON.stringify(d).includes("linalg")));

  const none = new CancellationTokenSource().token;
  const hovers = await until("provider of hovers", () => given.providers.registerHoverProvider);
  const hover = await hovers.provideHover(document, new Position(2, 4), none);
  assert.match(JSON.stringify(hover.args), /g : Real -> Real/);

  const lenses = await given.providers.registerCodeLensProvider.provideCodeLenses(document, none);
  const run = lenses.map((l) => l.command ?? l.second).filter((c) => c?.command === "fluxion.run").at(-1);
  assert.ok(run, "there is no lens that runs: " + JSON.stringify(lenses));
  const result = await given.commands[run.command](...run.arguments);
  assert.match(JSON.stringify(result), /12/);
  assert.deepEqual(given.errors, []);
  console.log(`a finding, a hover, ${lenses.length} lenses and a result; ${Object.keys(given.providers).length} providers`);
  await given.commands["fluxion.restart"]();
  await extension.deactivate();
}
main().then(() => process.exit(0), (e) => { console.error(e); process.exit(1) });
