import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The licenses of bundled packages, which require that copies include them. @param inputs paths of bundled files */
export async function licensesOf(root, inputs) {
  const packages = inputs.map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]);
  const sections = [];
  for (const folder of [...new Set(packages)].filter(Boolean).sort()) {
    const { name, version, license } = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'));
    const files = (await readdir(join(root, folder))).filter((file) => /^(licen[cs]e|notice)/i.test(file)).sort();
    const texts = await Promise.all(files.map((file) => readFile(join(root, folder, file), 'utf8')));
    sections.push(`# ${name} ${version} (${license})\n\n${texts.map((text) => `${text.trim()}\n`).join('\n')}`);
  }
  return sections.join('\n');
}
