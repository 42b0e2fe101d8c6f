import { type MouseEvent, type ReactNode, useEffect, useRef } from 'react';

export interface ModalProps {
  label: string;
  className?: string;
  onClose: () => void;
  /** `close` also returns the focus to the element that had it before. */
  children: (close: () => void) => ReactNode;
}

/** A dialog in front of the page. Escape and a click outside close it. */
export function Modal({ label, className = '', onClose, children }: ModalProps) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => element.current?.showModal(), []);
  const close = () => element.current?.close();
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog
    <dialog
      ref={element}
      className={`atrium-modal ${className}`}
      aria-label={label}
      onClose={onClose}
      onClick={(event) => isOutside(event) && close()}
    >
      {children(close)}
    </dialog>
  );
}

/** A click on the backdrop has the dialog as its target, like one on its padding. */
function isOutside({ target, currentTarget, clientX, clientY }: MouseEvent): boolean {
  const { left, right, top, bottom } = currentTarget.getBoundingClientRect();
  return target === currentTarget && (clientX < left || clientX > right || clientY < top || clientY > bottom);
}
