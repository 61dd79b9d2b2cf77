// The page: an editor, what the program gives, the laboratory and the tour.
import { byId, h, later, toast } from "./dom";
import { editor, format, mark } from "./editor";
import { graph } from "./graph";
import { laboratory, type Lens } from "./lab";
import { learn } from "./learn";
import { digits, showFailure, showPart, type Part } from "./results";
import { base64, pack, save, unpack } from "./share";
import { FluxionError, Native, Stopped, Wasm, type Failure, type Request, type Transport } from "./transport";

const welcome = `-- Change something, then press Run (Ctrl-Enter).
import plot

-- Every function has derivatives, this one with kinks too.
let f (x : Real) : Real = max (sin (2 * x)) (x^2 / 4 - 1)

let xs = [real i / 50 - 4 for i < 401]

plot.layers [
  plot.line xs (map f xs) |> plot.named "f",
  plot.line xs (map (deriv f) xs) |> plot.named "its derivative"
]
`;

const meta = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="fluxion-${name}"]`)?.content ?? "";
const nonce = meta("nonce");
const transport: Transport = meta("transport") === "wasm" ? new Wasm(meta("module")) : new Native();

let file = "program.flx"; // the name of what is being edited
let running: AbortController | undefined;
let version = 0;

// stoppable calls Fluxion so that the stop button ends it, and shows that something runs.
const busy = new Set<AbortController>();
async function stoppable(request: Request, on?: (e: any) => void, with_ = new AbortController()): Promise<any> {
  const start = performance.now();
  busy.add(with_);
  const tick = setInterval(() => {
    byId("elapsed").textContent = performance.now() - start > 400 ? `${((performance.now() - start) / 1000).toFixed(1)} s` : "";
  }, 100);
  document.body.classList.toggle("busy", true);
  try {
    return await transport.call(request, on, with_.signal);
  } finally {
    clearInterval(tick);
    busy.delete(with_);
    if (!busy.size) { document.body.classList.remove("busy"); byId("elapsed").textContent = "" }
  }
}
const stop = () => { busy.forEach(c => c.abort()) };

const text = () => view.state.doc.toString();
const ask = (r: Request) => transport.call({ path: file, ...r });

// check shows the findings, and offers the functions.
let lenses: Lens[] = [], findings: Failure[] = [];
async function check() {
  const mine = ++version;
  try {
    const answer: { findings: Failure[]; lenses: Lens[] } = await ask({ method: "check", text: text() });
    if (mine !== version) return;
    findings = answer.findings;
    mark(view, findings);
    const errors = answer.findings.filter(f => !f.warning).length, warnings = answer.findings.length - errors;
    const some = (n: number, word: string) => n ? `${n} ${word}${n > 1 ? "s" : ""}` : "";
    byId("state").textContent = [some(errors, "error"), some(warnings, "warning")].filter(Boolean).join(", ") || "no errors";
    byId("state").className = errors ? "bad" : warnings ? "warn" : "good";
    if (!errors) { lenses = answer.lenses; lab.offer(lenses); chips() }
  } catch (e) {
    if (e instanceof FluxionError) { byId("state").textContent = e.message; byId("state").className = "bad" }
    else if (!(e instanceof Stopped)) throw e;
  }
}

// chips are the functions of the program: to draw, or to take to the laboratory.
function chips() {
  const at = byId("functions");
  const curves = lenses.filter(l => l.curve), others = lenses.filter(l => l.fun && !l.curve);
  at.replaceChildren(...curves.map(l => h("button", { type: "button", title: l.type, onclick: () => draw(l.name) }, h("code", {}, l.name), " graph")),
    ...[...curves, ...others].map(l => h("button", { type: "button", title: l.type, onclick: () => { show("lab"); lab.choose(l.name) } }, h("code", {}, l.name), " algorithms")));
  at.hidden = !at.hasChildNodes();
}

function draw(name: string) {
  const source = text();
  const part = graph(name, r => stoppable({ path: file, text: source, ...r }));
  byId("graphs").replaceChildren(part);
  part.scrollIntoView({ behavior: "smooth", block: "nearest" });
}

async function run() {
  if (running) { running.abort(); await Promise.resolve() }
  const mine = running = new AbortController();
  const out = byId("output"), log = h("pre", { class: "log" });
  const precision = byId<HTMLSelectElement>("mode").value;
  const start = performance.now();
  const status = h("p", { class: "quiet running" }, "running…");
  out.replaceChildren(status);
  byId("graphs").replaceChildren();
  let seen = 0;
  const on = (e: any) => {
    if (mine !== running) return;
    if (e.progress !== undefined) status.textContent = e.progress;
    if (e.debug !== undefined && seen++ < 500) { log.textContent += e.debug + "\n"; if (!log.isConnected) out.append(log) }
    if (e.narrower) {
      const list = e.narrower.flatMap((p: Part) => p.enclosed ?? []);
      if (list.length) out.replaceChildren(digits(list), h("p", { class: "quiet running" }, "narrowing…"), ...(log.textContent ? [log] : []));
    }
  };
  try {
    const answer = await stoppable({ method: "run", path: file, text: text(), digits: Number(precision) }, on, mine);
    if (mine !== running) return;
    const took = performance.now() - start;
    out.replaceChildren(...answer.parts.map(showPart), ...answer.warnings.map((w: Failure) => showFailure(w)), ...(log.textContent ? [log] : []),
      h("p", { class: "quiet foot" }, h("code", {}, answer.type), ` in ${took < 1000 ? Math.round(took) + " ms" : (took / 1000).toFixed(1) + " s"}`));
    document.body.dataset.first ??= String(Math.round(performance.now()));
  } catch (e) {
    if (mine !== running && e instanceof Stopped) return;
    if (e instanceof Stopped) out.replaceChildren(h("p", { class: "quiet" }, "Stopped."), ...(log.textContent ? [log] : []));
    else if (e instanceof FluxionError) {
      const f = e.failure, source = text();
      f.actions = findings.find(x => x.code === f.code && x.from === f.from)?.actions;
      out.replaceChildren(showFailure(f, () => { view.dispatch({ selection: { anchor: f.from, head: f.to }, scrollIntoView: true }); view.focus() }, edits => {
        if (text() === source) view.dispatch({ changes: edits });
        void run();
      }), ...(log.textContent ? [log] : []));
    } else throw e;
  } finally {
    if (mine === running) running = undefined;
  }
}

// open shows a program in the editor.
function open(name: string, program: string) {
  file = name;
  byId("file").textContent = name;
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: program }, selection: { anchor: 0 } });
  byId("output").replaceChildren();
  byId("graphs").replaceChildren();
  show("program");
  void check();
}

function show(name: string) {
  for (const b of document.querySelectorAll<HTMLElement>("[data-view]")) b.toggleAttribute("aria-current", b.dataset.view === name);
  for (const v of document.querySelectorAll<HTMLElement>(".view")) v.hidden = v.id !== "view-" + name;
  if (name === "lab") lab.run();
  if (name === "learn") lessons.start();
}

const remember = later(500, () => { try { localStorage.setItem("fluxion-program", text()); localStorage.setItem("fluxion-file", file) } catch { /* nothing is kept */ } });
const soon = later(180, () => void check());
const view = editor({
  parent: byId("editor"), text: welcome, label: "program", nonce, ask, run: () => void run(),
  changed: () => { soon(); remember() },
});
const lab = laboratory(byId("view-lab"), (r, on) => stoppable({ path: file, text: text(), ...r }, on));
const lessons = learn(byId("view-learn"), {
  nonce, call: (r, on) => r.method === "run" ? stoppable(r, on) : transport.call(r, on),
  open: program => open("program.flx", program),
  compare: async (program, fun, at) => { open("program.flx", program); await check(); show("lab"); lab.choose(fun, at) },
});

// ---- the bar

byId("run").addEventListener("click", () => void run());
byId("stop").addEventListener("click", stop);
byId("format").addEventListener("click", () => void format(view, ask).catch(() => toast("The program has to parse before it can be laid out.")));
byId("save").addEventListener("click", () => save(file.split("/").pop()!, text()));
byId("share").addEventListener("click", async () => {
  const url = new URL(location.href);
  url.hash = "p=" + await pack(text());
  history.replaceState(null, "", url);
  try { await navigator.clipboard.writeText(url.href); toast("The address of this program is copied.") } catch { toast("The address bar has this program now.") }
});
const chooser = byId<HTMLInputElement>("file-input");
byId("open").addEventListener("click", () => chooser.click());
chooser.addEventListener("change", () => { void take([...chooser.files ?? []]); chooser.value = "" });

// take opens a program, and keeps other files for programs to read.
async function take(files: File[]) {
  for (const f of files) {
    try {
      await transport.call({ method: "put", name: f.name, data: await base64(f) });
      if (f.name.endsWith(".flx")) open(f.name, await f.text());
      else { toast(`Programs can read it: file "${f.name}"`); void check() }
    } catch (e) { toast(e instanceof Error ? e.message : String(e)) }
  }
}
document.addEventListener("dragover", e => { if (e.dataTransfer?.types.includes("Files")) e.preventDefault() });
document.addEventListener("drop", e => { if (e.dataTransfer?.files.length) { e.preventDefault(); void take([...e.dataTransfer.files]) } });

const menu = byId<HTMLDialogElement>("examples");
byId("examples-button").addEventListener("click", async () => {
  menu.showModal();
  const list = byId("examples-list");
  if (list.hasChildNodes()) return;
  const given = meta("files").split("\n").filter(Boolean);
  const all: { name: string; about: string; text: string }[] = await transport.call({ method: "examples" });
  const pick = (name: string, program: string) => { menu.close(); open(name, program); void run() };
  list.replaceChildren(
    ...given.filter(n => n.endsWith(".flx")).map(n => h("li", {}, h("button", { type: "button", onclick: async () => pick(n, await transport.call({ method: "file", name: n })) }, h("b", {}, n), h("span", {}, "given on the command line")))),
    ...all.map(e => h("li", {}, h("button", { type: "button", onclick: () => pick(e.name, e.text) }, h("b", {}, e.name.replace(/\.flx$/, "")), h("span", {}, e.about)))));
});
byId("examples-close").addEventListener("click", () => menu.close());

for (const b of document.querySelectorAll<HTMLElement>("[data-view]")) b.addEventListener("click", () => show(b.dataset.view!));

const themes = ["auto", "light", "dark"];
function theme(name: string) {
  document.documentElement.dataset.theme = name;
  byId("theme").setAttribute("aria-label", "colours: " + name);
  byId("theme").title = "colours: " + name;
  byId("theme").textContent = { auto: "◐", light: "☀", dark: "☾" }[name] ?? "◐";
  try { localStorage.setItem("fluxion-theme", name) } catch { /* nothing is kept */ }
}
byId("theme").addEventListener("click", () => theme(themes[(themes.indexOf(document.documentElement.dataset.theme ?? "auto") + 1) % 3]));
const kept = (key: string) => { try { return localStorage.getItem("fluxion-" + key) } catch { return null } };
theme(kept("theme") ?? "auto");

document.addEventListener("keydown", e => {
  const mod = e.ctrlKey || e.metaKey;
  if (mod && e.key === "Enter" && !e.defaultPrevented) { e.preventDefault(); void run() }
  if (mod && e.key === "s") { e.preventDefault(); save(file, text()) }
  if (e.key === "Escape" && busy.size) stop();
  if (e.altKey && "123".includes(e.key)) { e.preventDefault(); show(["program", "lab", "learn"][+e.key - 1]) }
});

// ---- the start

async function start() {
  const shared = location.hash.match(/^#p=([\w-]+)$/)?.[1];
  if (shared) {
    try { open("program.flx", await unpack(shared)) } catch { toast("The program in this address cannot be read.") }
  } else if (kept("program")) open(kept("file") ?? "program.flx", kept("program")!);
  const given = meta("files").split("\n").filter(n => n.endsWith(".flx"));
  if (!shared && given.length) open(given[0], await transport.call({ method: "file", name: given[0] }));
  byId("state").textContent = "starting…";
  await transport.ready();
  await Promise.all([check(), run()]);
  document.body.dataset.ready = "true";
  if (meta("transport") === "wasm" && "serviceWorker" in navigator) {
    await navigator.serviceWorker.register("offline.js");
    await navigator.serviceWorker.ready;
    document.body.dataset.offline = "true";
  }
}
addEventListener("hashchange", async () => {
  const shared = location.hash.match(/^#p=([\w-]+)$/)?.[1];
  if (shared) { const program = await unpack(shared).catch(() => null); if (program !== null && program !== text()) { open("program.flx", program); void run() } }
});
start().catch(e => { byId("state").textContent = e instanceof Error ? e.message : String(e); byId("state").className = "bad" });
