export const toBit = (value: boolean): 0 | 1 => (value ? 1 : 0);

export const joinTags = (tags: readonly string[]): string | null => (tags.length > 0 ? tags.join(',') : null);
