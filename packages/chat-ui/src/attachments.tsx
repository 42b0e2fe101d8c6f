import type { Attachment, FileLink } from '@atrium/client';
import { useAtrium, useFileAddress } from '@atrium/react';
import { useState } from 'react';
import { FileIcon } from './icons.tsx';
import { useImageOrigins } from './image-origins.ts';
import { useLabels } from './labels.ts';
import { useFirst } from './use-first.ts';

const UNITS = ['B', 'kB', 'MB', 'GB'];

export function sizeText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1_000 ** power;
  return `${value >= 10 || power === 0 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`;
}

export function isImage({ type, contentType = '' }: Pick<Attachment, 'type' | 'contentType'>): boolean {
  // SVG files can contain scripts, so the service does not display them.
  return (type === 'image' || type === 'photo' || contentType.startsWith('image/')) && !contentType.includes('svg');
}

/** Attachments of a message: pictures as pictures, other files as links. */
export function Attachments({ attachments }: { attachments: readonly Attachment[] }) {
  const { files } = useAtrium();
  return (
    <span className="atrium-attachments">
      {attachments.map((attachment, index) => {
        const link = files.link(attachment);
        const key = `${link?.url} ${index}`;
        return link && isImage(attachment) ? (
          <Picture key={key} attachment={attachment} link={link} />
        ) : (
          <FileItem key={key} attachment={attachment} link={link} />
        );
      })}
    </span>
  );
}

function Picture({ attachment, link }: { attachment: Attachment; link: FileLink }) {
  const labels = useLabels();
  const mayLoad = useImageOrigins();
  const [isRequested, setRequested] = useState(false);
  const isLoaded = isRequested || mayLoad(link);
  const address = useFileAddress(isLoaded ? link : undefined);
  const source = useFirst(address, link.url);
  const { name = labels.attachment, width = 0, height = 0 } = attachment;
  if (!isLoaded) {
    return (
      <button type="button" className="atrium-file" onClick={() => setRequested(true)}>
        <FileIcon />
        <span className="atrium-file-name">{labels.loadImage(new URL(link.url).host)}</span>
      </button>
    );
  }
  return (
    <a
      className="atrium-picture"
      href={address}
      target="_blank"
      rel="noreferrer"
      style={{ aspectRatio: width > 0 && height > 0 ? `${width} / ${height}` : '4 / 3' }}
    >
      <img src={source} alt={name} loading="lazy" referrerPolicy="no-referrer" />
    </a>
  );
}

/** Without a link if the address is not one that a page may link to. */
function FileItem({ attachment, link }: { attachment: Attachment; link: FileLink | undefined }) {
  const labels = useLabels();
  const { name = labels.attachment, size } = attachment;
  const address = useFileAddress(link);
  return (
    <a className="atrium-file" {...(address && { href: address, target: '_blank', rel: 'noreferrer' })}>
      <FileIcon />
      <span className="atrium-file-name">{name}</span>
      {size !== undefined && <span className="atrium-file-size">{sizeText(size)}</span>}
    </a>
  );
}
