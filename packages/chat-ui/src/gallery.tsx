import type { Attachment, FileLink } from '@atrium/client';
import { useAtrium, useFileAddress } from '@atrium/react';
import { createContext, type KeyboardEvent, type ReactNode, useContext, useRef, useState } from 'react';
import { BackIcon, CloseIcon, ForwardIcon, OpenIcon } from './icons.tsx';
import { isImage, useImageOrigins } from './image-origins.ts';
import { useLabels } from './labels.ts';
import { Modal } from './modal.tsx';
import { useFirst } from './use-first.ts';

/** Pixels of a swipe. */
const SWIPE = 48;

const Context = createContext<((picture: Attachment) => void) | undefined>(undefined);

/** Opens a picture in the viewer; undefined outside of a gallery. */
export const useGallery = () => useContext(Context);

export interface GalleryProps {
  /** Its pictures are those of the viewer, in this order. */
  attachments: () => readonly Attachment[];
  children: ReactNode;
}

/** The pictures inside open in a viewer that has all of them. */
export function Gallery({ attachments, children }: GalleryProps) {
  const { files } = useAtrium();
  const mayLoad = useImageOrigins();
  const [shown, setShown] = useState<{ pictures: readonly Attachment[]; start: number }>();
  const latest = useRef(attachments);
  latest.current = attachments;
  const [open] = useState(() => (picture: Attachment) => {
    // Those of foreign origins are loaded one by one, each after a click.
    const pictures = latest.current().filter((one) => {
      const link = isImage(one) ? files.link(one) : undefined;
      return link && (one === picture || mayLoad(link));
    });
    setShown({ pictures, start: pictures.indexOf(picture) });
  });
  return (
    <Context.Provider value={open}>
      {children}
      {shown && shown.start >= 0 && <Viewer {...shown} onClose={() => setShown(undefined)} />}
    </Context.Provider>
  );
}

interface ViewerProps {
  pictures: readonly Attachment[];
  start: number;
  onClose: () => void;
}

function Viewer({ pictures, start, onClose }: ViewerProps) {
  const labels = useLabels();
  const { files } = useAtrium();
  const [index, setIndex] = useState(start);
  const swipe = useRef(0);
  const { name = labels.attachment } = pictures[index]!;
  const link = files.link(pictures[index]!)!;
  const address = useFileAddress(link);
  const move = (step: number) => setIndex((index + step + pictures.length) % pictures.length);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step) move(step);
  };
  return (
    <Modal label={labels.pictures} className="atrium-viewer" onClose={onClose}>
      {(close) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: keys and swipes of the buttons in it
        <div
          className="atrium-viewer-body"
          onKeyDown={onKeyDown}
          onPointerDown={({ clientX }) => {
            swipe.current = clientX;
          }}
          onPointerUp={({ clientX, pointerType }) => {
            const moved = clientX - swipe.current;
            if (pointerType === 'touch' && Math.abs(moved) > SWIPE) move(moved > 0 ? -1 : 1);
          }}
        >
          <header className="atrium-viewer-head">
            <button type="button" className="atrium-icon-button" aria-label={labels.close} onClick={close}>
              <CloseIcon />
            </button>
            <p role="status">
              <span className="atrium-file-name">{name}</span>
              <span className="atrium-file-size">{labels.pictureOf(index + 1, pictures.length)}</span>
            </p>
            <a
              className="atrium-icon-button"
              href={address}
              target="_blank"
              rel="noopener noreferrer"
              aria-label={labels.openOriginal}
              title={labels.openOriginal}
            >
              <OpenIcon />
            </a>
          </header>
          <LargePicture key={index} link={link} address={address} name={name} />
          {pictures.length > 1 && (
            <>
              <button
                type="button"
                className="atrium-icon-button atrium-previous"
                aria-label={labels.previousPicture}
                onClick={() => move(-1)}
              >
                <BackIcon />
              </button>
              <button
                type="button"
                className="atrium-icon-button atrium-next"
                aria-label={labels.nextPicture}
                onClick={() => move(1)}
              >
                <ForwardIcon />
              </button>
            </>
          )}
        </div>
      )}
    </Modal>
  );
}

function LargePicture({ link, address, name }: { link: FileLink; address: string | undefined; name: string }) {
  const source = useFirst(address, link.url);
  return (
    <div className="atrium-viewer-picture">
      {source && <img src={source} alt={name} draggable={false} referrerPolicy="no-referrer" />}
    </div>
  );
}
