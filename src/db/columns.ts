import { Prisma } from '../generated/prisma/client.ts';

declare const ROW: unique symbol;

/** SQL that gives rows of this type: a select list, or a statement with select lists in it. */
export type RowSql<Row> = Prisma.Sql & { readonly [ROW]: Row };

/** The rows that select lists give side by side; other values in the SQL add nothing. */
export type RowOf<Values extends readonly unknown[]> = [Reader<Values[number]>] extends [never]
  ? unknown
  : Reader<Values[number]> extends (row: infer Row) => void
    ? { [Name in keyof Row]: Row[Name] }
    : never;
/** What reads the rows of each, so that inferring its parameter joins them. */
type Reader<Value> = Value extends RowSql<infer Row> ? (row: Row) => void : never;

type Scalars<Model extends Prisma.ModelName> = Prisma.TypeMap['model'][Model]['payload']['scalars'];

/**
 * Columns of a model under the names and with the types of its fields; default: all. The schema maps each of them to its
 * name in snake case. Call it once, not for each statement.
 * @param table its alias in the statement
 */
export function columnsOf<Model extends Prisma.ModelName, Field extends keyof Scalars<Model> & string>(
  model: Model,
  table: string,
  fields?: readonly Field[],
): RowSql<Pick<Scalars<Model>, Field>> {
  const names: readonly string[] = fields ?? Object.values(Prisma[`${model}ScalarFieldEnum`]);
  return Prisma.raw(names.map((name) => `${table}.${snakeCase(name)} AS "${name}"`).join(', ')) as RowSql<
    Pick<Scalars<Model>, Field>
  >;
}

/** The columns of a model, as the database names them. */
export function columnNames<Model extends Prisma.ModelName>(
  model: Model,
  without: readonly (keyof Scalars<Model> & string)[],
): string[] {
  const fields: string[] = Object.values(Prisma[`${model}ScalarFieldEnum`]);
  return fields.filter((field) => !(without as readonly string[]).includes(field)).map(snakeCase);
}

interface ValueTypes {
  boolean: boolean;
  int: number;
  float: number;
  bigint: bigint;
  text: string;
  time: Date;
  /** As pages are sorted by. */
  'sort key': string | number | Date;
  json: unknown;
  'int[]': number[];
  'text[]': string[];
}
type TypeName = keyof ValueTypes | `${keyof ValueTypes} | null`;
type ValueOf<Type extends TypeName> = Type extends keyof ValueTypes
  ? ValueTypes[Type]
  : Type extends `${infer Known extends keyof ValueTypes} | null`
    ? ValueTypes[Known] | null
    : never;

/** Computed columns that take no values; each is the type and the SQL. */
export function columns<const Declared extends Record<string, readonly [TypeName, string]>>(
  declared: Declared,
): RowSql<{ -readonly [Name in keyof Declared]: ValueOf<Declared[Name][0]> }> {
  const list = Object.entries(declared).map(([name, [, sql]]) => `${sql} AS "${name}"`);
  return Prisma.raw(list.join(', ')) as RowSql<{ -readonly [Name in keyof Declared]: ValueOf<Declared[Name][0]> }>;
}

/** A computed column. */
export function column<Name extends string, Type extends TypeName>(
  name: Name,
  _type: Type,
  value: Prisma.Sql,
): RowSql<{ [Key in Name]: ValueOf<Type> }> {
  return new Prisma.Sql(['', ` AS "${name}"`], [value]) as RowSql<{ [Key in Name]: ValueOf<Type> }>;
}

/** Columns with the types of what their JSON holds. */
export function withJson<Json extends object>() {
  return <Row extends Record<keyof Json, unknown>>(columns: RowSql<Row>) =>
    columns as unknown as RowSql<Omit<Row, keyof Json> & Json>;
}

/** Columns of a table that an outer join may not find. */
export function orNull<Row>(columns: RowSql<Row>): RowSql<{ [Name in keyof Row]: Row[Name] | null }> {
  return columns as unknown as RowSql<{ [Name in keyof Row]: Row[Name] | null }>;
}

/** A statement, or a part of one, that gives rows of the type of its select lists. */
export function select<Values extends unknown[]>(
  strings: TemplateStringsArray,
  ...values: Values
): RowSql<RowOf<Values>> {
  return Prisma.sql(strings, ...values) as RowSql<RowOf<Values>>;
}

export function unionAll<Row>(parts: RowSql<Row>[]): RowSql<Row> {
  return Prisma.join(parts, ' UNION ALL ') as RowSql<Row>;
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
