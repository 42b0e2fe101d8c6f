import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

const [IS_PRESENT, IS_VERIFIED, CAN_BE_BACKED_UP, IS_BACKED_UP, HAS_CREDENTIAL] = [1, 4, 8, 16, 64] as const;

interface Credential {
  id: string;
  privateKey: KeyObject;
  publicKey: KeyObject;
  userHandle: string;
  counter: number;
}

export interface CreationOptions {
  challenge: string;
  rp: { id: string };
  user: { id: string };
}

export interface RequestOptions {
  challenge: string;
  rpId: string;
  allowCredentials?: { id: string }[];
}

/** What an authenticator, a browser or an attacker does differently from a normal one. */
export interface Deviation {
  origin?: string;
  rpId?: string;
  type?: string;
  challenge?: string;
  isVerified?: boolean;
  isPresent?: boolean;
  counter?: number;
  /** Omits the user handle, or sends that of another account. */
  userHandle?: string | null;
  /** That of another credential. */
  id?: string;
  /** Signs with a key that the service does not know. */
  hasOtherKey?: boolean;
}

export interface Registration {
  id: string;
  clientDataJSON: string;
  attestationObject: string;
  transports: string[];
}

export interface Assertion {
  id: string;
  clientDataJSON: string;
  authenticatorData: string;
  signature: string;
  userHandle: string | null;
}

/** An authenticator with ES256 keys, together with the browser of one page (WebAuthn, level 3). */
export class SoftwareAuthenticator {
  readonly #origin: string;
  readonly #credentials = new Map<string, Credential>();
  /** Synchronized passkeys have no counter. */
  readonly #isCounting: boolean;

  constructor(origin: string, { isCounting = true } = {}) {
    this.#origin = origin;
    this.#isCounting = isCounting;
  }

  create({ challenge, rp, user }: CreationOptions, deviation: Deviation = {}): Registration {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { id = randomBytes(16).toString('base64url') } = deviation;
    this.#credentials.set(id, { id, privateKey, publicKey, userHandle: user.id, counter: 0 });
    const clientData = this.#clientData('webauthn.create', challenge, deviation);
    return {
      id,
      clientDataJSON: clientData.toString('base64url'),
      attestationObject: this.#attestation(id, rp.id, deviation).toString('base64url'),
      transports: ['internal'],
    };
  }

  /** Signs with the newest allowed credential. */
  get({ challenge, rpId, allowCredentials }: RequestOptions, deviation: Deviation = {}): Assertion {
    const isAllowed = ({ id }: Credential) => allowCredentials?.some((one) => one.id === id) ?? true;
    const credential = [...this.#credentials.values()].filter(isAllowed).at(-1)!;
    if (this.#isCounting) credential.counter++;
    const clientData = this.#clientData('webauthn.get', challenge, deviation);
    const data = authenticatorData(rpId, { ...deviation, counter: deviation.counter ?? credential.counter });
    const signed = Buffer.concat([data, sha256(clientData)]);
    const key = deviation.hasOtherKey
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
      : credential.privateKey;
    return {
      id: credential.id,
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: sign('sha256', signed, key).toString('base64url'),
      userHandle: deviation.userHandle === undefined ? credential.userHandle : deviation.userHandle,
    };
  }

  #clientData(type: string, challenge: string, deviation: Deviation): Buffer {
    const { origin = this.#origin } = deviation;
    const data = { type: deviation.type ?? type, challenge: deviation.challenge ?? challenge, origin };
    return Buffer.from(JSON.stringify({ ...data, crossOrigin: false }));
  }

  #attestation(id: string, rpId: string, deviation: Deviation): Buffer {
    const { publicKey } = this.#credentials.get(id)!;
    const rawId = Buffer.from(id, 'base64url');
    const length = Buffer.alloc(2);
    length.writeUInt16BE(rawId.length);
    const credential = Buffer.concat([Buffer.alloc(16), length, rawId, coseKey(publicKey)]);
    const authData = Buffer.concat([authenticatorData(rpId, deviation, HAS_CREDENTIAL), credential]);
    return cbor(
      new Map<string, Cbor>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ]),
    );
  }
}

function authenticatorData(rpId: string, deviation: Deviation, more = 0): Buffer {
  const { isPresent = true, isVerified = true, counter = 0 } = deviation;
  const flags = (isPresent ? IS_PRESENT : 0) | (isVerified ? IS_VERIFIED : 0) | CAN_BE_BACKED_UP | IS_BACKED_UP | more;
  const tail = Buffer.alloc(5);
  tail.writeUInt8(flags);
  tail.writeUInt32BE(counter, 1);
  return Buffer.concat([sha256(Buffer.from(deviation.rpId ?? rpId)), tail]);
}

/** COSE (RFC 9053): an elliptic curve key (2) for ES256 (-7) on P-256 (1). */
function coseKey(key: KeyObject): Buffer {
  const { x, y } = key.export({ format: 'jwk' }) as { x: string; y: string };
  return cbor(
    new Map<number, Cbor>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]),
  );
}

type Cbor = number | string | Buffer | Map<string | number, Cbor>;

/** RFC 8949, for the types that authenticators write. */
function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, one]) => [cbor(key), cbor(one)])]);
}

function head(type: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(type << 5) | length]);
  if (length < 256) return Buffer.from([(type << 5) | 24, length]);
  return Buffer.from([(type << 5) | 25, length >> 8, length & 255]);
}

function sha256(data: Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}
