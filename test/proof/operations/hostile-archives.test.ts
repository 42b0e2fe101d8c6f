import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import { pack } from 'tar-stream';
import { beforeAll, expect, test } from 'vitest';
import { hashSecret } from '../../../src/lib/tokens.ts';
import { Tally } from '../../../src/operator/archive/format.ts';
import { APPLICATION, running, useApp } from '../../support/app/app.ts';
import { cli } from '../../support/app/cli.ts';
import {
  allRows,
  currentInstallation,
  emptyInstallation,
  entriesOf,
  envOf,
  storeArchive,
  temporaryFolder,
  writeArchive,
} from '../../support/fixtures/archives.ts';
import { storeBlob } from '../../support/fixtures/blobs.ts';
import { createRecordCast, newCar } from '../../support/fixtures/cars.ts';
import { created } from '../../support/fixtures/chat-cast.ts';

useApp();

type Entries = [name: string, content: Buffer][];

let good: Entries;

beforeAll(async () => {
  const { olga, nina } = await createRecordCast();
  await newCar({ make: 'AB' }, olga);
  const { _id } = await created('/chat/Dialog', { type: 2, name: 'D', occupants_ids: nina.id }, olga);
  await created('/chat/Message', { chat_dialog_id: _id, message: 'hello' }, olga);
  await storeBlob(olga, 'hello');
  const file = join(running.dataDir, 'good.tar.gz');
  await writeArchive(file, currentInstallation(), { applicationId: APPLICATION.id });
  good = [...(await entriesOf(file))];
}, 600_000);

const DAMAGED = 'the archive is damaged, or was not written by this service';
const ID = APPLICATION.id;
const UNNAMED = `${ID}/files/0000005c/ab/${'ab'.repeat(16)}`;
const FILE = new RegExp(`^${ID}/files/`);

const changed = (entry: RegExp, from: string | RegExp, to: string) => (entries: Entries) =>
  entries.map(([name, content]): [string, Buffer] => {
    if (!entry.test(name)) return [name, content];
    const text = content.toString('latin1').replace(from, to);
    if (text === content.toString('latin1')) throw new Error(`${name} does not hold ${from}: ${text}`);
    return [name, Buffer.from(text, 'latin1')];
  });
const renamed = (entry: RegExp, to: string) => (entries: Entries) =>
  entries.map(([name, content]): [string, Buffer] => [entry.test(name) ? to : name, content]);
const without = (entry: RegExp) => (entries: Entries) => entries.filter(([name]) => !entry.test(name));
const twice = (entry: RegExp) => (entries: Entries) =>
  entries.flatMap((one) => (entry.test(one[0]) ? [one, one] : [one]));

// The counts and hashes are correct, so that each archive has only the named defect.
test.each<[name: string, change: (entries: Entries) => Entries, sentence: string]>([
  ['a newer format', changed(/^archive.json/, '"format": 1', '"format": 2'), 'the archive has format 2'],
  ['no format', changed(/^archive.json/, '"format": 1', '"format": "1"'), DAMAGED],
  ['a header that is not JSON', changed(/^archive.json/, '{', ''), DAMAGED],
  ['an unknown key in the header', changed(/^archive.json/, '"format"', '"more": 1, "format"'), DAMAGED],
  ['another application in the header', changed(/^archive.json/, `\n    ${ID}\n`, '\n    7\n'), DAMAGED],
  ['an invalid proof of the key', changed(/^archive.json/, /"v1\.[^"]+"/, '"v1.AAAA"'), 'with another ENCRYPTION_KEY'],
  ['a path upwards', renamed(/users/, `${ID}/../users/000001.ndjson`), DAMAGED],
  ['an absolute path', renamed(/users/, '/etc/passwd'), DAMAGED],
  ['a file outside', renamed(FILE, `${ID}/files/../../../../../../../../etc/cron.d/evil-file-0`), DAMAGED],
  ['a file of another application', renaming(FILE, (name) => name.replace(/files\/.{8}/, 'files/00000001')), DAMAGED],
  ['an unknown table', renamed(/users/, `${ID}/pg_authid/000001.ndjson`), 'unknown table pg_authid'],
  ['a table that is never archived', renamed(/users/, `${ID}/sessions/000001.ndjson`), 'unknown table sessions'],
  ['an entry of another application', renamed(/users/, '7/users/000001.ndjson'), DAMAGED],
  ['no row of the application', without(/applications/), DAMAGED],
  ['the application twice', twice(/applications/), DAMAGED],
  [
    'SQL as a column',
    changed(/users/, '"login"', '"login\\") SELECT 1; DROP TABLE users;--"'),
    'unknown column of users',
  ],
  [
    'a column that is never archived',
    changed(/applications/, '"name"', '"import_id"'),
    'unknown column of applications',
  ],
  ['a column twice', changed(/users/, '"login"', '"email"'), DAMAGED],
  ['a column missing', (entries) => withoutColumn(entries, /users/, 'created_at'), 'lacks the column created_at'],
  ['a value missing', changed(/users/, /("\d{4}-[^"]+\+00")/, 'null'), DAMAGED],
  ['a row too short', changed(/users/, /,[^,\n]+\]\n$/, ']\n'), DAMAGED],
  ['a row that is not a list', changed(/users/, /\n\[.*\]\n/, '\n{}\n'), DAMAGED],
  ['a value that is not text', changed(/users/, /\n\["(\d+)"/, '\n[$1'), DAMAGED],
  ['no line break at the end', changed(/users/, /\n$/, ''), DAMAGED],
  ['a row of another application', changed(/users/, `\n["${ID}"`, '\n["1"'), DAMAGED],
  ['an invalid number', changed(/members/, '"0"', '"0;"'), 'invalid value for members'],
  ['a zero character', changed(/users/, '"user', '"\\u0000user'), 'invalid value for users'],
  ['a file key of another application', changed(/blobs/, /"0000005c\//, '"00000001/'), DAMAGED],
  ['a file key that is a path', changed(/blobs/, /"0000005c\/[^"]+"/, '"../../secret"'), DAMAGED],
  [
    'record fields with a foreign file key behind an escape of JSON',
    changed(/records/, '{\\"make\\"', '{\\"x\\": {\\"\\\\u006bey\\": \\"00000001/..\\"}, \\"make\\"'),
    DAMAGED,
  ],
  [
    'record fields with a foreign file key',
    changed(/records/, '{\\"make\\"', '{\\"x\\": {\\"key\\": \\"00000001/..\\"}, \\"make\\"'),
    DAMAGED,
  ],
  [
    'a part with more rows than this service writes',
    (entries) => withRows(entries, /messages/, (rows) => [rows[0]!, ...Array<unknown[]>(20_000).fill(rows[1]!)]),
    DAMAGED,
  ],
  [
    'a file that no row names',
    (entries) => entries.flatMap((one) => (FILE.test(one[0]) ? [one, [UNNAMED, one[1]] satisfies Entries[0]] : [one])),
    'a file that no row names',
  ],
  ['a secret that is not encrypted', changed(/applications/, /"v1\.[^"]+"/, '"v1.AAAA"'), 'applications.auth_secret'],
  ['the same row twice', twice(/messages/), 'the import was removed'],
  ['a dialog missing', without(/dialogs/), 'the import was removed'],
])(
  'an archive with %s is rejected with one line, and nothing is changed',
  async (_name, change, sentence) => {
    const place = await emptyInstallation();
    const before = await allRows(place);
    const file = join(await temporaryFolder(), 'bad.tar.gz');
    await writeFile(file, await packed(recounted(change(good))));
    const refused = await storeArchive(file, place).catch((error: Error) => error.message);
    expect(refused).toContain(sentence);
    expect(refused).not.toContain('\n');
    expect(await allRows(place)).toEqual(before);
  },
  600_000,
);

test('an archive with an id that leaves few for other applications needs the trust of the operator', async () => {
  const place = await emptyInstallation();
  const file = join(await temporaryFolder(), 'bad.tar.gz');
  const before = await allRows(place);
  await writeFile(file, await packed(recounted(withLastValue(good, /\/users\//, 'id', '2147483647'))));
  const importing = storeArchive(file, place, { isTrusted: false });
  await expect(importing).rejects.toThrow('would leave few ids of public.users_id_seq for all applications');
  expect(await allRows(place)).toEqual(before);
  const client = new pg.Client(place.database);
  await client.connect();
  const { rows } = await client.query('SELECT last_value::int AS last FROM users_id_seq');
  await client.end();
  expect(rows).toEqual([{ last: 1 }]);
}, 600_000);

test('an archive that expands to many times its size needs the trust of the operator', async () => {
  const place = await emptyInstallation();
  const file = join(await temporaryFolder(), 'bad.tar.gz');
  const before = await allRows(place);
  const zeros = Buffer.alloc(65 * 1024 * 1024);
  const large = good.map(([name, content]) => [name, FILE.test(name) ? zeros : content] satisfies Entries[0]);
  await writeFile(file, await packed(recounted(large)));
  const importing = storeArchive(file, place, { isTrusted: false });
  await expect(importing).rejects.toThrow('the archive expands to more than 100 times its size; --trust accepts it');
  expect(await allRows(place)).toEqual(before);
  await storeArchive(file, place);
  expect((await allRows(place)).blobs).toHaveLength(1);
}, 600_000);

test('a valid archive packed by these tests is imported', async () => {
  const place = await emptyInstallation();
  const file = join(await temporaryFolder(), 'good.tar.gz');
  await writeFile(file, await packed(recounted(good)));
  await storeArchive(file, place);
  expect((await allRows(place)).messages).toHaveLength(1);
}, 600_000);

test('an archive from before compound indexes is imported', async () => {
  const place = await emptyInstallation();
  const file = join(await temporaryFolder(), 'older.tar.gz');
  const slots = Array.from({ length: 8 }, (_, nth) => `c${nth + 1}`);
  const older = slots.reduce((entries, slot) => withoutColumn(entries, /\/records\//, slot), good);
  await writeFile(file, await packed(recounted(without(/class_indexes/)(older))));
  await storeArchive(file, place);
  expect((await allRows(place)).records).toHaveLength(1);
}, 600_000);

test.each<[name: string, make: (archive: Buffer) => Buffer | Promise<Buffer>]>([
  ['zero bytes', () => Buffer.alloc(0)],
  ['JSON instead of gzip', () => Buffer.from('{"format": 1}')],
  ['a gzip of zeros, a thousand times its size', () => gzipSync(Buffer.alloc(64 * 1024 * 1024))],
  ['the first half', (archive) => archive.subarray(0, archive.length / 2)],
  ['all but the last byte', (archive) => archive.subarray(0, -1)],
  ['a value that does not match its checksum', async () => packed(changed(/messages/, 'hello', 'hallo')(good))],
  ['a file that does not match its checksum', async () => packed(changed(FILE, 'hello', 'hallo')(good))],
  ['one entry less', async () => packed(without(/messages/)(good))],
  ['no manifest', async () => packed(without(/manifest/)(good))],
  ['an entry after the manifest', async () => packed([...good, ['more', Buffer.from('more')]])],
  ['an overlong manifest', async () => packed(changed(/manifest/, /\n$/, ' '.repeat(100_000))(good))],
  ['a link', async () => packed(good, { linkname: '/etc/passwd', type: 'symlink', name: `${ID}/users/000001.ndjson` })],
  ['a very long name', async () => packed(good, { name: `${ID}/${'x'.repeat(100_000)}` })],
])(
  'an archive of %s is rejected with one line, and nothing is changed',
  async (_name, make) => {
    const place = await emptyInstallation();
    const before = await allRows(place);
    const file = join(await temporaryFolder(), 'bad.tar.gz');
    await writeFile(file, await make(await packed(good)));
    await expect(storeArchive(file, place)).rejects.toThrow(DAMAGED);
    expect(await allRows(place)).toEqual(before);
  },
  600_000,
);

/** The format has bits without meaning, for example before stored blocks. */
function hasSameContent(one: Buffer, other: Buffer): boolean {
  try {
    return gunzipSync(one).equals(gunzipSync(other));
  } catch {
    return false;
  }
}

test('an archive with one flipped bit anywhere is rejected with one line, and nothing is changed', async () => {
  const place = await emptyInstallation();
  const before = await allRows(place);
  const file = join(await temporaryFolder(), 'bad.tar.gz');
  const archive = await packed(good);
  for (let nth = 0; nth < 24; nth++) {
    const wrong = Buffer.from(archive);
    wrong[Math.floor((archive.length * (nth + 0.5)) / 24)]! ^= 4;
    if (hasSameContent(wrong, archive)) continue;
    await writeFile(file, wrong);
    // Data before the checksum may cause a different error, for example an invalid name.
    const refused = await storeArchive(file, place).catch((error: Error) => error.message);
    expect(refused).toMatch(/^(the )?archive [^\n]+$/);
  }
  expect(await allRows(place)).toEqual(before);
}, 600_000);

test('the import and export commands report errors in one line', async () => {
  const place = await emptyInstallation();
  const file = join(await temporaryFolder(), 'bad.tar.gz');
  await writeFile(file, 'no archive');
  const { code, stdout, stderr } = await cli(envOf(place), 'import', file);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(`atrium: ${DAMAGED}\n`);
  expect(await cli(envOf(currentInstallation()), 'export', file)).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/atrium: .*bad\.tar\.gz already exists\n$/),
  });
  expect(await cli(envOf(currentInstallation()), 'export', `${file}.other`, '--application', '7')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/atrium: application 7 does not exist\n$/),
  });
}, 600_000);

test.each([
  ['blobs', 'id 1 in blobs'],
  ['api_keys', 'the same key_hash in api_keys'],
])(
  'ids and keys of %s are unique across applications, so a conflicting import is rejected',
  async (table, sentence) => {
    const place = await emptyInstallation();
    const client = new pg.Client(place.database);
    await client.connect();
    await client.query(`INSERT INTO applications (id, name, auth_key, auth_secret, created_at, updated_at)
    VALUES (7, 'seventh', 'a', 's', now(), now())`);
    if (table === 'blobs') {
      await client.query(`INSERT INTO blobs (application_id, id, uid, user_id, name, content_type, is_public, created_at, updated_at)
      VALUES (7, 1, 'u', 1, 'n', 't', false, now(), now())`);
    } else {
      await client.query(
        'INSERT INTO api_keys (application_id, name, key_hash, created_at) VALUES (7, $1, $2, now())',
        ['one', hashSecret(APPLICATION.apiKey)],
      );
    }
    await client.end();
    const before = await allRows(place);
    const file = join(await temporaryFolder(), 'good.tar.gz');
    await writeFile(file, await packed(good));
    await expect(storeArchive(file, place)).rejects.toThrow(`application 7 already uses ${sentence}`);
    expect(await allRows(place)).toEqual(before);
  },
  600_000,
);

function renaming(entry: RegExp, rename: (name: string) => string) {
  return (entries: Entries) =>
    entries.map(([name, content]): [string, Buffer] => [entry.test(name) ? rename(name) : name, content]);
}

function withoutColumn(entries: Entries, entry: RegExp, column: string): Entries {
  return withRows(entries, entry, (rows) => {
    const place = rows[0]!.indexOf(column);
    return rows.map((row) => row.toSpliced(place, 1));
  });
}

function withLastValue(entries: Entries, entry: RegExp, column: string, value: string): Entries {
  return withRows(entries, entry, (rows) => {
    const last = rows.at(-1)!.with(rows[0]!.indexOf(column), value);
    return rows.with(-1, last);
  });
}

function withRows(entries: Entries, entry: RegExp, change: (rows: unknown[][]) => unknown[][]): Entries {
  return entries.map(([name, content]) => {
    if (!entry.test(name)) return [name, content];
    const lines = content.toString().trimEnd().split('\n');
    const rows = change(lines.map((line) => JSON.parse(line) as unknown[]));
    return [name, Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))];
  });
}

function recounted(entries: Entries): Entries {
  const header = entries.find(([name]) => name === 'archive.json')![1];
  const tally = new Tally(header);
  for (const [name, content] of entries) {
    const [, id, table, key] = /^(\d+)\/(?:(\w+)\/\d+\.ndjson|files\/(.*))$/.exec(name) ?? [];
    const rows = content.toString().trimEnd().split('\n').length - 1;
    const sha256 = createHash('sha256').update(content).digest('hex');
    if (table) tally.addRows(Number(id), table, rows, content);
    else if (key) tally.addFile(Number(id), { key, size: content.length, sha256 });
  }
  const manifest = Buffer.from(`${JSON.stringify(tally.manifest(), null, 2)}\n`);
  return entries.map(([name, content]) => [name, name === 'manifest.json' ? manifest : content]);
}

async function packed(
  entries: Entries,
  first?: { name: string; type?: 'symlink'; linkname?: string },
): Promise<Buffer> {
  const tar = pack();
  if (first) tar.entry(first, first.type ? '' : 'x');
  for (const [name, content] of entries) tar.entry({ name, mode: 0o600 }, content);
  tar.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of tar) chunks.push(chunk as Buffer);
  return gzipSync(Buffer.concat(chunks));
}
