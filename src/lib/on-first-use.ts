/** Later calls share the result of the first, also if it failed. */
export function onFirstUse<Value>(create: () => Value): () => Value {
  let created: { value: Value } | undefined;
  return () => {
    created ??= { value: create() };
    return created.value;
  };
}
