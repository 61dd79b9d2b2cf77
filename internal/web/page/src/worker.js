// A worker that runs Fluxion: it is sent the compiled module once, and then requests.
importScripts("wasm_exec.js");

self.ready = () => postMessage({ ready: true });

onmessage = ({ data }) => {
  if (data.module) {
    const go = new Go();
    WebAssembly.instantiate(data.module, go.importObject)
      .then(instance => go.run(instance))
      .finally(() => postMessage({ ended: true }));
    return;
  }
  self.fluxion(data.message, message => postMessage({ id: data.id, message }));
};
