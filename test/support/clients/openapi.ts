import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { openApiDocument } from '../../../src/rest/openapi/document.ts';
import type { OpenApiDocument, Operation, Response } from '../../../src/rest/openapi/types.ts';

/** A REST response to compare with the OpenAPI document. */
export interface GivenAnswer {
  status: number;
  contentType: string | null | undefined;
  text: string;
}

/**
 * Compares the status and JSON of a response with the OpenAPI document. All REST helpers call this, so every REST test
 * also tests the document. Skips paths that are not in the document.
 */
export function expectDocumented(method: string, target: string, answer: GivenAnswer): void {
  const found = documented(method, target);
  if (!found) return;
  const { operation, isXml } = found;
  const { status, text } = answer;
  const place = `${method} ${target} → ${status}, ${operation.operationId}`;
  const response = responseOf(operation, status);
  if (!response) throw new Error(`${place}: the document has no such status`);
  if (isXml || method === 'HEAD') return;

  const { content } = response;
  if (text === '') {
    if (content && !response['x-may-be-empty'] && !content['*/*']) throw new Error(`${place}: the body is missing`);
    return;
  }
  const type = (answer.contentType ?? '').split(';')[0]!;
  if (!content) throw new Error(`${place}: the document has no body, but ${text.slice(0, 200)}`);
  // Downloads may have any type.
  if (type !== 'application/json' || (!content[type] && content['*/*'])) {
    if (!content[type] && !content['*/*']) throw new Error(`${place}: the document does not know ${type}`);
    return;
  }
  if (!content[type]) throw new Error(`${place}: the document has no JSON`);
  const validate = validatorOf(operation, status, content[type].schema);
  if (!validate(JSON.parse(text))) {
    throw new Error(`${place}: ${ajv().errorsText(validate.errors)}\n${text.slice(0, 1000)}`);
  }
}

let made: OpenApiDocument | undefined;

export function testDocument(): OpenApiDocument {
  made ??= openApiDocument('http://127.0.0.1:4000', ['SVC-Token']);
  return made;
}

let compiler: Ajv2020 | undefined;

/** A strict validator with the components of the document. */
export function ajv(): Ajv2020 {
  if (compiler) return compiler;
  compiler = new Ajv2020({ strict: true, allowUnionTypes: true, strictTypes: false, strictRequired: false });
  (formats as unknown as typeof formats.default)(compiler);
  compiler.addFormat('binary', true);
  for (const [name, schema] of Object.entries(testDocument().components.schemas)) {
    compiler.addSchema(withNames(schema), `atrium:${name}`);
  }
  return compiler;
}

export function compiled(schema: object): ValidateFunction {
  return ajv().compile(withNames(schema));
}

function withNames(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"atrium:'));
}

const validators = new Map<string, ValidateFunction>();

function validatorOf({ operationId }: Operation, status: number, schema: object): ValidateFunction {
  const key = `${operationId} ${status}`;
  const cached = validators.get(key);
  if (cached) return cached;
  const validator = compiled(schema);
  validators.set(key, validator);
  return validator;
}

export function responseOf({ responses }: Operation, status: number): Response | undefined {
  const response = responses[status];
  return response && '$ref' in response ? testDocument().components.responses[status] : response;
}

let matchers: { form: RegExp; item: Record<string, Operation>; isSeveral: boolean }[] | undefined;

export function documented(method: string, target: string): { operation: Operation; isXml: boolean } | undefined {
  matchers ??= Object.entries(testDocument().paths)
    .map(([template, item]) => ({
      form: new RegExp(`^${template.replaceAll(/\{\w+\}/g, template.includes('},{') ? '[^/]*' : '[^/]+')}$`),
      item,
      isSeveral: template.includes('},{'),
    }))
    // Paths with several ids take precedence, as in the service.
    .sort((a, b) => Number(b.isSeveral) - Number(a.isSeveral));
  const path = target.replace(/[?#].*$/s, '').replace(/(.)\/$/, '$1');
  const plain = path.replace(/\.(json|xml)$/, '').replaceAll(/%2c/gi, ',');
  const name = method === 'HEAD' ? 'get' : method.toLowerCase();
  const operation = matchers.find(({ form, item }) => form.test(plain) && item[name])?.item[name];
  return operation && { operation, isXml: path.endsWith('.xml') };
}
