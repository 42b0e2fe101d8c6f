// The public interface of the package; `src/embedded/types.ts` contains its types.
import { EmbeddedAtrium } from './embedded/embedded.ts';
import type { Atrium, AtriumOptions } from './embedded/types.ts';

export type { Atrium, AtriumCredentials, AtriumOptions } from './embedded/types.ts';

/** Creates a service to mount in a server of yours. @throws an option is invalid; the message names it */
export function createAtrium(options: AtriumOptions): Atrium {
  return new EmbeddedAtrium(options);
}
