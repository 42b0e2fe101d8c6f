import type { AtriumErrorCode } from '../errors.ts';

export interface User {
  id: number;
  login: string | null;
  fullName: string | null;
  email: string | null;
  /** Id of the profile picture, a blob. */
  blobId: number | null;
  customData: string | null;
  /** Name to show: the full name, or else the login. */
  name: string;
}

export interface Dialog {
  id: string;
  type: 'PRIVATE' | 'GROUP' | 'PUBLIC_GROUP';
  /** Name of the group, or of the other user. */
  name: string;
  /** Address or id of a picture, as a user wrote it: see `files.link()`. */
  photo: string | null;
  ownerId: number;
  occupantIds: number[];
  adminIds: number[];
  /** In private dialogs, the user who is not the caller. */
  peerId: number | null;
  lastMessage: { id: string | null; text: string; senderId: number | null; sentAt: string } | null;
  unreadCount: number;
}

/** Received attachments have members of these types. All others can be any JSON that a user wrote. */
export interface Attachment {
  /** `image`, `video`, `audio` or `file`. */
  type: string;
  /** `uid` of a blob. */
  id?: string;
  uid?: string;
  /** Any text; `files.link()` makes it an address for links and images. */
  url?: string;
  name?: string;
  /** Bytes. */
  size?: number;
  /** Pixels. */
  width?: number;
  height?: number;
  /** Seconds. */
  duration?: number;
  contentType?: string;
  [member: string]: unknown;
}

/** What a message contains. Text, attachments, or both. */
export interface MessageContent {
  text?: string;
  attachments?: Attachment[];
  customFields?: Record<string, unknown>;
}

export interface Reaction {
  name: string;
  count: number;
  own: boolean;
}

/** A message as the service stores it. */
export interface SentMessage {
  id: string;
  dialogId: string;
  senderId: number;
  text: string;
  attachments: Attachment[];
  /** Any JSON that the sender wrote. */
  customFields: Record<string, unknown>;
  /** ISO 8601. */
  createdAt: string;
  isEdited: boolean;
  readIds: number[];
  deliveredIds: number[];
  reactions: Reaction[];
}

/**
 * A message to show. `pending`: in the outbox; `sent`: stored by the service; `failed`: refused, until `retry` or
 * `discard`.
 */
export interface Message extends SentMessage {
  /** Stays the same when a pending message is stored. */
  key: string;
  state: 'pending' | 'sent' | 'failed';
  error?: { code: AtriumErrorCode; message: string };
}

export interface Page<Item> {
  items: Item[];
  hasMore: boolean;
  /** Pass it as `after` (or `before`) for the next page. */
  cursor: string | null;
}
