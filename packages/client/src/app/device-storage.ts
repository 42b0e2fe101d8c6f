/** Where the outbox and the copies for offline use are stored. Values are plain objects. */
export interface DeviceStorage {
  get: (store: StoreName, key: string) => Promise<unknown>;
  all: (store: StoreName) => Promise<unknown[]>;
  put: (store: StoreName, key: string, value: unknown) => Promise<void>;
  delete: (store: StoreName, key: string) => Promise<void>;
  clear: (store: StoreName) => Promise<void>;
}

export type StoreName = 'outbox' | 'cache';

const STORES: StoreName[] = ['outbox', 'cache'];

/** IndexedDB, or memory where there is none, as in Node and in some private windows. */
export function deviceStorage(name: string): DeviceStorage {
  if (typeof indexedDB === 'undefined') return memoryStorage();
  let opened: Promise<DeviceStorage> | undefined;
  const open = () => {
    opened ??= openDatabase(name).then(indexedDbStorage, () => memoryStorage());
    return opened;
  };
  return {
    get: async (store, key) => (await open()).get(store, key),
    all: async (store) => (await open()).all(store),
    put: async (store, key, value) => (await open()).put(store, key, value),
    delete: async (store, key) => (await open()).delete(store, key),
    clear: async (store) => (await open()).clear(store),
  };
}

export function memoryStorage(): DeviceStorage {
  const stores = new Map(STORES.map((name) => [name, new Map<string, unknown>()]));
  return {
    get: async (store, key) => stores.get(store)!.get(key),
    all: async (store) => [...stores.get(store)!.values()],
    put: async (store, key, value) => void stores.get(store)!.set(key, structuredClone(value)),
    delete: async (store, key) => void stores.get(store)!.delete(key),
    clear: async (store) => stores.get(store)!.clear(),
  };
}

function openDatabase(name: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => {
    for (const store of STORES) request.result.createObjectStore(store);
  };
  return resultOf(request);
}

function indexedDbStorage(database: IDBDatabase): DeviceStorage {
  const read = <Result>(store: StoreName, act: (store: IDBObjectStore) => IDBRequest<Result>) =>
    resultOf(act(database.transaction(store, 'readonly').objectStore(store)));
  const write = (store: StoreName, act: (store: IDBObjectStore) => void) =>
    new Promise<void>((resolve, reject) => {
      const transaction = database.transaction(store, 'readwrite');
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
      act(transaction.objectStore(store));
      // At once, so that closing the page does not abort it.
      transaction.commit();
    });
  return {
    get: (store, key) => read(store, (of) => of.get(key)),
    all: (store) => read(store, (of) => of.getAll()),
    put: (store, key, value) => write(store, (of) => of.put(value, key)),
    delete: (store, key) => write(store, (of) => of.delete(key)),
    clear: (store) => write(store, (of) => of.clear()),
  };
}

function resultOf<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
