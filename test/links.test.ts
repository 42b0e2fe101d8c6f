import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');

const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');

/** Places that a document links to, those of other hosts left out: file and heading. */
function linksOf(document: string): { file: string; heading: string | undefined }[] {
  const text = readFileSync(join(ROOT, document), 'utf8').replace(/```.*?```/gs, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map((match) => match[1]!)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path, heading] = target.split('#') as [string, string?];
      return { file: path === '' ? document : join(dirname(document), path), heading };
    });
}

function headingsOf(file: string): string[] {
  const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
  return lines
    .filter((line) => /^#+ /.test(line))
    .map((line) =>
      line
        .replace(/^#+ /, '')
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    );
}

test('every link from one document to another leads somewhere', () => {
  const links = documents.flatMap((document) => linksOf(document).map((link) => ({ document, ...link })));
  const broken = links.filter(
    ({ file, heading }) => !existsSync(join(ROOT, file)) || (heading && !headingsOf(file).includes(heading)),
  );
  expect(links.length).toBeGreaterThan(20);
  expect(broken).toEqual([]);
});

test('every guide is in the index of the guides', () => {
  const listed = linksOf('docs/README.md').map(({ file }) => file);
  const guides = documents.filter((document) => /^docs\/[^/]+\.md$/.test(document) && document !== 'docs/README.md');
  expect(guides.filter((guide) => !listed.includes(guide))).toEqual([]);
});
