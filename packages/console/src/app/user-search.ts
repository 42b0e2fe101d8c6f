/** A filter of `users`: part of login or name, a complete email address, or an id. Empty: all. */
export function userFilterOf(search: string) {
  const number = /^\d{1,10}$/.test(search) ? [{ id: { eq: Number(search) } }] : [];
  const contains = { contains: search };
  return search === ''
    ? {}
    : { or: [{ login: contains }, { fullName: contains }, { email: { eq: search } }, ...number] };
}
