import { Prisma } from '../../db/client.ts';
import { sqlState } from '../../db/failures.ts';
import { query } from '../../db/query.ts';
import type { IdentifiedViewer } from '../../lib/access.ts';
import { UnprocessableError } from '../../lib/errors.ts';
import { problem } from '../../lib/problems.ts';
import type { ClassDefinition } from '../classes/catalogue.ts';
import { presentedType, type StoredValue, type TypedField } from '../classes/values.ts';
import { readable } from './access.ts';
import { COMMON_COLUMNS } from './conditions.ts';
import { type FilterField, fieldNamed } from './filter.ts';

const FUNCTIONS = {
  avg: Prisma.sql`avg`,
  min: Prisma.sql`min`,
  max: Prisma.sql`max`,
  sum: Prisma.sql`sum`,
} as const;

export type GroupFunction = keyof typeof FUNCTIONS;

export interface Calculation {
  field: string;
  function: GroupFunction;
}

export interface RecordGrouping {
  where: Prisma.Sql;
  by: string;
  calculations: Calculation[];
  skip: number;
  limit: number;
}

export interface RecordGroup {
  value: unknown;
  count: number;
  /** In the order of the calculations; null if no record of the group has the field. */
  results: (number | null)[];
}

/** Sorted ascending, unset last. @throws {UnprocessableError} unknown field, or a sum out of range */
export async function groupRecords(
  definition: ClassDefinition,
  viewer: IdentifiedViewer,
  { where, by, calculations, skip, limit }: RecordGrouping,
): Promise<RecordGroup[]> {
  const field = fieldNamed(by, definition.fields);
  if (!field) throw new UnprocessableError('GROUP_FIELD_UNKNOWN');
  const results = calculations.map(({ field: name, function: calculation }) => {
    const of = definition.fields.get(name);
    const isNumber = of && !of.isArray && (of.type === 'Integer' || of.type === 'Float');
    if (!isNumber) throw new UnprocessableError(problem('CALCULATION_INCORRECT', { field: name }));
    return Prisma.sql`${FUNCTIONS[calculation]}((r.fields -> ${name})::float8)::float8`;
  });
  const grouped = query<{ value: unknown; count: number; results: (number | null)[] | null }>`
    SELECT grouped.value, count(*)::int AS count,
      ${results.length > 0 ? Prisma.sql`json_build_array(${Prisma.join(results)})` : Prisma.sql`'[]'::json`} AS results
    FROM records r, LATERAL (SELECT ${groupColumn(field)} AS value) grouped
    WHERE ${where} AND ${readable(definition, viewer)}
    GROUP BY grouped.value ORDER BY grouped.value ASC NULLS LAST LIMIT ${limit} OFFSET ${skip}`;
  const rows = await grouped.catch((error) => {
    const isOutOfRange = sqlState(error) === '22003';
    throw isOutOfRange
      ? new UnprocessableError(problem('CALCULATION_INCORRECT', { field: calculations[0]!.field }))
      : error;
  });
  return rows.map(({ value, count, results: calculated }) => ({
    value: presentValue(field, value),
    count,
    results: calculated ?? [],
  }));
}

/** `created_at` and `updated_at` are Unix seconds, as in all responses. */
function groupColumn({ name, type }: FilterField): Prisma.Sql {
  if (!Object.hasOwn(COMMON_COLUMNS, name)) return Prisma.sql`(r.fields -> ${name})`;
  const { column } = COMMON_COLUMNS[name]!;
  return type === 'Moment' ? Prisma.sql`floor(extract(epoch FROM ${column}))::float8` : column;
}

function presentValue(field: FilterField, value: unknown): unknown {
  if (value === null || Object.hasOwn(COMMON_COLUMNS, field.name)) return value;
  return presentedType(field as TypedField, value as StoredValue);
}
