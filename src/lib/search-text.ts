/** Longest text that a list searches for: the cost of a comparison grows with it times the length of the stored text. */
export const MAX_SEARCH_CHARACTERS = 256;

/** Whether a text is short enough to search for. */
export function isSearchText(text: string): boolean {
  return text.length <= 2 * MAX_SEARCH_CHARACTERS && [...text].length <= MAX_SEARCH_CHARACTERS;
}
