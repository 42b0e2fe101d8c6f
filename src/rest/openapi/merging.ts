import type { Schema } from './docs/schemas.ts';
import type { Media, Operation, Reference, Response } from './types.ts';

/** The paths of the routes differ only in the form of a value. */
export function merged(first: Operation, second: Operation): Operation {
  return {
    ...first,
    summary: `${first.summary}, or ${lowerFirst(second.summary)}`,
    description: `${first.description}\n\n**${second.summary}** (\`${second.operationId}\`): ${second.description}`,
    security: distinct([...second.security, ...first.security]),
    parameters: first.parameters.map((parameter, index) => ({
      ...parameter,
      schema: either(parameter.schema, second.parameters[index]!.schema),
    })),
    responses: mergedResponses(first.responses, second.responses),
  };
}

type Responses = Operation['responses'];

function mergedResponses(first: Responses, second: Responses): Responses {
  const both = { ...second, ...first };
  for (const [status, response] of Object.entries(second)) {
    const other = first[status];
    if (other) both[status] = mergedResponse(other, response);
  }
  return both;
}

function mergedResponse(first: Response | Reference, second: Response | Reference): Response | Reference {
  if ('$ref' in first || '$ref' in second) return first;
  const content: Record<string, Media> = { ...second.content, ...first.content };
  for (const [type, media] of Object.entries(second.content ?? {})) {
    const other = first.content?.[type];
    if (other) content[type] = { ...other, schema: either(other.schema, media.schema) };
  }
  return { ...second, ...first, content };
}

function either(first: Schema, second: Schema): Schema {
  if (JSON.stringify(first) === JSON.stringify(second)) return first;
  const options = [first, second].flatMap((schema) => (schema.anyOf as Schema[] | undefined) ?? [schema]);
  return { anyOf: distinct(options) };
}

function distinct<Item>(items: Item[]): Item[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
