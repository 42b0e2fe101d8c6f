import { isPublicHost } from '../../gateways/public-addresses.ts';
import { UnprocessableError } from '../../lib/errors.ts';

/** Characters of an image inside a `data:` URL. */
const MAX_DATA = 1024 * 1024;
/** Characters of any other URL. */
const MAX_URL = 2000;

/** SVG is left out: it can name further addresses, which whoever draws it would load. */
const DATA = /^data:image\/(?:png|jpe?g|gif|webp|bmp|avif|heic|heif|tiff)(?:;base64)?,/i;

/**
 * The address of an image as the model is given it, so that model and check read the same host.
 * @throws {UnprocessableError} neither an image itself nor a public `https` address
 */
export function allowedImage(url: unknown): string {
  if (typeof url === 'string') {
    if (url.length <= MAX_DATA && DATA.test(url)) return url;
    const parsed = url.length <= MAX_URL && URL.canParse(url) ? new URL(url) : undefined;
    const isPlain = parsed?.protocol === 'https:' && parsed.username === '' && parsed.password === '';
    if (isPlain && isPublicHost(parsed)) return parsed.href;
  }
  throw new UnprocessableError('Image URL is not allowed');
}
