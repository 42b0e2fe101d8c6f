import { MAX_PAGE } from '../../../lib/pagination.ts';
import type { FilterNames, FilterType } from '../../http/lists.ts';
import {
  asked,
  closed,
  described,
  flag,
  integer,
  listOf,
  moment,
  number,
  type ObjectSchema,
  oneOfTexts,
  type Schema,
  text,
  together,
} from './schemas.ts';

/** `page` and `per_page` (gaps §1.3). */
export const pageParameters = asked({
  page: { ...integer, minimum: 1, default: 1 },
  per_page: { ...integer, minimum: 1, maximum: MAX_PAGE, default: 10 },
});

/** A page of items. */
export function pageOf(items: Schema): ObjectSchema {
  return closed({ current_page: integer, per_page: integer, total_entries: integer, items: listOf(items) });
}

/** `limit` and `skip`, which are never refused but applied as far as they can be. */
export const windowParameters = asked({
  limit: { ...integer, default: MAX_PAGE, description: `1 to ${MAX_PAGE}; anything else counts as ${MAX_PAGE}.` },
  skip: { ...integer, default: 0 },
});

/** How many there are, instead of them. */
export const count = closed({ items: closed({ count: integer }) });

/** The parameters of a list with filters and an order (gaps §1.5). */
export function listParameters(filters: FilterNames, sorts: Record<string, string>): ObjectSchema {
  const fields = Object.fromEntries(Object.entries(filters).map(([name, [, type]]) => [name, filterOf(type)]));
  return together(asked(fields), orderParameters(Object.keys(sorts)), windowParameters, countParameter);
}

export const countParameter = asked({ count: described(flag, 'Answer only how many there are.') });

function orderParameters(names: string[]): ObjectSchema {
  const name = oneOfTexts(names);
  return asked({ sort_asc: name, sort_desc: described(name, 'Counts if both are given.') });
}

const VALUES: Record<FilterType, Schema> = {
  id: text,
  integer,
  text,
  moment,
  unixTime: number,
  integers: integer,
  texts: text,
};

/** A value that the field has to have, or operators with their arguments: `name[ctn]=x`. */
function filterOf(type: FilterType): Schema {
  const value = VALUES[type];
  const list = described(text, 'A list: `1,2`.');
  const isList = type === 'integers' || type === 'texts';
  const operators = {
    ...(isList || type === 'text' ? {} : { lt: value, lte: value, gt: value, gte: value }),
    ne: value,
    in: list,
    nin: list,
    ...(isList ? { all: described(list, 'Holds every one of them.') } : {}),
    or: described(list, 'Equals one of them; several `[or]` are alternatives.'),
    ...(type === 'text' ? { ctn: described(text, 'Part of it, letter case ignored.') } : {}),
  };
  const names = Object.keys(operators).map((name) => `\`${name}\``);
  return {
    anyOf: [value, { ...asked(operators), additionalProperties: false }],
    description: `The value, or operators with theirs (\`[in]=…\`): ${names.join(', ')}.`,
  };
}
