import { readFile } from 'node:fs/promises';

/** Creates the classes of classes.json that do not exist yet. Change existing ones in the console. */
export async function createClasses(backend, apiKey) {
  const classes = JSON.parse(await readFile(new URL('../classes.json', import.meta.url), 'utf8'));
  const headers = { Authorization: `ApiKey ${apiKey}`, 'Content-Type': 'application/json' };
  for (const one of classes) {
    const known = await fetch(`${backend}/class/${one.name}.json`, { headers });
    if (known.ok) continue;
    const response = await fetch(`${backend}/class.json`, { method: 'POST', headers, body: JSON.stringify(one) });
    if (!response.ok) throw new Error(`The class ${one.name} was not created: ${await response.text()}`);
  }
}
