import { sql } from '../../support/app/sql.ts';
import { callOf, type RootField, rootFields, selection } from '../../support/operations/root-fields.ts';
import { routes } from '../../support/operations/routes.ts';

export interface Targets {
  className: string;
  texts: string[];
  numbers: number[];
}

export interface Crawled {
  path: string;
  document: string;
}

/** Every query and mutation, once per target id, with all leaf fields of the result. */
export function crawledOperations(targets: Targets): Crawled[] {
  const roots = rootFields().filter(({ kind }) => kind !== 'subscription');
  return roots.flatMap((root) => callsOf(root, targets).map((document) => ({ path: root.path, document })));
}

export function crawledPaths({ className, texts, numbers }: Targets): [method: string, path: string][] {
  return routes.flatMap(({ method, path }) => {
    const names = [...path.matchAll(/:(\w+)/g)].map((match) => match[1]!);
    const ids = names.length === 0 ? [''] : [...texts, ...numbers];
    return ids.map((id): [string, string] => {
      const filled = path.replaceAll(/:(\w+)/g, (_match, name: string) => (isClass(name) ? className : String(id)));
      return [method.toUpperCase(), filled];
    });
  });
}

const isClass = (name: string) => /class|child/i.test(name) || name === 'name';

function callsOf({ kind, field }: RootField, { className, texts, numbers }: Targets): string[] {
  const turns = Array.from({ length: Math.max(texts.length, numbers.length) }, (_, turn) => turn);
  const documents = turns.map((turn) => {
    const number = String(numbers[turn % numbers.length]);
    const scalar = (type: string, name: string) => {
      if (type === 'Int' || type === 'SafeInt') return number;
      if (type === 'JSON') return '{ make: "taken" }';
      if (type === 'String') return JSON.stringify(isClass(name) ? className : 'taken');
      if (type !== 'ID') return undefined;
      return JSON.stringify(/blobId|externalUserId/.test(name) ? String(numbers[0]) : texts[turn % texts.length]);
    };
    const call = callOf(field, { isGiven: (name) => /id$|ids$|uid$/i.test(name), scalar });
    return `${kind} { ${call}${selection(field.type, 3)} }`;
  });
  return [...new Set(documents)];
}

export async function rowsOf(applicationId: number): Promise<Set<string>> {
  const tables = await sql<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name = 'application_id'
       AND table_name NOT IN ('sessions', 'rate_limits', 'used_nonces', 'audit_chains')
       AND table_name NOT LIKE 'request\\_%' ORDER BY 1`,
  );
  const ofEach = tables.map(
    ({ name }) =>
      `SELECT '${name} ' || (to_jsonb(t) - '{last_request_at,last_seen_at,last_used_at,seq,hash}'::text[])::text AS row FROM "${name}" t WHERE application_id = $1`,
  );
  const rows = await sql<{ row: string }>(ofEach.join(' UNION ALL '), [applicationId]);
  return new Set(rows.map(({ row }) => row));
}
