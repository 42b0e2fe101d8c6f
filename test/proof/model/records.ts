export type Kind = 'PUBLIC_GROUP' | 'GROUP' | 'PRIVATE';

/** A user's id, or the API key alone. */
export type Actor = number | 'key';

export interface ModelDialog {
  id: string;
  kind: Kind;
  name: string | null;
  owner: number;
  /** In a public group everybody is one. */
  occupants: Set<number>;
  admins: Set<number>;
  /** Who has a private dialog out of their list. */
  hiders: Set<number>;
  /** In the order in which the dialog got them. */
  messages: ModelMessage[];
  createdAt: number;
}

export interface ModelMessage {
  id: string;
  dialog: ModelDialog;
  sender: number;
  text: string;
  createdAt: number;
  updatedAt: number;
  readers: Set<number>;
  receivers: Set<number>;
  /** Who has deleted it for themselves. */
  hiders: Set<number>;
  /** In the order of adding. */
  reactions: { user: number; name: string }[];
}

/** What somebody may not do, by the legacy status that says so. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: 400 | 403 | 404 | 422) {
    super(`refused: ${status}`);
    this.status = status;
  }
}

export interface Marking {
  read?: boolean;
  delivered?: boolean;
}

export interface MessageUpdate extends Marking {
  dialogId?: string;
  text?: string;
}

export interface Sending {
  dialogId?: string;
  recipientId?: number;
  text: string;
  clientId?: string;
}

export interface Window {
  dialogId: string;
  skip: number;
  limit: number;
  newestFirst: boolean;
  marks: boolean;
}

export interface DialogUpdate {
  name?: string;
  addOccupants?: number[];
  removeOccupants?: number[];
  addAdmins?: number[];
  removeAdmins?: number[];
}

export interface Deleted {
  deleted: string[];
  notFound: string[];
  wrongPermissions: string[];
}
