import { isObjectType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { schema } from '../../src/schema/index.ts';

interface Extensions {
  pothosPrismaSelect?: Record<string, unknown>;
}

const selectOf = ({ extensions }: { extensions: unknown }) =>
  Object.keys((extensions as Extensions).pothosPrismaSelect || {});

const types = Object.values(schema.getTypeMap()).filter(isObjectType);

describe('types that list their columns', () => {
  test.each(types.filter((type) => selectOf(type).length > 0).map((type) => [type.name, type] as const))(
    '%s lists every column that its fields read, so that all documents share one statement',
    (_name, type) => {
      const read = Object.values(type.getFields()).flatMap(selectOf);
      expect(selectOf(type)).toEqual(expect.arrayContaining(read));
    },
  );
});
