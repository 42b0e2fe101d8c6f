import type { Message } from '@atrium/client';
import { useAtrium } from '@atrium/react';
import {
  type ClipboardEvent,
  type FormEvent,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useId,
  useRef,
} from 'react';
import { AttachIcon, CheckIcon, CloseIcon, SendIcon } from './icons.tsx';
import { useLabels } from './labels.ts';
import { UploadItem } from './upload-item.tsx';
import { useDraft } from './use-draft.ts';
import { useDropZone } from './use-drop-zone.ts';
import { useEmoji } from './use-emoji.tsx';
import { useUploads } from './use-uploads.ts';

export interface ComposerProps {
  dialogId: string;
  /** The message that is being edited. */
  editing?: Message | undefined;
  onEditEnd?: () => void;
  /** The user pressed the arrow key up in an empty field. */
  onEditLast?: () => void;
  /** Element onto which files can be dropped. Default: the composer itself. */
  dropZone?: RefObject<HTMLElement | null>;
}

/** Writes messages with attachments. Enter sends, Shift and Enter starts a line; `:smi` offers emoji. */
export function Composer({ dialogId, editing, onEditEnd, onEditLast, dropZone }: ComposerProps) {
  const labels = useLabels();
  const { chat } = useAtrium();
  const dialog = chat.dialog(dialogId);
  const [text, setText] = useDraft(dialogId, editing);
  const { uploads, add, remove, retry, clear } = useUploads();
  const field = useRef<HTMLTextAreaElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  useDropZone(dropZone ?? form, editing ? undefined : add);
  const emoji = useEmoji(field, setText);
  const isUploading = uploads.some(({ state }) => state !== 'done');
  const canSend = (text.trim() !== '' || (uploads.length > 0 && !editing)) && !isUploading;

  useEffect(() => {
    if (editing) field.current?.focus();
  }, [editing]);

  // The field grows with its text.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is the change
  useEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = 'auto';
    element.style.height = `${element.scrollHeight}px`;
  }, [text]);

  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (!canSend) return;
    if (editing) {
      if (text.trim() !== editing.text) void dialog.edit(editing.id, text.trim());
      onEditEnd?.();
    } else {
      const attachments = uploads.flatMap(({ attachment }) => attachment ?? []);
      void dialog.send({ text: text.trim(), ...(attachments.length > 0 && { attachments }) });
      clear();
      setText('');
    }
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || emoji.onKeyDown(event)) return;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      submit();
    } else if (event.key === 'Escape' && editing) onEditEnd?.();
    else if (event.key === 'ArrowUp' && text === '') onEditLast?.();
  };
  const onPaste = (event: ClipboardEvent) => {
    if (editing || event.clipboardData.files.length === 0) return;
    event.preventDefault();
    add(event.clipboardData.files);
  };

  return (
    <form className="atrium-composer" ref={form} onSubmit={submit}>
      {emoji.list}
      {editing && (
        <div className="atrium-editing">
          <span>{labels.editing}</span>
          <button type="button" className="atrium-icon-button" aria-label={labels.cancel} onClick={onEditEnd}>
            <CloseIcon />
          </button>
        </div>
      )}
      {uploads.length > 0 && !editing && (
        <ul className="atrium-uploads">
          {uploads.map((upload) => (
            <UploadItem
              key={upload.key}
              upload={upload}
              onRemove={() => remove(upload)}
              onRetry={() => void retry(upload)}
            />
          ))}
        </ul>
      )}
      <div className="atrium-composer-line">
        {!editing && (
          <>
            <input
              ref={input}
              type="file"
              multiple
              hidden
              onChange={(event) => {
                add(event.currentTarget.files ?? []);
                event.currentTarget.value = '';
              }}
            />
            <button
              type="button"
              className="atrium-icon-button"
              aria-label={labels.attach}
              title={labels.attach}
              onClick={() => input.current?.click()}
            >
              <AttachIcon />
            </button>
          </>
        )}
        <label className="atrium-hidden" htmlFor={id}>
          {labels.message}
        </label>
        <textarea
          id={id}
          ref={field}
          className="atrium-field"
          rows={1}
          value={text}
          placeholder={labels.writeMessage}
          enterKeyHint="send"
          {...emoji.attributes}
          onChange={(event) => {
            setText(event.currentTarget.value);
            emoji.look();
            if (!editing && event.currentTarget.value !== '') void dialog.typing();
          }}
          onBlur={emoji.close}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
        <button
          type="submit"
          className="atrium-send"
          aria-label={editing ? labels.save : labels.send}
          title={editing ? labels.save : labels.send}
          disabled={!canSend}
        >
          {editing ? <CheckIcon /> : <SendIcon />}
        </button>
      </div>
    </form>
  );
}
