import { AtriumError, type Dialog, type User } from '@atrium/client';
import { useAtrium, useBlocks, useLive, useMuted, usePresence, useUser } from '@atrium/react';
import { type FormEvent, useEffect, useState } from 'react';
import { DialogAvatar } from './avatar.tsx';
import { CameraIcon, CheckIcon, CloseIcon, DeleteIcon, EditIcon } from './icons.tsx';
import { useLabels } from './labels.ts';
import { type Attempt, Members } from './members.tsx';
import { Modal } from './modal.tsx';

export interface DialogProfileProps {
  dialogId: string;
  onClose: () => void;
  /** The user has left the group, or hidden the private dialog. */
  onLeave?: () => void;
  /** The user chose another member. */
  onSelectUser?: (user: User) => void;
}

/** Picture, name and members of a dialog, with what the user may change: mute, rename, manage members, leave. */
export function DialogProfile({ dialogId, onClose, onLeave, onSelectUser }: DialogProfileProps) {
  const labels = useLabels();
  const { chat } = useAtrium();
  const dialog = useLive(chat.list, ({ dialogs }) => dialogs.find(({ id }) => id === dialogId));
  const [problem, setProblem] = useState<string>();
  const isGone = !dialog;
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes once
  useEffect(() => {
    if (isGone) onClose();
  }, [isGone]);
  if (!dialog) return null;
  const isPrivate = dialog.type === 'PRIVATE';
  const attempt: Attempt = async (change) => {
    setProblem(undefined);
    try {
      await change;
      return true;
    } catch (error) {
      setProblem(error instanceof AtriumError ? error.message : String(error));
      return false;
    }
  };
  return (
    <Modal label={labels.profile} className="atrium-profile" onClose={onClose}>
      {(close) => (
        <>
          <button type="button" className="atrium-icon-button" aria-label={labels.close} onClick={close}>
            <CloseIcon />
          </button>
          <Head dialog={dialog} attempt={attempt} />
          {problem && (
            <p className="atrium-problem" role="alert">
              {problem}
            </p>
          )}
          <Mute dialogId={dialogId} attempt={attempt} />
          {dialog.peerId !== null && <Block userId={dialog.peerId} attempt={attempt} />}
          {dialog.type === 'GROUP' && <Members dialog={dialog} attempt={attempt} onSelectUser={onSelectUser} />}
          {dialog.type !== 'PUBLIC_GROUP' && (
            <Leave
              isPrivate={isPrivate}
              onLeave={async () => {
                if (await attempt(chat.dialog(dialogId).leave())) onLeave?.();
              }}
            />
          )}
        </>
      )}
    </Modal>
  );
}

const focus = (element: HTMLElement | null) => element?.focus();

/** All members of a group may change its name and picture. */
function Head({ dialog, attempt }: { dialog: Dialog; attempt: Attempt }) {
  const labels = useLabels();
  const { chat, files } = useAtrium();
  const handle = chat.dialog(dialog.id);
  const [isRenaming, setRenaming] = useState(false);
  const mayChange = dialog.type === 'GROUP';
  const rename = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget).get('name')).trim();
    if (name === dialog.name || (await attempt(handle.update({ name })))) setRenaming(false);
  };
  const changePicture = async (file: File | undefined) => {
    if (file) await attempt(files.upload(file).then(({ uid }) => handle.update({ photo: uid })));
  };
  return (
    <header className="atrium-profile-head">
      <span className="atrium-profile-picture">
        <DialogAvatar dialog={dialog} />
        {mayChange && (
          <label className="atrium-icon-button" title={labels.changePicture}>
            <CameraIcon />
            <input
              type="file"
              accept="image/png,image/jpeg,image/webp,image/gif"
              className="atrium-hidden"
              aria-label={labels.changePicture}
              onChange={(event) => void changePicture(event.currentTarget.files?.[0])}
            />
          </label>
        )}
      </span>
      {isRenaming ? (
        <form onSubmit={rename} className="atrium-rename">
          <input
            name="name"
            className="atrium-input"
            aria-label={labels.groupName}
            defaultValue={dialog.name}
            ref={focus}
          />
          <button type="submit" className="atrium-icon-button" aria-label={labels.save}>
            <CheckIcon />
          </button>
        </form>
      ) : (
        <h2>
          {dialog.name}
          {mayChange && (
            <button
              type="button"
              className="atrium-icon-button"
              aria-label={labels.rename}
              title={labels.rename}
              onClick={() => setRenaming(true)}
            >
              <EditIcon />
            </button>
          )}
          {mayChange && dialog.photo !== null && (
            <button
              type="button"
              className="atrium-icon-button"
              aria-label={labels.removePicture}
              title={labels.removePicture}
              onClick={() => void attempt(handle.update({ photo: null }))}
            >
              <DeleteIcon />
            </button>
          )}
        </h2>
      )}
      <Subtitle dialog={dialog} />
    </header>
  );
}

function Subtitle({ dialog: { peerId, occupantIds, type } }: { dialog: Dialog }) {
  const labels = useLabels();
  const peer = useUser(peerId ?? 0);
  const online = usePresence(peerId === null ? [] : [peerId]);
  if (type === 'PUBLIC_GROUP') return null;
  if (peerId === null) return <p>{labels.members(occupantIds.length)}</p>;
  return <p>{[peer?.login, online.has(peerId) && labels.online].filter(Boolean).join(' · ')}</p>;
}

function Mute({ dialogId, attempt }: { dialogId: string; attempt: Attempt }) {
  const labels = useLabels();
  const { isMuted, mute } = useMuted(dialogId);
  return (
    <label className="atrium-row">
      <span className="atrium-row-texts">
        {labels.mute}
        <span className="atrium-hint">{labels.muteHint}</span>
      </span>
      <input
        type="checkbox"
        role="switch"
        aria-checked={isMuted ?? false}
        className="atrium-switch"
        checked={isMuted ?? false}
        disabled={isMuted === undefined}
        onChange={(event) => void attempt(mute(event.currentTarget.checked))}
      />
    </label>
  );
}

function Block({ userId, attempt }: { userId: number; attempt: Attempt }) {
  const labels = useLabels();
  const { blocked, block, unblock } = useBlocks();
  const isBlocked = blocked?.some((one) => one.userId === userId) ?? false;
  return (
    <button
      type="button"
      className="atrium-row atrium-danger"
      disabled={blocked === undefined}
      onClick={() => void attempt(isBlocked ? unblock(userId) : block(userId))}
    >
      <span className="atrium-row-texts">
        {isBlocked ? labels.unblock : labels.block}
        <span className="atrium-hint">{labels.blockHint}</span>
      </span>
    </button>
  );
}

function Leave({ isPrivate, onLeave }: { isPrivate: boolean; onLeave: () => Promise<void> }) {
  const labels = useLabels();
  const [isAsking, setAsking] = useState(false);
  const [leave, confirm] = isPrivate ? [labels.hide, labels.confirmHide] : [labels.leave, labels.confirmLeave];
  if (!isAsking) {
    return (
      <button type="button" className="atrium-row atrium-danger" onClick={() => setAsking(true)}>
        {leave}
      </button>
    );
  }
  return (
    <fieldset className="atrium-row" aria-label={confirm}>
      <span className="atrium-row-texts">{confirm}</span>
      <button type="button" className="atrium-button atrium-danger" ref={focus} onClick={() => void onLeave()}>
        {leave}
      </button>
      <button type="button" className="atrium-button" onClick={() => setAsking(false)}>
        {labels.cancel}
      </button>
    </fieldset>
  );
}
