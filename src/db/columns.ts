import { Prisma } from '../generated/prisma/client.ts';
import { snakeCase } from '../lib/snake-case.ts';

declare const ROW: unique symbol;

export type RowSql<Row> = Prisma.Sql & { readonly [ROW]: Row };

/** Other values in the SQL add no columns. */
export type RowOf<Values extends readonly unknown[]> = [Reader<Values[number]>] extends [never]
  ? unknown
  : Reader<Values[number]> extends (row: infer Row) => void
    ? { [Name in keyof Row]: Row[Name] }
    : never;
/** Contravariant, so that inference intersects the row types. */
type Reader<Value> = Value extends RowSql<infer Row> ? (row: Row) => void : never;

type Scalars<Model extends Prisma.ModelName> = Prisma.TypeMap['model'][Model]['payload']['scalars'];

type FieldOf<Model extends Prisma.ModelName> = keyof Scalars<Model> & string;

/** Aliased to the field names; default: all. Call it once, not per statement. */
export function columnsOf<Model extends Prisma.ModelName, Field extends FieldOf<Model>>(
  model: Model,
  table: string,
  fields: readonly Field[] = fieldsOf(model) as Field[],
): RowSql<Pick<Scalars<Model>, Field>> {
  const list = fields.map((name) => `${table}.${snakeCase(name)} AS "${name}"`);
  return Prisma.raw(list.join(', ')) as RowSql<Pick<Scalars<Model>, Field>>;
}

/** All but these, so that a new column is selected unless it is named here. */
export function columnsWithout<Model extends Prisma.ModelName, Field extends FieldOf<Model>>(
  model: Model,
  table: string,
  without: readonly Field[],
): RowSql<Omit<Scalars<Model>, Field>> {
  const fields = fieldsOf(model).filter((name) => !(without as readonly string[]).includes(name));
  return columnsOf(model, table, fields) as unknown as RowSql<Omit<Scalars<Model>, Field>>;
}

/** Columns and values of an INSERT, the application aside. Does not compile without a value for each column. */
export function insertion<Model extends Prisma.ModelName>(
  values: Record<Exclude<FieldOf<Model>, 'applicationId'>, string>,
) {
  const names = Object.keys(values).map(snakeCase);
  return { columns: Prisma.raw(names.join(', ')), values: Prisma.raw(Object.values<string>(values).join(', ')) };
}

function fieldsOf<Model extends Prisma.ModelName>(model: Model): FieldOf<Model>[] {
  return Object.values(Prisma[`${model}ScalarFieldEnum`]) as FieldOf<Model>[];
}

interface ValueTypes {
  boolean: boolean;
  int: number;
  float: number;
  bigint: bigint;
  text: string;
  time: Date;
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

export function columns<const Declared extends Record<string, readonly [TypeName, string]>>(
  declared: Declared,
): RowSql<{ -readonly [Name in keyof Declared]: ValueOf<Declared[Name][0]> }> {
  const list = Object.entries(declared).map(([name, [, sql]]) => `${sql} AS "${name}"`);
  return Prisma.raw(list.join(', ')) as RowSql<{ -readonly [Name in keyof Declared]: ValueOf<Declared[Name][0]> }>;
}

export function column<Name extends string, Type extends TypeName>(
  name: Name,
  _type: Type,
  value: Prisma.Sql,
): RowSql<{ [Key in Name]: ValueOf<Type> }> {
  return new Prisma.Sql(['', ` AS "${name}"`], [value]) as RowSql<{ [Key in Name]: ValueOf<Type> }>;
}

export function withJson<Json extends object>() {
  return <Row extends Record<keyof Json, unknown>>(columns: RowSql<Row>) =>
    columns as unknown as RowSql<Omit<Row, keyof Json> & Json>;
}

export function orNull<Row>(columns: RowSql<Row>): RowSql<{ [Name in keyof Row]: Row[Name] | null }> {
  return columns as unknown as RowSql<{ [Name in keyof Row]: Row[Name] | null }>;
}

export function select<Values extends unknown[]>(
  strings: TemplateStringsArray,
  ...values: Values
): RowSql<RowOf<Values>> {
  return Prisma.sql(strings, ...values) as RowSql<RowOf<Values>>;
}

export function unionAll<Row>(parts: RowSql<Row>[]): RowSql<Row> {
  return Prisma.join(parts, ' UNION ALL ') as RowSql<Row>;
}
