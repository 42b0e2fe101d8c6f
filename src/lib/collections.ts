export function groupBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Expects unique keys; otherwise the last item wins. */
export function indexBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item> {
  const index = new Map<Key, Item>();
  for (const item of items) index.set(keyOf(item), item);
  return index;
}

export function addTo<Key, Item>(sets: Map<Key, Set<Item>>, key: Key, item: Item): void {
  const items = sets.get(key);
  if (items) items.add(item);
  else sets.set(key, new Set([item]));
}

/** Deletes the key with its last item. */
export function removeFrom<Key, Item>(sets: Map<Key, Set<Item>>, key: Key, item: Item): boolean {
  const items = sets.get(key);
  if (!items?.delete(item)) return false;
  if (items.size === 0) sets.delete(key);
  return true;
}
