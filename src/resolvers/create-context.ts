import type { Context, Services } from '../context.ts';
import type { Viewer } from '../lib/access.ts';
import { Loaders } from '../lib/loaders.ts';

type Call = Omit<Context, keyof Services | 'viewer' | 'loaders'>;

/** Inherits the services, because copying them costs 10% of a short request. */
export function createContext(services: Services, viewer: Viewer, call: Call): Context {
  return Object.assign(Object.create(services) as Services, { viewer, loaders: new Loaders(viewer) }, call);
}

/**
 * `{ ...context, ...changes }` would lack the services. Does not inherit from the context, because V8 keeps a hidden class
 * for each prototype, and tens of thousands of subscribers hold a context.
 */
export function deriveContext<Known extends Context, Changes extends Partial<Context>>(
  context: Known,
  changes: Changes,
): Known & Changes {
  return Object.assign(Object.create(Object.getPrototypeOf(context)) as Known, context, changes);
}
