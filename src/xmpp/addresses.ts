export interface UserAddress {
  kind: 'user';
  applicationId: number;
  userId: number;
  resource: string | undefined;
}

export interface RoomAddress {
  kind: 'room';
  applicationId: number;
  dialogId: string;
  nick: string | undefined;
}

export type Address = UserAddress | RoomAddress | { kind: 'service' };

const MAX_LENGTH = 3_071;
export const MAX_RESOURCE = 255;

const USER = /^([1-9]\d{0,9})-([1-9]\d{0,9})$/;
const ROOM = /^([1-9]\d{0,9})_([0-9a-f]{24})$/;

/** Reads and writes the addresses of a domain. */
export class ChatAddresses {
  readonly domain: string;
  readonly roomDomain: string;

  constructor(domain: string) {
    this.domain = domain;
    this.roomDomain = `muc.${domain}`;
  }

  /** Undefined for addresses of other domains, and malformed ones. */
  parse(text: string): Address | undefined {
    if (text.length > MAX_LENGTH) return undefined;
    const slash = text.indexOf('/');
    const bare = (slash < 0 ? text : text.slice(0, slash)).toLowerCase();
    const resource = slash < 0 ? undefined : text.slice(slash + 1);
    const at = bare.indexOf('@');
    const local = at < 0 ? '' : bare.slice(0, at);
    const domain = bare.slice(at + 1);
    if (at < 0) return domain === this.domain ? { kind: 'service' } : undefined;
    if (domain === this.roomDomain) {
      const [, applicationId, dialogId] = ROOM.exec(local) ?? [];
      return dialogId === undefined
        ? undefined
        : { kind: 'room', applicationId: Number(applicationId), dialogId, nick: resource };
    }
    const user = domain === this.domain ? readLocalPart(local) : undefined;
    return user && { kind: 'user', ...user, resource };
  }

  user({ applicationId, userId }: Pick<UserAddress, 'applicationId' | 'userId'>, resource?: string | null): string {
    const bare = `${userId}-${applicationId}@${this.domain}`;
    return resource ? `${bare}/${resource}` : bare;
  }

  room({ applicationId, dialogId }: Pick<RoomAddress, 'applicationId' | 'dialogId'>, userId?: number): string {
    const room = `${applicationId}_${dialogId}@${this.roomDomain}`;
    return userId === undefined ? room : `${room}/${userId}`;
  }
}

/** `1-92`: user 1 of application 92. */
export function readLocalPart(local: string): Pick<UserAddress, 'applicationId' | 'userId'> | undefined {
  const [, userId, applicationId] = USER.exec(local) ?? [];
  return userId === undefined ? undefined : { userId: Number(userId), applicationId: Number(applicationId) };
}
