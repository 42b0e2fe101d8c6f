import { access } from './access.ts';
import { ai } from './ai.ts';
import { chat } from './chat.ts';
import { deletions } from './deletions.ts';
import { files } from './files.ts';
import type { Operation } from './operation.ts';
import { people } from './people.ts';
import { places } from './places.ts';
import { pushes } from './pushes.ts';
import { records } from './records.ts';

/** Every operation of REST, in an order in which their examples succeed one after the other. */
export const operations: Operation[] = [
  ...people,
  ...chat,
  ...records,
  ...files,
  ...places,
  ...pushes,
  ...ai,
  ...access,
  ...deletions,
];

const byName = new Map(operations.map((operation) => [operation.name, operation]));

export function operationOn(name: string): Operation {
  const operation = byName.get(name);
  if (!operation) throw new Error(`test/support/operations has no entry for ${name}`);
  return operation;
}
