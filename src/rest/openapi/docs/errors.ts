import { ForbiddenError } from '../../../lib/errors.ts';

export const undefinedClass = new ForbiddenError('Undefined class');

/** Classes and records have their own text for a missing permission. */
export const notAllowed = new ForbiddenError("You don't have appropriate permissions to do this operation");
