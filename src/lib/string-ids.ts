/** Whether a text can be the id of a dialog or message: 24 lower-case hex digits (gaps §1.1). */
export function isStringId(text: string): boolean {
  return /^[0-9a-f]{24}$/.test(text);
}
