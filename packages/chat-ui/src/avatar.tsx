import type { Dialog } from '@atrium/client';
import { useAtrium, useFileAddress, useUser } from '@atrium/react';
import { useImageOrigins } from './image-origins.ts';
import { useFirst } from './use-first.ts';

/** Colors with white text in a contrast of at least 4.5. */
const COLORS = ['#b4451f', '#8a5a00', '#4d7a1f', '#1f7a4d', '#1f7380', '#2f66c4', '#6a4fc4', '#a83a96', '#c0344f'];

/** The picture of a user or group; the initials of the name without one, or if its origin is not allowed. */
export function Avatar({
  name,
  seed,
  photo,
  isOnline,
}: {
  name: string;
  seed: string;
  photo?: string | null;
  isOnline?: boolean;
}) {
  const { files } = useAtrium();
  const mayLoad = useImageOrigins();
  const link = photo ? files.link(photo) : undefined;
  const picture = useFirst(useFileAddress(link && mayLoad(link) ? link : undefined), link?.url);
  const color = COLORS[Math.abs(hash(seed)) % COLORS.length];
  return (
    <span
      className="atrium-avatar"
      style={{ background: color }}
      data-initials={picture ? undefined : initials(name)}
      aria-hidden="true"
    >
      {picture && <img src={picture} alt="" referrerPolicy="no-referrer" />}
      {isOnline && <span className="atrium-dot" />}
    </span>
  );
}

/** The profile picture of a user, or initials. */
export function UserAvatar({ id, isOnline = false }: { id: number; isOnline?: boolean }) {
  const user = useUser(id);
  const { name = '', blobId = null } = user ?? {};
  return <Avatar name={name} seed={`user ${id}`} photo={blobId === null ? null : String(blobId)} isOnline={isOnline} />;
}

/** The picture of a group, or that of the other user. */
export function DialogAvatar({ dialog, isOnline = false }: { dialog: Dialog; isOnline?: boolean }) {
  const { id, name, photo, peerId } = dialog;
  const peer = useUser(peerId ?? 0);
  const blobId = peer?.blobId ?? null;
  return (
    <Avatar
      name={name}
      seed={peerId === null ? id : `user ${peerId}`}
      photo={photo ?? (blobId === null ? null : String(blobId))}
      isOnline={isOnline}
    />
  );
}

function initials(name: string): string {
  const words = name.trim().split(/\s+/).filter(Boolean);
  const letters = words.length > 1 ? [words[0]!, words.at(-1)!] : words;
  return letters.map((word) => [...word][0]!.toUpperCase()).join('') || '?';
}

function hash(text: string): number {
  let value = 0;
  for (const letter of text) value = (value * 31 + letter.codePointAt(0)!) | 0;
  return value;
}
