import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The licenses of bundled packages, which require that copies include them. @param inputs paths of bundled files */
export async function licensesOf(root, inputs) {
  const sections = [];
  for (const folder of packageFolders(inputs)) {
    const { name, version, license } = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'));
    const files = (await readdir(join(root, folder))).filter((file) => /^(licen[cs]e|notice)/i.test(file)).sort();
    const texts = await Promise.all(files.map((file) => readFile(join(root, folder, file), 'utf8')));
    sections.push(`# ${name} ${version} (${license})\n\n${texts.map((text) => `${text.trim()}\n`).join('\n')}`);
  }
  return sections.join('\n');
}

/** @returns the folders of the packages that contain the files, sorted */
export function packageFolders(files) {
  const folders = files.map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]);
  return [...new Set(folders)].filter(Boolean).sort();
}
