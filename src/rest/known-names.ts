import { isEnumType, isInputObjectType, isInterfaceType, isObjectType } from 'graphql';
import { keptCatalogue } from '../resolvers/classes/catalogue.ts';
import { schema } from '../schema/index.ts';
import { routes } from './index.ts';
import type { ObjectSchema, Schema } from './openapi/docs/schemas.ts';

/** Operators of filters, which have no name in the schema or in the documentation of parameters. */
const OPERATORS = 'all and calc contains ctn eq gt gte in lt lte ne near nin notIn or'.split(' ');

let ofService: ReadonlySet<string> | undefined;

/** Whether the name is one of the schema, of the paths and parameters of REST, or of a class of the application. */
export function isKnownName(name: string, applicationId: number): boolean {
  ofService ??= namesOfService();
  const bare = name.replace(/^[$@]/, '');
  if (ofService.has(bare)) return true;
  const classes = keptCatalogue(applicationId)?.byName;
  if (!classes) return false;
  return classes.has(bare) || [...classes.values()].some(({ fields }) => fields.has(bare));
}

function namesOfService(): Set<string> {
  const names = [...namesOfSchema()];
  const legacy = names.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  const parameters = routes.flatMap(({ docs }) => [docs.query, docs.body].flatMap((one) => (one ? keysOf(one) : [])));
  const segments = routes.flatMap(({ path }) => path.split('/').filter((one) => !one.startsWith(':')));
  return new Set([...names, ...legacy, ...parameters, ...segments, ...OPERATORS, 'json']);
}

function namesOfSchema(): Set<string> {
  const names = new Set(schema.getDirectives().flatMap((one) => [one.name, ...one.args.map(({ name }) => name)]));
  for (const type of Object.values(schema.getTypeMap())) {
    names.add(type.name);
    if (isEnumType(type)) for (const { name } of type.getValues()) names.add(name);
    if (isInputObjectType(type)) for (const name of Object.keys(type.getFields())) names.add(name);
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const { name, args } of Object.values(type.getFields())) {
      names.add(name);
      for (const arg of args) names.add(arg.name);
    }
  }
  return names;
}

function keysOf({ properties }: ObjectSchema): string[] {
  return Object.entries(properties).flatMap(([name, schema]) => [
    ...name.split(/[^\w]+/),
    ...(isObject(schema) ? keysOf(schema) : []),
  ]);
}

function isObject(schema: Schema): schema is ObjectSchema {
  return typeof schema.properties === 'object' && schema.properties !== null;
}
