/** The parent of `src`, and of `dist`. */
export const PROJECT_ROOT = new URL('../', import.meta.url);
