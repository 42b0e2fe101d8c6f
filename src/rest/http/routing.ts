import createRouter from 'find-my-way';
import { type Rules, rulesOf } from '../operations.ts';
import type { Route } from './route.ts';

export interface Endpoint {
  route: Route;
  rules: Rules;
}

export interface RouteMatch extends Endpoint {
  params: Record<string, string>;
}

interface Candidate extends Endpoint {
  names: string[];
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Matches fixed words before values. Of endpoints that differ only in the forms of values, the first match wins. */
export class Routing {
  // Lists of ids are long; the server limits the length of the path.
  readonly #router = createRouter({ caseSensitive: true, maxParamLength: Number.MAX_SAFE_INTEGER });

  constructor(endpoints: Endpoint[]) {
    const candidates = new Map<string, Candidate[]>();
    for (const one of endpoints) {
      const { method, path } = one.route;
      const names: string[] = [];
      const shape = path.replace(/:(\w+)/g, (_value, name) => `:${names.push(name) - 1}`);
      const key = `${method} ${shape}`;
      const alike = candidates.get(key) ?? [];
      alike.push({ ...one, names });
      if (alike.length === 1) this.#router.on(method.toUpperCase() as Method, shape, unused, alike);
      candidates.set(key, alike);
    }
  }

  find(method: string | undefined, url: string): RouteMatch | undefined {
    const match = this.#router.find((method === 'HEAD' ? 'GET' : method) as Method, url);
    if (!match || Object.values(match.params).includes('')) return undefined;
    for (const { route, rules, names } of match.store as Candidate[]) {
      const params: Record<string, string> = {};
      for (const [nth, name] of names.entries()) params[name] = match.params[nth]!;
      if (accepts(route, params)) return { route, rules, params };
    }
    return undefined;
  }
}

export function routingOf(routes: Route[]): Routing {
  return new Routing(routes.map((route) => ({ route, rules: rulesOf(route) })));
}

function unused(): void {}

function accepts({ several, only }: Route, params: Record<string, string>): boolean {
  if (several && !params.ids!.includes(',')) return false;
  return !only || Object.entries(only).every(([name, form]) => form.test(params[name]!));
}
