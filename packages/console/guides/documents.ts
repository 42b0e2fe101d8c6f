import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

export const ROOT = join(import.meta.dirname, '../../..');
export const START = 'docs/README.md';
export const SCHEMA = 'schema.graphql';
/** Of the page that replaces the text of the schema in links. */
export const REFERENCE = 'graphql';

const DOCS = 'docs/';
const PROJECT_FILES = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'packages/client/README.md',
  SCHEMA,
];
const DOCUMENT_TYPES = ['.md', '.svg', '.png'];

export function listFiles(): string[] {
  const documents = readdirSync(join(ROOT, DOCS), { recursive: true, encoding: 'utf8' })
    .filter((file) => DOCUMENT_TYPES.includes(posix.extname(file)))
    .map((file) => DOCS + file.replaceAll('\\', '/'));
  return [...documents.sort(), ...PROJECT_FILES];
}

/** `docs/records.md` → `records`; `ARCHITECTURE.md` → `project/ARCHITECTURE`; other types keep their extension. */
export function addressOf(file: string): string {
  if (file === START) return '';
  const path = file.startsWith(DOCS) ? file.slice(DOCS.length) : `project/${file}`;
  return path.replace(/\.md$/, '');
}

/** Pages have addresses without trailing slash. @returns the path from the page `address` to `/guides` */
export function pathToGuides(address: string): string {
  return `${address === '' ? './' : '../'.repeat(address.split('/').length)}guides`;
}

export function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

export function titleOf(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? 'Guide';
}

/** As GitHub derives it, so that links work in both places. */
export function anchorOf(heading: string): string {
  return plain(heading)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

export function plain(text: string): string {
  return text
    .replaceAll(/\]\([^()]*\)/g, '')
    .replaceAll(/[`*|[]|--{2,}/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
