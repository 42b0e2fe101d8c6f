/** Calls `create` once, on the first call. Later calls share its result, also if it failed. */
export function onFirstUse<Value>(create: () => Value): () => Value {
  let created: { value: Value } | undefined;
  return () => {
    created ??= { value: create() };
    return created.value;
  };
}
