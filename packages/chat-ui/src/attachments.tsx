import type { Attachment, FileLink } from '@atrium/client';
import { useAtrium, useFileAddress } from '@atrium/react';
import { type ReactNode, useState } from 'react';
import { FileBadge } from './file-badge.tsx';
import { Gallery, useGallery } from './gallery.tsx';
import { isImage, useImageOrigins } from './image-origins.ts';
import { useLabels } from './labels.ts';
import { sizeText } from './times.ts';
import { useFirst } from './use-first.ts';

/** Attachments of a message: pictures that open in a viewer, and other files as links. */
export function Attachments({ attachments }: { attachments: readonly Attachment[] }) {
  const { files } = useAtrium();
  const gallery = useGallery();
  const [pictures, others]: [ReactNode[], ReactNode[]] = [[], []];
  for (const [index, attachment] of attachments.entries()) {
    const link = files.link(attachment);
    const key = `${link?.url} ${index}`;
    if (link && isImage(attachment)) {
      pictures.push(
        <Picture key={key} attachment={attachment} link={link} isAlone={attachments.filter(isImage).length === 1} />,
      );
    } else others.push(<FileItem key={key} attachment={attachment} link={link} />);
  }
  const content = (
    <span className="atrium-attachments">
      {pictures.length > 0 && (
        <span className={pictures.length > 1 ? 'atrium-pictures atrium-grid' : 'atrium-pictures'}>{pictures}</span>
      )}
      {others}
    </span>
  );
  return gallery ? content : <Gallery attachments={() => attachments}>{content}</Gallery>;
}

interface PictureProps {
  attachment: Attachment;
  link: FileLink;
  isAlone: boolean;
}

function Picture({ attachment, link, isAlone }: PictureProps) {
  const labels = useLabels();
  const mayLoad = useImageOrigins();
  const open = useGallery();
  const [isRequested, setRequested] = useState(false);
  const isLoaded = isRequested || mayLoad(link);
  const source = useFirst(useFileAddress(isLoaded ? link : undefined), link.url);
  const { name = labels.attachment, width = 0, height = 0, contentType } = attachment;
  if (!isLoaded) {
    return (
      <button type="button" className="atrium-file" onClick={() => setRequested(true)}>
        <FileBadge name={name} contentType={contentType} />
        <span className="atrium-file-name">{labels.loadImage(new URL(link.url).host)}</span>
      </button>
    );
  }
  return (
    <button
      type="button"
      className="atrium-picture"
      aria-haspopup="dialog"
      onClick={() => open?.(attachment)}
      style={{ aspectRatio: isAlone && width > 0 && height > 0 ? `${width} / ${height}` : '4 / 3' }}
    >
      <img src={source} alt={name} loading="lazy" referrerPolicy="no-referrer" />
    </button>
  );
}

/** Without a link if the address is not one that a page may link to. */
function FileItem({ attachment, link }: { attachment: Attachment; link: FileLink | undefined }) {
  const labels = useLabels();
  const { name = labels.attachment, size, contentType } = attachment;
  const address = useFileAddress(link);
  return (
    <a className="atrium-file" {...(address && { href: address, target: '_blank', rel: 'noopener noreferrer' })}>
      <FileBadge name={name} contentType={contentType} />
      <span className="atrium-file-texts">
        <span className="atrium-file-name">{name}</span>
        {size !== undefined && <span className="atrium-file-size">{sizeText(size, labels)}</span>}
      </span>
    </a>
  );
}
