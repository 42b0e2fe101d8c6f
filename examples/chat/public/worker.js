// Shows pushes, and keeps a copy of the page for a start without network.
const CACHE = 'chat-2';
// Equal for all users. Everything else may be private, also addresses.
const COPIED = /^\/(assets\/.+|icon\.svg|manifest\.webmanifest)?$/;

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(activate()));

async function activate() {
  for (const name of await caches.keys()) if (name !== CACHE) await caches.delete(name);
  await self.clients.claim();
}

self.addEventListener('fetch', (event) => {
  const { pathname, search, origin } = new URL(event.request.url);
  const isCopied = event.request.method === 'GET' && origin === self.location.origin && COPIED.test(pathname);
  if (isCopied && search === '') event.respondWith(networkFirst(event.request));
});

async function networkFirst(request) {
  const cache = await caches.open(CACHE);
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(request, response.clone());
    return response;
  } catch (error) {
    const copy = await cache.match(request);
    if (copy) return copy;
    throw error;
  }
}

self.addEventListener('push', (event) => {
  const data = read(event.data);
  event.waitUntil(
    self.registration.showNotification(data.title ?? 'Chat', {
      body: data.body ?? data.message ?? '',
      icon: '/icon.svg',
      data,
    }),
  );
});

function read(data) {
  try {
    return data?.json() ?? {};
  } catch {
    return { body: data?.text() };
  }
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(
    self.clients.matchAll({ type: 'window' }).then(([page]) => (page ? page.focus() : self.clients.openWindow('/'))),
  );
});
