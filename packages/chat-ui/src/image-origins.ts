import type { Attachment, FileLink } from '@atrium/client';
import { createContext, useContext } from 'react';

/** Origins such as `https://cdn.example.com`, or all. */
export type ImageOrigins = 'all' | readonly string[];

const Context = createContext<ImageOrigins>([]);

/**
 * Origins, besides that of the service, whose images are loaded without a click. Who sends a picture of such an origin
 * learns when each recipient sees it, and their network address. Default: none.
 */
export const ImageOriginsProvider = Context.Provider;

export function useImageOrigins(): (link: FileLink) => boolean {
  const origins = useContext(Context);
  return ({ url, isForeign }) => !isForeign || origins === 'all' || origins.includes(new URL(url).origin);
}

export function isImage({ type, contentType = '' }: Pick<Attachment, 'type' | 'contentType'>): boolean {
  // SVG files can contain scripts, so the service does not display them.
  return (type === 'image' || type === 'photo' || contentType.startsWith('image/')) && !contentType.includes('svg');
}
