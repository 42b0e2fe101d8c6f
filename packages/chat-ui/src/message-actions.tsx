import type { Message } from '@atrium/client';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { DeleteIcon, EditIcon, REACTIONS, ReactionGlyph, SmileIcon } from './icons.tsx';
import { useLabels } from './labels.ts';

export interface MessageActions {
  react: (messageId: string, name: string) => Promise<void>;
  delete: (messageId: string) => Promise<void>;
  retry: (message: Message) => Promise<void>;
  discard: (message: Message) => Promise<void>;
  startEdit: (message: Message) => void;
}

interface ActionsProps {
  message: Message;
  isOwn: boolean;
  actions: MessageActions;
  children: ReactNode;
}

/** Buttons to react to a message, and to edit or delete an own one. */
export function Actions({ message, isOwn, actions, children }: ActionsProps) {
  const labels = useLabels();
  const [open, setOpen] = useState<'reactions' | 'delete'>();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    const close = (event: Event) => {
      if (!box.current?.contains(event.target as Node)) setOpen(undefined);
    };
    document.addEventListener('pointerdown', close);
    box.current?.querySelector<HTMLButtonElement>('.atrium-popover button')?.focus();
    return () => document.removeEventListener('pointerdown', close);
  }, [open]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !open) return;
    event.stopPropagation();
    setOpen(undefined);
    box.current?.querySelector('button')?.focus();
  };
  const choose = (act: () => Promise<void>) => {
    setOpen(undefined);
    void act().catch(() => {});
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes what a button in it opened
    <div className="atrium-actions" ref={box} onKeyDown={onKeyDown}>
      <button
        type="button"
        aria-label={labels.react}
        title={labels.react}
        aria-expanded={open === 'reactions'}
        onClick={() => setOpen(open === 'reactions' ? undefined : 'reactions')}
      >
        <SmileIcon />
      </button>
      {isOwn && (
        <>
          {message.text && (
            <button
              type="button"
              aria-label={labels.edit}
              title={labels.edit}
              onClick={() => actions.startEdit(message)}
            >
              <EditIcon />
            </button>
          )}
          <button
            type="button"
            aria-label={labels.delete}
            title={labels.delete}
            aria-expanded={open === 'delete'}
            onClick={() => setOpen(open === 'delete' ? undefined : 'delete')}
          >
            <DeleteIcon />
          </button>
        </>
      )}
      {children}
      {open === 'reactions' && (
        <fieldset className="atrium-popover" aria-label={labels.react}>
          {REACTIONS.map((name) => (
            <button
              key={name}
              type="button"
              className="atrium-pick"
              aria-label={labels.reactions[name]}
              title={labels.reactions[name]}
              onClick={() => choose(() => actions.react(message.id, name))}
            >
              <ReactionGlyph name={name} />
            </button>
          ))}
        </fieldset>
      )}
      {open === 'delete' && (
        <fieldset className="atrium-popover atrium-confirm" aria-label={labels.confirmDelete}>
          <span>{labels.confirmDelete}</span>
          <button type="button" className="atrium-danger" onClick={() => choose(() => actions.delete(message.id))}>
            {labels.delete}
          </button>
          <button type="button" onClick={() => setOpen(undefined)}>
            {labels.cancel}
          </button>
        </fieldset>
      )}
    </div>
  );
}
