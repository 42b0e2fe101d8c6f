import type { IdentifiedContext } from '../../context.ts';
import type { ClassDefinition } from '../classes/catalogue.ts';
import { indexName } from '../classes/compound-indexes.ts';
import type { FilterTest, RecordCondition } from './filter.ts';
import { conjunctsOf, isRange } from './index-use.ts';

/** Notes for the request log which class a list reads, and which index it lacks. */
export function noteList(
  { facts }: Pick<IdentifiedContext, 'facts'>,
  definition: ClassDefinition,
  condition: RecordCondition,
  sortedBy: string | undefined,
): void {
  if (!facts || facts.list) return;
  facts.list = {
    className: definition.name,
    missingIndex: () => compoundIndexFor(definition, condition, sortedBy) ?? singleIndexFor(definition, sortedBy),
  };
}

/** Fields with exact values, then the one that sorts, or else the one with a range; null if that is a single one. */
export function compoundIndexFor(
  definition: ClassDefinition,
  condition: RecordCondition,
  sortedBy?: string,
): string[] | null {
  const tests = conjunctsOf(condition).filter((test): test is FilterTest => 'field' in test);
  const exact = tests.filter(({ operator }) => operator === 'eq').map(({ field }) => field.name);
  const range = tests.find((test) => isRange(test))?.field.name;
  const last = [sortedBy, range].find((name) => hasOrder(definition, name));
  const first = exact
    .filter((name) => hasOrder(definition, name) && name !== last)
    .slice(0, last === undefined ? 3 : 2);
  const fields = [...new Set(last === undefined ? first : [...first, last])];
  const exists = definition.indexes.some((index) => indexName(index) === fields.join(','));
  return fields.length < 2 || exists ? null : fields;
}

function singleIndexFor(definition: ClassDefinition, sortedBy: string | undefined): string[] {
  const isMissing = hasOrder(definition, sortedBy) && definition.fields.get(sortedBy)!.slot === null;
  return isMissing ? [sortedBy] : [];
}

function hasOrder({ fields }: ClassDefinition, name: string | undefined): name is string {
  const field = name === undefined ? undefined : fields.get(name);
  return field !== undefined && !field.isArray && field.type !== 'Location' && field.type !== 'File';
}
