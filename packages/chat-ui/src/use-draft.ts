import type { Message } from '@atrium/client';
import { useState } from 'react';

/** Unsent texts by dialog, so that they survive a switch to another dialog. */
const drafts = new Map<string, string>();

/** The text of the composer: the draft of a dialog, or that of the message that is being edited. */
export function useDraft(dialogId: string, editing: Message | undefined) {
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
