import { addTo, removeFrom } from '../lib/collections.ts';
import { MAX_LISTED, type RoomChange, type Rooms } from '../realtime/rooms.ts';
import type { ChatAddresses } from './addresses.ts';
import { NS } from './xml/element.ts';
import { tag, type Xml } from './xml/writer.ts';

interface Room {
  applicationId: number;
  dialogId: string;
}

export interface RoomFacts {
  isPublic: boolean;
  ownerId: number;
}

export interface JoinedRoom {
  leave: () => void;
  ownerId: number;
}

/** A resource that joins rooms. */
export interface RoomMember {
  readonly viewer: { applicationId: number; userId: number };
  readonly resource: string;
  readonly address: string;
  readonly addresses: ChatAddresses;
  readonly joined: Map<string, JoinedRoom>;
  send: (element: Xml) => unknown;
}

/** The streams of this process in each room, which learn of joins and leaves in any process. */
export class RoomStreams {
  readonly #rooms: Rooms;
  readonly #streams = new Map<string, Set<RoomMember>>();
  readonly #public = new Set<string>();
  #stopListening: (() => void) | undefined;

  constructor(rooms: Rooms) {
    this.#rooms = rooms;
  }

  /** Has no effect on a resource that has joined before. */
  join(stream: RoomMember, room: Room, { isPublic, ownerId }: RoomFacts): void {
    const { dialogId } = room;
    if (stream.joined.has(dialogId)) return;
    this.#stopListening ??= this.#rooms.onChange((change) => this.#notice(change));
    const key = keyOf(room);
    if (isPublic) this.#public.add(key);
    // The others are notified before, so that the resource does not see itself.
    const { applicationId, userId } = stream.viewer;
    const release = this.#rooms.join(dialogId, { applicationId, userId, resource: stream.resource });
    addTo(this.#streams, key, stream);
    const leave = () => {
      stream.joined.delete(dialogId);
      removeFrom(this.#streams, key, stream);
      if (!this.#streams.has(key)) this.#public.delete(key);
      release();
    };
    stream.joined.set(dialogId, { leave, ownerId });
  }

  /** Users in the room other than the one of the stream; none if joins and leaves are not sent there. */
  others({ viewer }: RoomMember, room: Room, isPublic: boolean): number[] {
    const joined = this.#rooms.joined(room.applicationId, room.dialogId);
    return isPublic && joined.length > MAX_LISTED ? [] : joined.filter((userId) => userId !== viewer.userId);
  }

  stop(): void {
    this.#stopListening?.();
  }

  #notice(change: RoomChange): void {
    if (!('dialogId' in change)) return;
    const key = keyOf(change);
    const streams = this.#streams.get(key);
    if (!streams) return;
    if (this.#public.has(key) && this.#rooms.joined(change.applicationId, change.dialogId).length > MAX_LISTED) return;
    for (const stream of streams) {
      if (stream.viewer.userId === change.userId) continue;
      stream.send(occupantPresence(stream.addresses, { ...change, to: stream.address }));
    }
  }
}

function keyOf({ applicationId, dialogId }: Room): string {
  return `${applicationId}:${dialogId}`;
}

interface OccupantPresence extends Room {
  userId: number;
  to: string;
  isJoined: boolean;
  /** Of the request that it answers. */
  id?: string | undefined;
  isOwn?: boolean;
}

/** Clients expect the code of their own presence first. */
export function occupantPresence(
  addresses: ChatAddresses,
  { applicationId, dialogId, userId, to, isJoined, id, isOwn = false }: OccupantPresence,
): Xml {
  const from = addresses.room({ applicationId, dialogId }, userId);
  const item = isJoined
    ? { affiliation: 'member', role: 'participant', nick: userId }
    : { affiliation: 'member', role: 'none' };
  return tag(
    'presence',
    { xmlns: NS.client, from, to, type: isJoined ? undefined : 'unavailable', id },
    tag('x', { xmlns: NS.mucUser }, tag('item', item), ...(isOwn ? [tag('status', { code: 110 })] : [])),
  );
}
