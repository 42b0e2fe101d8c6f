import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

// `npm run build` writes `dist/sbom.cdx.json` from what the bundlers report; here it is compared with what they wrote.

const ROOT = resolve(import.meta.dirname, '../../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

interface Component {
  group?: string;
  name: string;
  version: string;
  purl: string;
  licenses?: unknown[];
  properties: { name: string; value: string }[];
}

const { components, bomFormat } = JSON.parse(read('dist/sbom.cdx.json')) as {
  components: Component[];
  bomFormat: string;
};

function listed(properties: Record<string, string>): string[] {
  const has = (component: Component, [key, value]: [string, string]) =>
    component.properties.some((property) => property.name === `atrium:${key}` && property.value === value);
  const found = components.filter((component) => Object.entries(properties).every((entry) => has(component, entry)));
  return found.map(({ group, name, version }) => `${group ? `${group}/` : ''}${name} ${version}`);
}

/** The packages whose files the source maps of `dist` name. */
function packagesInMaps(): string[] {
  const maps = readdirSync(join(ROOT, 'dist')).filter((name) => name.endsWith('.js.map'));
  const sources = maps.flatMap((name) => JSON.parse(read(`dist/${name}`)).sources as string[]);
  const paths = sources.map((source) => source.replace(/^(\.\.\/)+/, ''));
  // The packages of Prisma are bundles themselves, whose maps name files that are not published.
  const published = paths.filter((path) => !/@prisma|\.pnpm/.test(path) || existsSync(join(ROOT, path)));
  const folders = published.map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]);
  return [...new Set(folders)].filter((folder) => folder !== undefined).map(named);
}

function named(folder: string): string {
  const { name, version } = JSON.parse(read(`${folder}/package.json`));
  return `${name} ${version}`;
}

describe('the software bill of materials', () => {
  test('contains every package of the service bundle', () => {
    const bundled = packagesInMaps();
    expect(bundled.length).toBeGreaterThan(50);
    expect(bundled.filter((one) => !listed({ delivery: 'bundled', bundle: 'dist' }).includes(one))).toEqual([]);
  });

  test('contains every package of the console bundle', () => {
    const licenses = read('packages/console/dist/licenses.md');
    const bundled = [...licenses.matchAll(/^## (\S+) - (\S+)/gm)].map(([, name, version]) => `${name} ${version}`);
    expect(bundled.length).toBeGreaterThan(50);
    const console = listed({ delivery: 'bundled', bundle: 'packages/console/dist' });
    expect(bundled.filter((one) => !console.includes(one))).toEqual([]);
    expect(console).toContain(named('node_modules/swagger-ui-dist'));
  });

  test('contains every package that npm installs with atrium', () => {
    const external = listed({ delivery: 'external' });
    const { dependencies, optionalDependencies } = JSON.parse(read('package.json'));
    const names = external.map((one) => one.split(' ')[0]);
    expect(names).toEqual(expect.arrayContaining(Object.keys({ ...dependencies, ...optionalDependencies })));
    // Packages that only other packages bring.
    expect(names).toEqual(expect.arrayContaining(['@whatwg-node/server', 'body-parser', 'luxon', 'pg-protocol']));
    for (const name of ['prisma', 'vite', 'vitest', 'typescript', 'react']) expect(names).not.toContain(name);
  });

  test('gives version, license and package URL of each package', () => {
    expect(bomFormat).toBe('CycloneDX');
    for (const { purl, version, licenses, properties } of components) {
      expect(purl).toMatch(/^pkg:npm\/(?:%40[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+/);
      expect([purl, purl.endsWith(encodeURIComponent(version).replaceAll('%3A', ':'))]).toEqual([purl, true]);
      expect([purl, licenses?.length]).toEqual([purl, 1]);
      expect(properties.find(({ name }) => name === 'atrium:delivery')!.value).toMatch(/^(bundled|external)$/);
    }
  });

  test('atrium version --sbom prints it', () => {
    const printed = execFileSync(process.execPath, ['dist/cli.js', 'version', '--sbom'], { cwd: ROOT, maxBuffer: 8e6 });
    expect(printed.toString()).toBe(read('dist/sbom.cdx.json'));
  });
});
