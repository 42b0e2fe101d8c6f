/** The cost of a comparison grows with this length times the length of the stored text. */
export const MAX_SEARCH_CHARACTERS = 256;

export function isSearchText(text: string): boolean {
  return text.length <= 2 * MAX_SEARCH_CHARACTERS && [...text].length <= MAX_SEARCH_CHARACTERS;
}
