import type { Parameters } from '../lib/bracket-keys.ts';
import { readFlag, readInteger, readText } from '../lib/casts.ts';
import { UnprocessableError } from '../lib/errors.ts';
import { isObject } from '../lib/json.ts';
import { problem } from '../lib/problems.ts';
import {
  anything,
  described,
  flag,
  mapOf,
  type ObjectSchema,
  requestObject,
  type Schema,
  text,
  WRONG_TYPE,
} from './openapi/docs/schemas.ts';
import { count, incorrectSort, isCount, readWindow, window } from './parameters/lists.ts';
import { open, tableOf, together } from './parameters/table.ts';
import { readCriteria } from './record-forms.ts';

const namesOf = (description: string): Schema => ({ type: ['string', 'array'], items: text, description });

export const recordFilters: ObjectSchema = {
  ...mapOf(anything),
  description:
    'Filters by a field of the class, `_id`, `_parent_id`, `user_id`, `created_at` or `updated_at`: a value, or operators ' +
    'such as `year[gt]=2000`. Operators: `lt`, `lte`, `gt`, `gte`, `ne`, `in`, `nin` and `or`; for arrays also `all`, for ' +
    'strings `ctn`, for locations `near` with `<lat>,<lon>;<metres>`.',
};

/** Reads the members to return, too, which `presentListed` selects. */
export const recordOutput = tableOf(
  {
    output: described(
      requestObject({
        include: namesOf('Members to return, besides `_id`.'),
        exclude: namesOf('Members to omit.'),
      }),
      'Members to return or to omit, separated by commas: `output[include]=make,year`.',
    ),
    permissions: described(flag, '1 includes the permissions of each record. Default 0.'),
  },
  (parameters) => ({ permissions: asksForPermissions(parameters) }),
);

const sort = (description: string): Schema => ({ ...text, description, [WRONG_TYPE]: incorrectSort });

export const recordListing = {
  ...open(
    together(
      tableOf(
        {
          sort_asc: sort('Field to sort by, in ascending order.'),
          sort_desc: sort('Field to sort by, in descending order; takes precedence over `sort_asc`.'),
          group_by: described(
            text,
            'Field to group by. `<field>[calc]=avg` calculates a value per group: `avg`, `min`, `max` or `sum`.',
          ),
        },
        () => ({}),
      ),
      window,
      count,
      recordOutput,
    ),
    recordFilters,
  ),
  read: readListing,
};

export function asksForPermissions({ permissions }: Parameters): boolean {
  return readFlag(permissions) === true;
}

function readListing(parameters: Parameters) {
  const { by, calculations, criteria } = readGrouping(parameters);
  const count = isCount(parameters);
  return {
    criteria,
    orderBy: readRecordOrder(parameters),
    ...readRecordWindow(parameters),
    count,
    groups: !count && by !== undefined,
    items: !count && by === undefined,
    by: by ?? '',
    calculations,
    permissions: asksForPermissions(parameters),
  };
}

function readRecordOrder(parameters: Parameters) {
  const descending = readText(parameters.sort_desc);
  const field = descending || readText(parameters.sort_asc);
  return field ? { field, direction: descending ? ('DESC' as const) : ('ASC' as const) } : undefined;
}

/** Like `readWindow`, but `limit=-1` selects the last record of the order. */
function readRecordWindow(parameters: Parameters) {
  const lastOnly = readInteger(parameters.limit) === -1;
  const { limit, skip } = readWindow(parameters);
  return { limit: lastOnly ? 1 : limit, skip, lastOnly };
}

const FUNCTIONS = { avg: 'AVG', min: 'MIN', max: 'MAX', sum: 'SUM' } as const;

interface Calculation {
  field: string;
  function: (typeof FUNCTIONS)[keyof typeof FUNCTIONS];
}

/** `group_by=make&value[calc]=avg` @throws {UnprocessableError} `Incorrect filter: <field>[calc]` */
export function readGrouping(parameters: Parameters) {
  const criteria = readCriteria(parameters);
  const by = readText(parameters.group_by) || undefined;
  const calculations: Calculation[] = [];
  if (by === undefined) return { by, calculations, criteria };
  for (const [field, requested] of Object.entries(criteria)) {
    if (!isObject(requested) || requested.calc === undefined) continue;
    const { calc, ...filters } = requested;
    const name = readText(calc) ?? '';
    if (!Object.hasOwn(FUNCTIONS, name))
      throw new UnprocessableError(problem('FILTER_INCORRECT', { filter: `${field}[calc]` }));
    calculations.push({ field, function: FUNCTIONS[name as keyof typeof FUNCTIONS] });
    criteria[field] = Object.assign(Object.create(null), filters);
  }
  return { by, calculations, criteria };
}
