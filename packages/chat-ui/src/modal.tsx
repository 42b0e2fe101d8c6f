import { type ReactNode, useEffect, useRef } from 'react';

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
      onClick={(event) => event.target === element.current && close()}
    >
      {children(close)}
    </dialog>
  );
}
