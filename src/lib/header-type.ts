/** The media type, or that of bytes if it is no value of a header, which archives and clients can send. */
export function headerType(type: string): string {
  return /^[\x20-\x7e]+$/.test(type) ? type : 'application/octet-stream';
}
