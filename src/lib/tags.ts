/** Trimmed, without empty ones, each once. */
export function tagsOf(tags: readonly string[] | null | undefined): string[] {
  return [...new Set((tags ?? []).map((tag) => tag.trim()).filter((tag) => tag !== ''))];
}
