import { randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { DecryptionError, Encrypter } from '../../platform/encryption/encrypter.ts';
import { KEY_BYTES } from '../../platform/encryption/keys.ts';
import { ArchiveError } from './archive-error.ts';
import type { ArchiveHeader } from './format.ts';
import { type ArchivedTable, type NamedRow, ownerColumn, type Secret } from './tables.ts';

type Encryption = ArchiveHeader['secrets'];

/** Known plaintext of the proof in the header: decrypting it shows that the key is right. */
const PROOF = 'atrium';
const PROOF_DATA = 'archive';
const SALT_BYTES = 16;
/** 64 MiB of memory and some tenths of a second per guess. */
const SCRYPT = { N: 2 ** 16, r: 8, p: 1, maxmem: 128 * 2 ** 20 };

export class EncryptedSecrets {
  readonly #service: Encrypter;
  readonly #archive: Encrypter;

  private constructor(service: Encrypter, archive: Encrypter) {
    this.#service = service;
    this.#archive = archive;
  }

  static async create(
    service: Encrypter,
    passphrase: string | undefined,
  ): Promise<{ secrets: EncryptedSecrets; encryption: Encryption }> {
    const salt = randomBytes(SALT_BYTES).toString('hex');
    const archive = passphrase === undefined ? ofService(service) : await ofPassphrase(passphrase, salt);
    const proof = archive.encrypt(PROOF, PROOF_DATA);
    const encryption: Encryption =
      passphrase === undefined ? { sealedWith: 'key', proof } : { sealedWith: 'passphrase', salt, proof };
    return { secrets: new EncryptedSecrets(service, archive), encryption };
  }

  /** @throws {ArchiveError} the passphrase is missing or wrong, or ENCRYPTION_KEY differs */
  static async open(
    service: Encrypter,
    encryption: Encryption,
    passphrase: string | undefined,
  ): Promise<EncryptedSecrets> {
    if (encryption.sealedWith === 'passphrase' && passphrase === undefined) {
      throw new ArchiveError('the archive is encrypted with a passphrase: specify --passphrase-file');
    }
    const archive =
      encryption.sealedWith === 'passphrase' ? await ofPassphrase(passphrase!, encryption.salt) : ofService(service);
    try {
      archive.decrypt(encryption.proof, PROOF_DATA);
    } catch (error) {
      if (!(error instanceof DecryptionError)) throw error;
      throw new ArchiveError(
        encryption.sealedWith === 'passphrase'
          ? 'wrong passphrase'
          : 'the archive was written with another ENCRYPTION_KEY: use that key, or export with --passphrase-file',
      );
    }
    return new EncryptedSecrets(service, archive);
  }

  toArchive(table: ArchivedTable, columns: string[], values: (string | null)[]): (string | null)[] {
    return carried(table, columns, values, (text, place, { additionalData }, row) =>
      this.#archive.encrypt(additionalData ? this.#service.decrypt(text, additionalData(row)) : text, place),
    );
  }

  fromArchive(
    table: ArchivedTable,
    columns: string[],
    values: (string | null)[],
    change: (secret: string, about: Secret, row: NamedRow) => string,
  ): (string | null)[] {
    return carried(table, columns, values, (text, place, about, row) => {
      const secret = change(this.#archive.decrypt(text, place), about, row);
      return about.additionalData ? this.#service.encrypt(secret, about.additionalData(row)) : secret;
    });
  }
}

type Carry = (text: string, place: string, secret: Secret, row: NamedRow) => string;

function carried(
  { name, secrets = {} }: ArchivedTable,
  columns: string[],
  values: (string | null)[],
  carry: Carry,
): (string | null)[] {
  const row = Object.fromEntries(columns.map((column, place) => [column, values[place]!]));
  return values.map((text, place) => {
    const column = columns[place]!;
    const secret = secrets[column];
    if (!secret || text === null) return text;
    const identity = [row[ownerColumn(name)], row.id, row.environment, row.provider].filter((part) => part != null);
    return carry(text, `archive ${name}.${column} ${identity.join(' ')}`, secret, row);
  });
}

function ofService(service: Encrypter): Encrypter {
  return service.forPurpose('archive');
}

async function ofPassphrase(passphrase: string, salt: string): Promise<Encrypter> {
  const derive = promisify<string, Buffer, number, typeof SCRYPT, Buffer>(scrypt);
  return new Encrypter(await derive(passphrase.normalize('NFC'), Buffer.from(salt, 'hex'), KEY_BYTES, SCRYPT));
}
