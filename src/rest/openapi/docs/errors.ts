import { ForbiddenError } from '../../../lib/errors.ts';

export const undefinedClass = new ForbiddenError('Undefined class');

/** The missing permission as classes and records tell it. */
export const notAllowed = new ForbiddenError("You don't have appropriate permissions to do this operation");
