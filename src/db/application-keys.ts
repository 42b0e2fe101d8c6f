/** Where a statement names applications: positions of its parameters, from 0. */
type Keys = readonly number[];

const INSERTED = /INSERT INTO (?:"public"\.)?"?(\w+)"?(?: AS \w+)?\s{1,20}\(([^()]*)\)\s{1,20}VALUES (.*)/s;

const LISTED = /FROM "public"\."applications" AS "t0" WHERE \(?"t0"\."id" IN \(([^()]*)\)/;

const MAX_TEXTS = 5_000;
const keysByText = new Map<string, Keys>();

/** The applications that a statement names by parameters. */
export function applicationsOf(text: string, values: readonly unknown[]): number[] {
  const ids = new Set(keysOf(text).map((position) => Number(values[position])));
  return [...ids].filter(Number.isInteger);
}

/** The applications that Prisma looks up at once for several callers. */
export function listedApplications(text: string, values: readonly unknown[]): number[] {
  const [, list = ''] = LISTED.exec(text) ?? [];
  return [...list.matchAll(/\$(\d+)/g)].map(([, position]) => Number(values[Number(position) - 1]));
}

function keysOf(text: string): Keys {
  const cached = keysByText.get(text);
  if (cached) return cached;
  const keys = findKeys(text);
  if (keysByText.size < MAX_TEXTS) keysByText.set(text, keys);
  return keys;
}

function findKeys(text: string): Keys {
  const found = [
    ...text.matchAll(
      /\bapplication_id"? = \$(\d+)|"applications"\."id" = \$(\d+)|\bapplications a (?:ON|WHERE) a\.id = \$(\d+)/g,
    ),
    ...text.matchAll(/\(application_id, \w+(?:, \w+)*\) = \(\$(\d+)/g),
    ...text.matchAll(
      /FROM (?:"public"\."applications" AS "t0"|applications(?: a)?) WHERE \(*(?:"t0"\.|a\.)?"?id"? = \$(\d+)/g,
    ),
    ...text.matchAll(/INSERT INTO \w+(?: AS \w+)? \(application_id,[^()]*\)\s{1,20}SELECT \$(\d+)/g),
  ];
  const positions = found.map((match) => match.slice(1).find((group) => group !== undefined));
  return [...positions, ...insertedKeys(text)].map((position) => Number(position) - 1);
}

function insertedKeys(text: string): (string | undefined)[] {
  const [, table, columns = '', rows = ''] = INSERTED.exec(text) ?? [];
  const key = table === 'applications' ? 'id' : 'application_id';
  const place = columns.split(',').findIndex((column) => column.trim().replaceAll('"', '') === key);
  if (place < 0) return [];
  // Casts contain parentheses: `CAST($2::text AS …)`.
  const parameters = rows.split(/\), ?\(/).map((row) => [...row.matchAll(/\$(\d+)|DEFAULT|NULL|now\(\)/g)][place]?.[1]);
  return parameters.filter((position) => position !== undefined);
}
