import type { Route } from '../http/route.ts';
import type { Schema } from './docs/schemas.ts';
import { described, text } from './docs/schemas.ts';

export interface PathTemplate {
  template: string;
  parameters: { name: string; schema: Schema; example: unknown }[];
}

const NAMES: Record<string, string> = { ids: 'id', parent: 'parent_id', externalUserId: 'external_user_id' };

/** `/users/:id` → `/users/{id}`. A path for several ids becomes `/chat/Dialog/{id},{others}` to differ from that for one. */
export function templateOf({ path, several, docs }: Route): PathTemplate {
  const example = docs.examples[0].path ?? {};
  const parameters: PathTemplate['parameters'] = [];
  const template = path.replace(/:(\w+)/g, (_match, name: string) => {
    const schema = docs.path?.[name];
    if (!schema) throw new Error(`${path}: ${name} has no documentation`);
    const legacy = NAMES[name] ?? name;
    if (!several || name !== 'ids') {
      parameters.push({ name: legacy, schema, example: example[name] });
      return `{${legacy}}`;
    }
    const [first, ...others] = String(example[name]).split(',');
    parameters.push({ name: legacy, schema: described(text, 'The first id.'), example: first });
    parameters.push({
      name: 'others',
      schema: described(text, 'The other ids, separated by commas; up to 100 in total.'),
      example: others.join(),
    });
    return `{${legacy}},{others}`;
  });
  return { template, parameters };
}
