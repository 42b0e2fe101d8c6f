import {
  type Actor,
  type Deleted,
  type DialogUpdate,
  type Kind,
  type Marking,
  type MessageUpdate,
  type ModelDialog,
  type ModelMessage,
  Refusal,
  type Sending,
  type Window,
} from './records.ts';

/** The contract of the chat with plain sets and lists, without seqs, counters or watermarks. */
export class ChatModel {
  readonly users: number[];
  /** Includes deleted dialogs, so that they are requested too. */
  readonly everyDialog: ModelDialog[] = [];
  readonly everyMessage: ModelMessage[] = [];
  readonly #sent = new Map<string, ModelMessage>();
  #dialogs: ModelDialog[] = [];
  now: number;

  constructor(users: number[], now: number) {
    this.users = users;
    this.now = now;
  }

  mayEnter(actor: Actor, dialog: ModelDialog): boolean {
    return this.#dialogs.includes(dialog) && isOccupant(actor, dialog);
  }

  isVisible(actor: Actor, message: ModelMessage): boolean {
    return this.mayEnter(actor, message.dialog) && this.visible(actor, message.dialog).includes(message);
  }

  /** @throws {Refusal} the dialog does not exist, or the actor may not read it */
  dialog(actor: Actor, id: string): ModelDialog {
    const dialog = this.#dialogs.find((one) => one.id === id);
    if (!dialog) throw new Refusal(404);
    if (!isOccupant(actor, dialog)) throw new Refusal(403);
    return dialog;
  }

  visible(actor: Actor, dialog: ModelDialog): ModelMessage[] {
    return dialog.messages.filter(({ hiders }) => actor === 'key' || !hiders.has(actor));
  }

  unread(user: number, dialog: ModelDialog): number {
    if (dialog.kind === 'PUBLIC_GROUP' || !dialog.occupants.has(user)) return 0;
    return this.visible(user, dialog).filter(({ sender, readers }) => sender !== user && !readers.has(user)).length;
  }

  unreadOf(user: number, ids: string[]): number {
    const open = this.#dialogs.filter((dialog) => ids.includes(dialog.id) && isOccupant(user, dialog));
    if (open.length === 0) throw new Refusal(404);
    return open.reduce((sum, dialog) => sum + this.unread(user, dialog), 0);
  }

  /** Groups and private dialogs that are not hidden, latest activity first. */
  list(user: number): ModelDialog[] {
    const activeAt = (dialog: ModelDialog) => this.visible(user, dialog).at(-1)?.createdAt ?? dialog.createdAt;
    return this.#dialogs
      .filter(({ kind, occupants, hiders }) => kind !== 'PUBLIC_GROUP' && occupants.has(user) && !hiders.has(user))
      .sort((a, b) => activeAt(b) - activeAt(a) || (a.id < b.id ? 1 : -1));
  }

  /** @param id of the dialog, if one is created */
  createDialog(actor: Actor, kind: Kind, others: number[], name: string, id: string): string {
    const user = requireUser(actor);
    if (kind !== 'PUBLIC_GROUP' && others.length === 0) throw new Refusal(422);
    const without = others.filter((other) => other !== user);
    if (kind === 'PRIVATE') {
      if (without.length !== 1) throw new Refusal(422);
      const dialog = this.privateDialog(user, without[0]!, id);
      dialog.hiders.delete(user);
      return dialog.id;
    }
    const occupants = kind === 'PUBLIC_GROUP' ? this.users : [user, ...without];
    this.#add({ ...this.#empty(id, user), kind, name, occupants: new Set(occupants) });
    return id;
  }

  /** @param newId of the dialog, if one is created */
  privateDialog(user: number, other: number, newId: string): ModelDialog {
    const isTheirs = ({ kind, occupants }: ModelDialog) =>
      kind === 'PRIVATE' && occupants.has(user) && occupants.has(other);
    const existing = this.#dialogs.find(isTheirs);
    if (existing) return existing;
    return this.#add({ ...this.#empty(newId, user), kind: 'PRIVATE', name: null, occupants: new Set([user, other]) });
  }

  /** @param answer the ids that the service assigned to the message and its dialog */
  send(actor: Actor, sending: Sending, answer: { id: string; dialogId: string }): { id: string; dialogId: string } {
    const user = requireUser(actor);
    const { dialogId, recipientId, text, clientId } = sending;
    if (dialogId === undefined && recipientId === user) throw new Refusal(422);
    if (text === '') throw new Refusal(422);
    const key = `${user} ${clientId}`;
    const known = clientId === undefined ? undefined : this.#sent.get(key);
    if (dialogId !== undefined) this.dialog(user, dialogId);
    if (known) {
      const { id, dialog } = this.message(user, known.id);
      return { id, dialogId: dialog.id };
    }
    const dialog =
      dialogId === undefined ? this.privateDialog(user, recipientId!, answer.dialogId) : this.dialog(user, dialogId);
    const own = dialog.kind === 'PUBLIC_GROUP' ? [] : [user];
    const message: ModelMessage = {
      id: answer.id,
      dialog,
      sender: user,
      text,
      createdAt: this.now,
      updatedAt: this.now,
      readers: new Set(own),
      receivers: new Set(own),
      hiders: new Set(),
      reactions: [],
    };
    dialog.messages.push(message);
    dialog.hiders.clear();
    this.everyMessage.push(message);
    if (clientId !== undefined) this.#sent.set(key, message);
    return { id: message.id, dialogId: dialog.id };
  }

  /** @throws {Refusal} the message does not exist, or the actor may not read it */
  message(actor: Actor, id: string): ModelMessage {
    const message = this.find(id);
    if (!message || (actor !== 'key' && message.hiders.has(actor))) throw new Refusal(404);
    if (!isOccupant(actor, message.dialog)) throw new Refusal(403);
    return message;
  }

  find(id: string): ModelMessage | undefined {
    return this.#dialogs.flatMap(({ messages }) => messages).find((message) => message.id === id);
  }

  read(actor: Actor, { dialogId, skip, limit, direction, markAsRead }: Window): ModelMessage[] {
    const dialog = this.dialog(actor, dialogId);
    const ordered = direction === 'desc' ? this.visible(actor, dialog).reverse() : this.visible(actor, dialog);
    const page = ordered.slice(skip, skip + limit);
    if (markAsRead && actor !== 'key') mark(page, actor, { read: true, delivered: true });
    return page;
  }

  updateMessages(actor: Actor, ids: string[], { dialogId, text, ...marking }: MessageUpdate): void {
    const marks = marking.read !== undefined || marking.delivered !== undefined;
    if (!marks && text === undefined) throw new Refusal(400);
    if (marks) requireUser(actor);
    const known = ids
      .map((id) => this.find(id))
      .filter((one) => one !== undefined)
      .filter(({ hiders }) => actor === 'key' || !hiders.has(actor))
      .filter(({ dialog }) => dialogId === undefined || dialog.id === dialogId);
    if (known.length === 0) throw new Refusal(404);
    if (known.some(({ dialog }) => !isOccupant(actor, dialog))) throw new Refusal(403);
    if (text !== undefined && known.some(({ sender }) => actor !== 'key' && sender !== actor)) throw new Refusal(403);
    if (actor !== 'key') mark(known, actor, marking);
    if (text !== undefined) for (const message of known) Object.assign(message, { text, updatedAt: this.now });
  }

  markAll(actor: Actor, dialogId: string, marking: Marking): void {
    const user = requireUser(actor);
    if (marking.read === undefined && marking.delivered === undefined) throw new Refusal(400);
    mark(this.dialog(user, dialogId).messages, user, marking);
  }

  deleteMessages(actor: Actor, ids: string[], force: boolean): Deleted {
    if (!force) requireUser(actor);
    const result = sort(ids, (id) => {
      const message = this.find(id);
      if (!message || (!force && message.hiders.has(actor as number))) return 'notFound';
      const { dialog, sender } = message;
      const mayForAll = sender === actor || (dialog.kind !== 'PRIVATE' && isAdmin(actor, dialog)) || actor === 'key';
      return isOccupant(actor, dialog) && (!force || mayForAll) ? 'deleted' : 'wrongPermissions';
    });
    for (const message of result.deleted.map((id) => this.find(id)!)) {
      if (force) message.dialog.messages = message.dialog.messages.filter((one) => one !== message);
      else message.hiders.add(actor as number);
    }
    return result;
  }

  /** Applies both changes or none, removal first. */
  changeReactions(actor: Actor, id: string, add: string | undefined, remove: string | undefined): void {
    const user = requireUser(actor);
    if (add === undefined && remove === undefined) throw new Refusal(400);
    const message = this.message(user, id);
    const isOwn = (name: string | undefined) => (one: { user: number; name: string }) =>
      one.user === user && one.name === name;
    if (remove !== undefined) {
      if (!message.reactions.some(isOwn(remove))) throw new Refusal(404);
      message.reactions = message.reactions.filter((one) => !isOwn(remove)(one));
    }
    if (add !== undefined && !message.reactions.some(isOwn(add))) message.reactions.push({ user, name: add });
  }

  /** Adds occupants before removing others; changes admins last. */
  updateDialog(actor: Actor, id: string, update: DialogUpdate): void {
    const dialog = this.dialog(actor, id);
    const { name, addOccupantIds = [], removeOccupantIds = [], addAdminIds = [], removeAdminIds = [] } = update;
    const { kind, occupants, admins } = dialog;
    const isOwner = actor === 'key' || actor === dialog.owner;
    const isOccupantsTurn = kind === 'GROUP' || (kind === 'PUBLIC_GROUP' && isOwner);
    const allowed: [isGiven: boolean, isAllowed: boolean][] = [
      [name !== undefined || addOccupantIds.length > 0 || removeOccupantIds.includes(actor as number), isOccupantsTurn],
      [removeOccupantIds.some((one) => one !== actor), kind === 'GROUP' ? isAdmin(actor, dialog) : isOccupantsTurn],
      [addAdminIds.length + removeAdminIds.length > 0, kind !== 'PRIVATE' && isOwner],
    ];
    if (allowed.some(([isGiven, isAllowed]) => isGiven && !isAllowed)) throw new Refusal(403);
    if (name !== undefined) dialog.name = name;
    if (kind === 'GROUP') {
      for (const one of addOccupantIds) occupants.add(one);
      for (const one of removeOccupantIds) occupants.delete(one);
    }
    for (const one of addAdminIds) if (occupants.has(one)) admins.add(one);
    for (const one of removeAdminIds) admins.delete(one);
    this.#settle(dialog);
  }

  deleteDialog(actor: Actor, id: string, force: boolean): void {
    if (this.deleteDialogs(actor, [id], force).wrongPermissions.length > 0) throw new Refusal(403);
  }

  /** Skips dialogs that may not be deleted. */
  deleteDialogs(actor: Actor, ids: string[], force: boolean): Deleted {
    if (!force) requireUser(actor);
    const result = sort(ids, (id) => {
      const dialog = this.#dialogs.find((one) => one.id === id);
      if (!dialog) return 'notFound';
      const isOwner = actor === 'key' || dialog.owner === actor;
      const isAllowed = force ? isOwner : dialog.kind !== 'PUBLIC_GROUP' && isOccupant(actor, dialog);
      return isAllowed ? 'deleted' : 'wrongPermissions';
    });
    for (const dialog of result.deleted.map((id) => this.#dialogs.find((one) => one.id === id)!)) {
      if (force) this.#destroy(dialog);
      else if (dialog.kind === 'PRIVATE') dialog.hiders.add(actor as number);
      else {
        dialog.occupants.delete(actor as number);
        this.#settle(dialog);
      }
    }
    return result;
  }

  /** Removes admins who are not occupants; a group passes from a leaving owner to another occupant, or is deleted. */
  #settle(dialog: ModelDialog): void {
    const { occupants, admins } = dialog;
    for (const admin of admins) if (!occupants.has(admin)) admins.delete(admin);
    if (occupants.size === 0) this.#destroy(dialog);
    else if (!occupants.has(dialog.owner)) dialog.owner = Math.min(...(admins.size > 0 ? admins : occupants));
  }

  #destroy(dialog: ModelDialog): void {
    this.#dialogs = this.#dialogs.filter((one) => one !== dialog);
  }

  #empty(id: string, owner: number) {
    return { id, owner, admins: new Set<number>(), hiders: new Set<number>(), messages: [], createdAt: this.now };
  }

  #add(dialog: ModelDialog): ModelDialog {
    this.#dialogs.push(dialog);
    this.everyDialog.push(dialog);
    return dialog;
  }
}

function isOccupant(actor: Actor, { occupants }: ModelDialog): boolean {
  return actor === 'key' || occupants.has(actor);
}

function isAdmin(actor: Actor, { owner, admins }: ModelDialog): boolean {
  return actor === 'key' || actor === owner || admins.has(actor);
}

function requireUser(actor: Actor): number {
  if (actor === 'key') throw new Refusal(422);
  return actor;
}

function mark(messages: ModelMessage[], user: number, { read, delivered }: Marking): void {
  for (const { readers, receivers, dialog } of messages) {
    if (dialog.kind === 'PUBLIC_GROUP') continue;
    if (read !== undefined) read ? readers.add(user) : readers.delete(user);
    if (delivered !== undefined) delivered ? receivers.add(user) : receivers.delete(user);
  }
}

/** @throws {Refusal} none of them exists */
function sort(ids: string[], fate: (id: string) => keyof Deleted): Deleted {
  const distinct = [...new Set(ids)];
  const those = (wanted: keyof Deleted) => distinct.filter((id) => fate(id) === wanted);
  const result = {
    deleted: those('deleted'),
    notFound: those('notFound'),
    wrongPermissions: those('wrongPermissions'),
  };
  if (result.notFound.length === distinct.length) throw new Refusal(404);
  return result;
}
