/** `https://host/a//` → `https://host/a`. A pattern like `/\/+$/` takes quadratic time on many slashes. */
export function withoutTrailingSlashes(text: string): string {
  let end = text.length;
  while (text.charAt(end - 1) === '/') end--;
  return text.slice(0, end);
}
