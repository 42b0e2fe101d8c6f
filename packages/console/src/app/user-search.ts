/** The id of a user in a text, which is untrusted. @returns undefined for none */
export function idOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}

/** A filter of `users`: part of login or name, a complete email address, or an id. Empty: all. */
export function userFilterOf(search: string) {
  const id = idOf(search);
  const number = id === undefined ? [] : [{ id: { eq: id } }];
  const contains = { contains: search };
  return search === ''
    ? {}
    : { or: [{ login: contains }, { fullName: contains }, { email: { eq: search } }, ...number] };
}
