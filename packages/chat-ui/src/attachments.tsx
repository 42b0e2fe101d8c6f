import type { Attachment } from '@atrium/client';
import { useAtrium } from '@atrium/react';
import { FileIcon } from './icons.tsx';
import { useLabels } from './labels.ts';

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
  const labels = useLabels();
  return (
    <span className="atrium-attachments">
      {attachments.map((attachment, index) => {
        const { id, name = labels.attachment, size, width, height } = attachment;
        const url = id ? files.url({ uid: id }) : attachment.url;
        const key = `${id ?? url} ${index}`;
        if (!url) return null;
        if (isImage(attachment)) {
          const ratio = Number(width) > 0 && Number(height) > 0 ? `${Number(width)} / ${Number(height)}` : '4 / 3';
          return (
            <a
              key={key}
              className="atrium-picture"
              href={url}
              target="_blank"
              rel="noreferrer"
              style={{ aspectRatio: ratio }}
            >
              <img src={url} alt={name} loading="lazy" />
            </a>
          );
        }
        return (
          <a key={key} className="atrium-file" href={url} target="_blank" rel="noreferrer">
            <FileIcon />
            <span className="atrium-file-name">{name}</span>
            {typeof size === 'number' && <span className="atrium-file-size">{sizeText(size)}</span>}
          </a>
        );
      })}
    </span>
  );
}
