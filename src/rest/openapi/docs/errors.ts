import { ForbiddenError } from '../../../lib/errors.ts';

export const undefinedClass = new ForbiddenError('CLASS_UNDEFINED');

/** Classes and records have their own text for a missing permission. */
export const notAllowed = new ForbiddenError('OPERATION_FORBIDDEN');
