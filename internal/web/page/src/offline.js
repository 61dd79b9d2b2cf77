// The service worker: all files of a version are kept at the first visit, and served from there.
const name = "fluxion-" + version;

addEventListener("install", event => {
  event.waitUntil(caches.open(name).then(cache => cache.addAll(files)).then(() => skipWaiting()));
});

addEventListener("activate", event => {
  event.waitUntil(caches.keys()
    .then(keys => Promise.all(keys.filter(k => k.startsWith("fluxion-") && k !== name).map(k => caches.delete(k))))
    .then(() => clients.claim()));
});

addEventListener("fetch", event => {
  if (event.request.method !== "GET") return;
  event.respondWith(caches.match(event.request, { cacheName: name, ignoreSearch: true }).then(kept => kept ?? fetch(event.request)));
});
