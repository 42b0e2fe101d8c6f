import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { routes } from '../../../src/rest/index.ts';
import { schema } from '../../../src/schema/index.ts';
import { sql } from '../../support/app/sql.ts';

export interface Targets {
  className: string;
  texts: string[];
  numbers: number[];
}

export interface Crawled {
  kind: 'query' | 'mutation';
  path: string;
  document: string;
}

/** Every query and mutation, once per target id, with all leaf fields of the result. */
export function crawledOperations(targets: Targets): Crawled[] {
  const roots = [
    ['query', schema.getQueryType()!],
    ['mutation', schema.getMutationType()!],
  ] as const;
  return roots.flatMap(([kind, type]) =>
    Object.values(type.getFields()).flatMap((field) =>
      calls(field, targets).map((call) => ({
        kind,
        path: `${type.name}.${field.name}`,
        document: `${kind} { ${call} }`,
      })),
    ),
  );
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

function calls(field: GraphQLField<unknown, unknown>, targets: Targets): string[] {
  const isAsked = (name: string) => /id$|ids$|uid$/i.test(name);
  const given = field.args.filter((argument) => isRequiredArgument(argument) || isAsked(argument.name));
  const turns = Math.max(targets.texts.length, targets.numbers.length);
  const made = Array.from({ length: turns }, (_, turn) => {
    const values = given.map(({ name, type }) => `${name}: ${literal(name, type, targets, turn)}`);
    return field.name + (values.length > 0 ? `(${values.join(', ')})` : '') + selection(field.type, 3);
  });
  return [...new Set(made)];
}

/** A literal of the type; ids are target ids. */
function literal(name: string, type: GraphQLInputType, targets: Targets, turn: number): string {
  if (isNonNullType(type)) return literal(name, type.ofType as GraphQLInputType, targets, turn);
  if (isListType(type)) return `[${literal(name, type.ofType as GraphQLInputType, targets, turn)}]`;
  if (isEnumType(type)) return type.getValues()[0]!.name;
  if (isInputObjectType(type)) {
    const all = Object.values(type.getFields());
    const fields = type.isOneOf
      ? all.slice(0, 1)
      : all.filter((one) => isNonNullType(one.type) || /id$|ids$/i.test(one.name));
    return `{ ${fields.map((one) => `${one.name}: ${literal(one.name, one.type, targets, turn)}`).join(', ')} }`;
  }
  const { className, texts, numbers } = targets;
  switch (type.name) {
    case 'ID':
      return JSON.stringify(/blobId|externalUserId/.test(name) ? String(numbers[0]) : texts[turn % texts.length]);
    case 'Int':
    case 'SafeInt':
      return String(numbers[turn % numbers.length]);
    case 'Float':
    case 'Seconds':
    case 'UnixTime':
      return '1';
    case 'Boolean':
    case 'Flag':
      return 'true';
    case 'DateTime':
      return '"2026-01-01T00:00:00Z"';
    case 'JSON':
      return '{ make: "taken" }';
    default:
      return JSON.stringify(isClass(name) ? className : 'taken');
  }
}

/** Selects all leaf fields, and those of nested nodes, records, messages and events up to `depth` levels down. */
export function selection(type: GraphQLOutputType, depth: number): string {
  const named = getNamedType(type);
  if (isLeafType(named)) return '';
  if (!isObjectType(named) && !isInterfaceType(named)) return ' { __typename }';
  const parts = Object.values(named.getFields()).flatMap((field) => {
    if (field.args.some((argument) => isRequiredArgument(argument))) return [];
    const below = getNamedType(field.type);
    if (isLeafType(below)) return [field.name];
    return depth > 0 && /^(edges|node|items|records|messages|events)$/.test(field.name)
      ? [field.name + selection(field.type, depth - 1)]
      : [];
  });
  return ` { __typename ${parts.join(' ')} }`;
}

export async function rowsOf(applicationId: number): Promise<Set<string>> {
  const tables = await sql<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name = 'application_id'
       AND table_name NOT IN ('sessions', 'rate_limits', 'used_nonces', 'audit_chains')
       AND table_name NOT LIKE 'request\\_log%' ORDER BY 1`,
  );
  const ofEach = tables.map(
    ({ name }) =>
      `SELECT '${name} ' || (to_jsonb(t) - '{last_request_at,seq,hash}'::text[])::text AS row FROM "${name}" t WHERE application_id = $1`,
  );
  const rows = await sql<{ row: string }>(ofEach.join(' UNION ALL '), [applicationId]);
  return new Set(rows.map(({ row }) => row));
}
