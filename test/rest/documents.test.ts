import { validate } from 'graphql';
import { expect, test } from 'vitest';
import { routes } from '../../src/rest/index.ts';
import { operationOf } from '../../src/rest/operations.ts';
import { operationAccess, schema } from '../../src/schema/index.ts';

// The service trusts these documents at its start.

test.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
  'the document of %s is valid and has one root field with declared access',
  (_name, route) => {
    expect(validate(schema, route.document).map(({ message }) => message)).toEqual([]);
    expect(operationAccess.get(operationOf(route).field)).toBeDefined();
  },
);
