import type { Context, Services } from '../context.ts';
import type { Viewer } from '../lib/access.ts';
import { Loaders } from '../lib/loaders.ts';

type Call = Omit<Context, keyof Services | 'viewer' | 'loaders'>;

/** Inherits the services, because copying them costs 10% of a short request. */
export function createContext(services: Services, viewer: Viewer, call: Call): Context {
  return deriveContext(services as Context, { viewer, loaders: new Loaders(viewer), ...call });
}

/** `{ ...context, ...changes }` would lack the services. */
export function deriveContext<Known extends Context, Changes extends Partial<Context>>(
  context: Known,
  changes: Changes,
): Known & Changes {
  return Object.assign(Object.create(context) as Known, changes);
}
