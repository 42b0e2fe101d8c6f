import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');

function linksOf(document: string): { file: string; heading: string | undefined }[] {
  const text = read(document).replace(/```.*?```/gs, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map((match) => match[1]!)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path, heading] = target.split('#') as [string, string?];
      return { file: path === '' ? document : join(dirname(document), path), heading };
    });
}

function headingsOf(file: string): string[] {
  const lines = read(file).split('\n');
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

test('every link between documents has an existing target', () => {
  const links = documents.flatMap((document) => linksOf(document).map((link) => ({ document, ...link })));
  const broken = links.filter(
    ({ file, heading }) => !existsSync(join(ROOT, file)) || (heading && !headingsOf(file).includes(heading)),
  );
  expect(links.length).toBeGreaterThan(20);
  expect(broken).toEqual([]);
});

test('every guide is listed in docs/README.md', () => {
  const listed = linksOf('docs/README.md').map(({ file }) => file);
  const guides = documents.filter(
    (document) => /^docs\/((reference|tutorials)\/)?[^/]+\.md$/.test(document) && document !== 'docs/README.md',
  );
  expect(guides.filter((guide) => !listed.includes(guide))).toEqual([]);
});

test('every architecture guide is linked from ARCHITECTURE.md', () => {
  const linked = linksOf('ARCHITECTURE.md').map(({ file }) => file);
  const guides = documents.filter((document) => document.startsWith('docs/architecture/'));
  expect(guides.filter((guide) => !linked.includes(guide))).toEqual([]);
});

test('every source file that an architecture document names exists', () => {
  const described = documents.filter((one) => one === 'ARCHITECTURE.md' || one.startsWith('docs/architecture/'));
  const named = described.flatMap((document) =>
    [...read(document).matchAll(/`((?:src|test|scripts|prisma|packages)\/[\w./-]+)`/g)].map(([, file]) => ({
      document,
      file,
    })),
  );
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(({ file }) => !existsSync(join(ROOT, file!)))).toEqual([]);
});

test('every code name in the glossary exists in the code', () => {
  const rows = read('docs/glossary.md').matchAll(/^\|.*\|.*\| (`.*`) \|$/gm);
  const names = [...rows].flatMap(([, cell]) => [...cell!.matchAll(/`(\w+)`/g)].map(([, name]) => name!));
  const files = execFileSync('git', ['ls-files', 'src', 'prisma/schema.prisma'], { cwd: ROOT, encoding: 'utf8' });
  const words = new Set(
    files
      .trim()
      .split('\n')
      .flatMap((file) => read(file).match(/\w+/g) ?? []),
  );
  expect(names.length).toBeGreaterThan(40);
  expect(names.filter((name) => !words.has(name))).toEqual([]);
});

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}
