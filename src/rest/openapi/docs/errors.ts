import { ForbiddenError, UnprocessableError } from '../../../lib/errors.ts';
import { problem } from '../../../lib/problems.ts';
import { MAX_IDS } from '../../../lib/string-ids.ts';
import { PAGE_SIZE } from '../../parameters/pages.ts';

export const undefinedClass = new ForbiddenError('CLASS_UNDEFINED');

/** Classes and records have their own text for a missing permission. */
export const notAllowed = new ForbiddenError('OPERATION_FORBIDDEN');

export const tooManyIds = new UnprocessableError(problem('TOO_MANY_IDS', { max: MAX_IDS }));

export const badPageSize = new UnprocessableError(PAGE_SIZE);
