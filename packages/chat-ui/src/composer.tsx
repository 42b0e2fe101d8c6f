import type { Message } from '@atrium/client';
import { useAtrium } from '@atrium/react';
import {
  type ClipboardEvent,
  type DragEvent,
  type FormEvent,
  type KeyboardEvent,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { sizeText } from './attachments.tsx';
import { AttachIcon, CheckIcon, CloseIcon, FileIcon, SendIcon } from './icons.tsx';
import { useLabels } from './labels.ts';
import { type Upload, useUploads } from './use-uploads.ts';

export interface ComposerProps {
  dialogId: string;
  /** The message that is being edited. */
  editing?: Message | undefined;
  onEditEnd?: () => void;
  /** The user pressed the arrow key up in an empty field. */
  onEditLast?: () => void;
}

/** Writes messages with attachments. Enter sends, Shift and Enter starts a line. */
export function Composer({ dialogId, editing, onEditEnd, onEditLast }: ComposerProps) {
  const labels = useLabels();
  const { chat } = useAtrium();
  const dialog = chat.dialog(dialogId);
  const [text, setText] = useDraft(dialogId, editing);
  const { uploads, add, remove, retry, clear } = useUploads();
  const field = useRef<HTMLTextAreaElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const [isDragging, setDragging] = useState(false);
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
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      submit();
    } else if (event.key === 'Escape' && editing) onEditEnd?.();
    else if (event.key === 'ArrowUp' && text === '') onEditLast?.();
  };
  const onPaste = (event: ClipboardEvent) => {
    if (event.clipboardData.files.length === 0) return;
    event.preventDefault();
    add(event.clipboardData.files);
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setDragging(false);
    if (event.dataTransfer.files.length > 0) add(event.dataTransfer.files);
  };

  return (
    <form
      className={`atrium-composer${isDragging ? ' atrium-dragging' : ''}`}
      onSubmit={submit}
      onDragOver={(event) => {
        event.preventDefault();
        setDragging(true);
      }}
      onDragLeave={() => setDragging(false)}
      onDrop={onDrop}
    >
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
          onChange={(event) => {
            setText(event.currentTarget.value);
            if (!editing && event.currentTarget.value !== '') void dialog.typing();
          }}
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

function UploadItem({ upload, onRemove, onRetry }: { upload: Upload; onRemove: () => void; onRetry: () => void }) {
  const labels = useLabels();
  const { file, preview, progress, state } = upload;
  const percent = Math.round(progress * 100);
  return (
    <li className={`atrium-upload atrium-upload-${state}`}>
      {preview ? <img src={preview} alt="" /> : <FileIcon />}
      <span className="atrium-upload-texts">
        <span className="atrium-file-name">{file.name}</span>
        <span className="atrium-file-size">
          {state === 'failed' ? labels.uploadFailed : state === 'done' ? sizeText(file.size) : `${percent} %`}
        </span>
      </span>
      {state === 'uploading' && (
        <progress value={progress} max={1} aria-label={labels.uploading(percent)}>
          {percent} %
        </progress>
      )}
      {state === 'failed' && (
        <button type="button" onClick={onRetry}>
          {labels.retry}
        </button>
      )}
      <button type="button" className="atrium-icon-button" aria-label={labels.remove(file.name)} onClick={onRemove}>
        <CloseIcon />
      </button>
    </li>
  );
}

/** Unsent texts by dialog, so that they survive a switch to another dialog. */
const drafts = new Map<string, string>();

function useDraft(dialogId: string, editing: Message | undefined) {
  const [text, setText] = useState(drafts.get(dialogId) ?? '');
  const [edited, setEdited] = useState('');
  const [editedKey, setEditedKey] = useState<string>();
  if (editing?.key !== editedKey) {
    setEditedKey(editing?.key);
    setEdited(editing?.text ?? '');
  }
  const set = (next: string) => {
    if (editing) setEdited(next);
    else {
      setText(next);
      if (next) drafts.set(dialogId, next);
      else drafts.delete(dialogId);
    }
  };
  return [editing ? edited : text, set] as const;
}
