// How the page reaches Fluxion. Both transports take the same messages: `native` sends them to
// `fluxion serve`, `wasm` to workers of this browser that run Fluxion as WebAssembly.

import { Decompress } from "fzstd";

export interface Request {
  method: string; path?: string; text?: string; at?: number; name?: string; expr?: string;
  digits?: number; from?: number; to?: number; orders?: number; band?: boolean; data?: string;
}

export interface Failure {
  message: string; code?: string; where?: string; from: number; to: number; label?: string;
  hints?: string[]; warning?: boolean; related?: Failure[];
  actions?: { title: string; edits: Edit[] }[];
}

export interface Edit { from: number; to: number; insert: string }

// FluxionError is an answer that is an error: of the program, or of the page's own.
export class FluxionError extends Error {
  constructor(readonly failure: Failure) { super(failure.message) }
}

export class Stopped extends Error {}

export interface Transport {
  // call answers a request. Events before the answer go to `on`; a signal stops what runs.
  call(request: Request, on?: (event: any) => void, signal?: AbortSignal): Promise<any>;
  // ready resolves when the first answer can come.
  ready(): Promise<void>;
}

function failed(message: string): FluxionError { return new FluxionError({ message, from: 0, to: 0 }) }

// settle takes a message: an event, or the last, which has the result or the error.
function settle(m: any, on: ((e: any) => void) | undefined, done: (v: any) => void, fail: (e: Error) => void) {
  if ("result" in m) done(m.result);
  else if ("error" in m) fail(new FluxionError(m.error));
  else on?.(m);
}

export class Native implements Transport {
  private session = crypto.randomUUID();

  async ready() {}

  async call(request: Request, on?: (event: any) => void, signal?: AbortSignal): Promise<any> {
    let answer: any, error: Error | undefined, answered = false;
    const take = (line: string) => {
      if (line) settle(JSON.parse(line), on, v => { answer = v; answered = true }, e => { error = e });
    };
    try {
      const response = await fetch("call", {
        method: "POST", body: JSON.stringify(request), signal,
        headers: { "Content-Type": "application/json", "Fluxion-Session": this.session },
      });
      if (!response.ok || !response.body) throw failed(await response.text());
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let rest = ""; ;) {
        const { done, value } = await reader.read();
        const lines = (rest + (value ?? "")).split("\n");
        rest = lines.pop()!;
        lines.forEach(take);
        if (done) { take(rest); break }
      }
    } catch (e) {
      if (signal?.aborted) throw new Stopped("stopped");
      if (e instanceof FluxionError) throw e;
      throw failed("`fluxion serve` does not answer: is it still running?");
    }
    if (error) throw error;
    if (!answered) throw failed("`fluxion serve` ended before it answered");
    return answer;
  }
}

// A Lane is a worker with an instance of Fluxion. Requests are answered one after the other. What runs is stopped by
// ending the worker, and so is one that answers nothing for too long.
class Lane {
  private worker?: Worker;
  private pending = new Map<number, { settle: (m: any) => void; fail: (e: Error) => void }>();
  private next = 0;
  private started!: Promise<void>;

  constructor(private module: Promise<WebAssembly.Module>, private files: Map<string, string>) { this.start() }

  start() {
    const worker = this.worker = new Worker("worker.js");
    this.started = new Promise<void>((resolve, reject) => {
      worker.onmessage = ({ data }) => {
        if (data.ready) resolve();
        else if (data.ended) this.end(failed("Fluxion ran out of memory, and was started again"));
        else this.pending.get(data.id)?.settle(JSON.parse(data.message));
      };
      this.module.catch(e => reject(failed(e instanceof Error ? e.message : String(e)))); // another worker has none either
      worker.onerror = e => { reject(failed(e.message)); this.end(failed(e.message || "Fluxion could not be started")) };
    });
    this.started.catch(() => {});
    this.module.then(m => worker.postMessage({ module: m }), () => {});
    for (const [name, data] of this.files) this.call({ method: "put", name, data }).catch(() => {});
  }

  ready() { return this.started }

  // end ends the worker and starts another one.
  end(because: Error) {
    this.worker?.terminate();
    const waiting = [...this.pending.values()];
    this.pending.clear();
    waiting.forEach(p => p.fail(because));
    this.start();
  }

  call(request: Request, on?: (event: any) => void, signal?: AbortSignal): Promise<any> {
    return new Promise((done, fail) => {
      if (signal?.aborted) return fail(new Stopped("stopped"));
      const id = this.next++;
      const abort = () => this.end(new Stopped("stopped"));
      const watchdog = setTimeout(() => this.end(failed("Fluxion did not answer within 90 s, and was started again")), 90_000);
      const leave = () => { clearTimeout(watchdog); signal?.removeEventListener("abort", abort); this.pending.delete(id) };
      signal?.addEventListener("abort", abort);
      this.pending.set(id, {
        settle: m => settle(m, on, v => { leave(); done(v) }, e => { leave(); fail(e) }),
        fail: e => { leave(); fail(e) },
      });
      const worker = this.worker!;
      this.started.then(() => { if (worker === this.worker) worker.postMessage({ id, message: JSON.stringify(request) }) }, fail);
    });
  }
}

// Wasm has two lanes, so that the editor is answered while a program runs.
export class Wasm implements Transport {
  private files = new Map<string, string>();
  private asking: Lane;
  private running: Lane;

  // name is that of the module.
  constructor(name: string) {
    const module = fetchModule(name);
    this.running = new Lane(module, this.files);
    this.asking = new Lane(this.running.ready().then(() => module), this.files); // the first result comes first
  }

  ready() { return this.running.ready() }

  async call(request: Request, on?: (event: any) => void, signal?: AbortSignal): Promise<any> {
    switch (request.method) {
      case "put":
        this.files.set(request.name!, request.data!);
        await this.asking.call(request);
        return this.running.call(request);
      case "run": case "graph": case "lab":
        return this.running.call(request, on, signal);
    }
    return this.asking.call(request, on, signal);
  }
}

// fetchModule loads Fluxion, which is compressed with zstd: gzip would make it a fifth larger. What
// was decompressed is kept, so that the next visit need not do so again.
async function fetchModule(name: string): Promise<WebAssembly.Module> {
  const cache = "caches" in self ? await caches.open("module of fluxion") : undefined;
  const kept = await cache?.match(name);
  if (kept) return WebAssembly.compileStreaming(kept);
  const response = await fetch(name + ".zst");
  if (!response.ok || !response.body) throw new Error("Fluxion could not be loaded: " + response.status);
  const headers = { "Content-Type": "application/wasm" };
  const module = new Response(response.body.pipeThrough(decompression()), { headers });
  if (cache) {
    for (const old of await cache.keys()) await cache.delete(old);
    cache.put(name, module.clone()).catch(() => {}); // there may be no room for it
  }
  return WebAssembly.compileStreaming(module);
}

// decompression undoes zstd, if the server has not done so.
function decompression() {
  let decoder: Decompress | undefined, first = true;
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      if (first && chunk[0] === 0x28) decoder = new Decompress(plain => controller.enqueue(plain.slice()));
      first = false;
      if (decoder) decoder.push(chunk);
      else controller.enqueue(chunk);
    },
  });
}
