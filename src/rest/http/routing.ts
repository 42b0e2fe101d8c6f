import createRouter from 'find-my-way';
import { type Rules, rulesOf } from '../operations.ts';
import type { Route } from './route.ts';

/** An endpoint, and what the schema says of its operation. */
export interface Endpoint {
  endpoint: Route;
  rules: Rules;
}

/** The endpoint that a path leads to, with the values in the path. */
export interface Found extends Endpoint {
  params: Record<string, string>;
}

/** One of those whose paths differ in the names and forms of their values alone. */
interface Candidate extends Endpoint {
  names: string[];
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * Finds endpoints by paths without suffix: however many there are, a path is walked once. Fixed words come before values;
 * of endpoints that differ in the forms of their values the first one serves that fits.
 */
export class Routing {
  // A list of ids is as long as it may be; the server bounds the whole path.
  readonly #router = createRouter({ caseSensitive: true, maxParamLength: Number.MAX_SAFE_INTEGER });

  constructor(endpoints: Endpoint[]) {
    const candidates = new Map<string, Candidate[]>();
    for (const one of endpoints) {
      const { method, path } = one.endpoint;
      const names: string[] = [];
      const shape = path.replace(/:(\w+)/g, (_value, name) => `:${names.push(name) - 1}`);
      const key = `${method} ${shape}`;
      const alike = candidates.get(key) ?? [];
      alike.push({ ...one, names });
      if (alike.length === 1) this.#router.on(method.toUpperCase() as Method, shape, leadsTo, alike);
      candidates.set(key, alike);
    }
  }

  /** @param url path and query; undefined for a path that leads nowhere, or can't be decoded */
  find(method: string | undefined, url: string): Found | undefined {
    const match = this.#router.find((method === 'HEAD' ? 'GET' : method) as Method, url);
    // For the router a value may be empty.
    if (!match || Object.values(match.params).includes('')) return undefined;
    for (const { endpoint, rules, names } of match.store as Candidate[]) {
      const params: Record<string, string> = {};
      for (const [nth, name] of names.entries()) params[name] = match.params[nth]!;
      if (isMeant(endpoint, params)) return { endpoint, rules, params };
    }
    return undefined;
  }
}

export function routingOf(routes: Route[]): Routing {
  return new Routing(routes.map((endpoint) => ({ endpoint, rules: rulesOf(endpoint) })));
}

/** The router wants one; whoever asks it serves the request. */
function leadsTo(): void {}

/** Whether the values of a path are those that the endpoint is for. */
function isMeant({ several, only }: Route, params: Record<string, string>): boolean {
  if (several && !params.ids!.includes(',')) return false;
  return !only || Object.entries(only).every(([name, form]) => form.test(params[name]!));
}
