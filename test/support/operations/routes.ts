import { Kind, print } from 'graphql';
import type { Route } from '../../../src/rest/http/route.ts';
import { routes } from '../../../src/rest/index.ts';
import { formPairs } from '../../../src/rest/openapi/forms.ts';
import { operationOf } from '../../../src/rest/operations.ts';

// The tests import the routes and their documentation only here.

export type { Route } from '../../../src/rest/http/route.ts';
export { legacySentence } from '../../../src/rest/legacy-sentences.ts';
export { SAMPLES } from '../../../src/rest/openapi/docs/samples.ts';
export { rulesOf } from '../../../src/rest/operations.ts';
export { routes };

/** `put /users/:id` */
export function nameOf({ method, path }: Route): string {
  return `${method} ${path}`;
}

const byName = new Map(routes.map((route) => [nameOf(route), route]));

export function routeOf(name: string): Route {
  const route = byName.get(name);
  if (!route) throw new Error(`src/rest has no route ${name}`);
  return route;
}

export function documentOf({ document }: Route): string {
  return print(document);
}

/** Names of the variables of the document. */
export function variablesOf({ document }: Route): Set<string> {
  const definitions = document.definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION ? (definition.variableDefinitions ?? []) : [],
  );
  return new Set(definitions.map(({ variable }) => variable.name.value));
}

type PathValues = Record<string, string | number>;

/** The path with its parameters; commas of lists remain. */
export function filledPath({ path }: Route, values: PathValues = {}): string {
  return path.replace(/:(\w+)/g, (_match, name: string) =>
    encodeURIComponent(values[name] ?? 'undefined').replaceAll('%2C', ','),
  );
}

/** Name of the operation in the OpenAPI document. */
export function operationIdOf(route: Route): string {
  const { name } = operationOf(route);
  return route.docs.operationId ?? name.charAt(0).toLowerCase() + name.slice(1);
}

type Pair = [name: string, value: unknown];

/** Values as pairs of a form with bracket keys; each item of a list is a pair. */
export function pairsOf(values: object): Pair[] {
  return Object.entries(values).flatMap(([name, value]) =>
    formPairs(name, value).flatMap(([key, one]): Pair[] =>
      Array.isArray(one) ? one.slice(0, 200).map((item) => [key, item]) : [[key, one]],
    ),
  );
}

export function formText(pairs: Pair[], textOf: (value: unknown) => string = String): string {
  return new URLSearchParams(pairs.map(([name, value]) => [name, textOf(value)])).toString();
}
