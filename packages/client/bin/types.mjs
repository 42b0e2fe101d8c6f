#!/usr/bin/env node
// Writes the types of an application, with its classes:
// ATRIUM_API_KEY=… npx atrium-types https://chat.example.com src/atrium-env.d.ts
import { writeFile } from 'node:fs/promises';
import { CLASSES_QUERY, classTypes, SCHEMA_QUERY, schemaTypes } from '../dist/schema-types.js';

const [url, file] = process.argv.slice(2);
const key = process.env.ATRIUM_API_KEY;
if (!url || !file || !key) fail('usage: ATRIUM_API_KEY=<key> atrium-types <url of the service> <output file>', 2);

const { __schema: schema } = await ask(SCHEMA_QUERY);
const { classes } = await ask(CLASSES_QUERY);
await writeFile(file, `${schemaTypes(schema)}\n${classTypes(classes)}`);

async function ask(query) {
  const response = await fetch(new URL('graphql', url.endsWith('/') ? url : `${url}/`), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `ApiKey ${key}` },
    body: JSON.stringify({ query }),
  }).catch((error) => fail(`${url} could not be reached: ${error.cause?.message ?? error.message}`));
  const { data, errors } = await response.json().catch(() => ({}));
  if (!data) fail(errors?.[0]?.message ?? `expected a GraphQL response, received HTTP ${response.status}`);
  return data;
}

function fail(message, code = 1) {
  process.stderr.write(`atrium-types: ${message}\n`);
  process.exit(code);
}
