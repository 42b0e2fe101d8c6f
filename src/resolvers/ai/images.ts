import { isPublicHost } from '../../gateways/public-addresses.ts';
import { UnprocessableError } from '../../lib/errors.ts';

/** Characters. */
const MAX_DATA = 1024 * 1024;
/** Characters. */
const MAX_URL = 2000;

/** Excludes SVG, because an SVG can reference URLs that its renderer would load. */
const DATA = /^data:image\/(?:png|jpe?g|gif|webp|bmp|avif|heic|heif|tiff)(?:;base64)?,/i;

/** Normalized, so that the model and this check see the same host. @throws {UnprocessableError} */
export function allowedImage(url: unknown): string {
  if (typeof url === 'string') {
    if (url.length <= MAX_DATA && DATA.test(url)) return url;
    const parsed = url.length <= MAX_URL && URL.canParse(url) ? new URL(url) : undefined;
    const isPlain = parsed?.protocol === 'https:' && parsed.username === '' && parsed.password === '';
    if (isPlain && isPublicHost(parsed)) return parsed.href;
  }
  throw new UnprocessableError('IMAGE_URL_INVALID');
}
