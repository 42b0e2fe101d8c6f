export type Kind = 'PUBLIC_GROUP' | 'GROUP' | 'PRIVATE';

export type Actor = number | 'key';

export interface ModelDialog {
  id: string;
  kind: Kind;
  name: string | null;
  owner: number;
  /** Empty for a public group: every user is an occupant. */
  occupants: Set<number>;
  admins: Set<number>;
  /** Users who have hidden the private dialog. */
  hiders: Set<number>;
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
  /** Users who have deleted it for themselves. */
  hiders: Set<number>;
  reactions: { user: number; name: string }[];
}

/** A rejected operation, with its legacy status. */
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
  direction: 'desc' | undefined;
  markAsRead: boolean;
}

export interface DialogUpdate {
  name?: string;
  addOccupantIds?: number[];
  removeOccupantIds?: number[];
  addAdminIds?: number[];
  removeAdminIds?: number[];
}

export interface Deleted {
  deleted: string[];
  notFound: string[];
  wrongPermissions: string[];
}
