import type { Route } from '../http/route.ts';
import type { Schema } from './docs/schemas.ts';
import { described, text } from './docs/schemas.ts';

/** A path as OpenAPI writes it, and what stands in its braces. */
export interface PathTemplate {
  template: string;
  parameters: { name: string; schema: Schema; example: unknown }[];
}

/** Names of a route's path as clients know them. */
const NAMES: Record<string, string> = { ids: 'id', parent: 'parent_id', externalUserId: 'external_user_id' };

/** `/users/:id` → `/users/{id}`; a path for several ids is told apart from that for one: `/chat/Dialog/{id},{others}`. */
export function templateOf({ path, several, docs }: Route): PathTemplate {
  const example = docs.examples[0].path ?? {};
  const parameters: PathTemplate['parameters'] = [];
  const template = path.replace(/:(\w+)/g, (_match, name: string) => {
    const schema = docs.path?.[name];
    if (!schema) throw new Error(`${path}: nothing is said of ${name}`);
    const legacy = NAMES[name] ?? name;
    if (!several || name !== 'ids') {
      parameters.push({ name: legacy, schema, example: example[name] });
      return `{${legacy}}`;
    }
    const [first, ...others] = String(example[name]).split(',');
    parameters.push({ name: legacy, schema: text, example: first });
    parameters.push({ name: 'others', schema: described(text, 'More ids, with commas.'), example: others.join() });
    return `{${legacy}},{others}`;
  });
  return { template, parameters };
}
