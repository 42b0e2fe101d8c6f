/** Types that a browser can display. Types that may contain scripts are downloaded. */
export function isShownInline(contentType: string): boolean {
  const type = contentType.split(';', 1)[0]!.trim().toLowerCase();
  if (type === 'application/pdf') return true;
  return /^(?:image|audio|video)\//.test(type) && !/^image\/svg|xml$/.test(type);
}

/** RFC 6266, with the exact name as in RFC 8187: `attachment; filename="Men_.txt"; filename*=UTF-8''Men%C3%BC.txt` */
export function contentDisposition(name: string, contentType: string): string {
  const disposition = isShownInline(contentType) ? 'inline' : 'attachment';
  const exact = safeName(name);
  if (exact === '') return disposition;
  const plain = exact.replaceAll(/[^ -~]|["%]/gu, '_');
  const quoted = `${disposition}; filename="${plain}"`;
  return plain === exact ? quoted : `${quoted}; filename*=UTF-8''${encodeExtended(exact)}`;
}

function safeName(name: string): string {
  return name
    .toWellFormed()
    .replaceAll(/[/\\\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, '_')
    .trim();
}

/** RFC 8187 also escapes `'()*!`. */
function encodeExtended(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
