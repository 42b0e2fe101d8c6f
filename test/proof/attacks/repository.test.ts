import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { GUARDS } from '../../../scripts/guards.ts';
import { importedPackages } from '../../support/app/imported-packages.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const files = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT }).toString().split('\0').filter(Boolean);

interface Package {
  resolved?: string;
  integrity?: string;
  hasInstallScript?: boolean;
  link?: boolean;
}

describe('#45 supply chain', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Package> };
  const locked = Object.entries(packages).filter(([path, { link }]) => path !== '' && !link);
  const manifest = JSON.parse(read('package.json')) as {
    allowScripts: Record<string, boolean>;
    scarfSettings: unknown;
    dependencies: Record<string, string>;
  };

  test('every package comes from the registry and has a locked hash', () => {
    expect(locked.length).toBeGreaterThan(300);
    for (const [path, { resolved, integrity }] of locked) {
      if (resolved === undefined) continue; // bundled in its parent package
      expect([path, resolved]).toEqual([path, expect.stringMatching(/^https:\/\/registry\.npmjs\.org\//)]);
      expect([path, integrity]).toEqual([path, expect.stringMatching(/^sha512-/)]);
    }
  });

  test('install scripts of all packages are denied', () => {
    const scripted = locked.filter(([, { hasInstallScript }]) => hasInstallScript);
    const names = scripted.map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 13));
    expect(names.length).toBeGreaterThan(0);
    expect(Object.fromEntries(names.map((name) => [name, manifest.allowScripts[name]]))).toEqual(
      Object.fromEntries(names.map((name) => [name, false])),
    );
    expect(manifest.scarfSettings).toEqual({ enabled: false });
  });

  test('docs/reference/dependencies.md lists every package that the service imports, installed or bundled', () => {
    const rows = [...read('docs/reference/dependencies.md').matchAll(/^\| `([^`*]+)` \| \d[^|]* \| (\w+) \|/gm)];
    const expected = importedPackages().map((name) => [name, manifest.dependencies[name] ? 'installed' : 'bundled']);
    expect(rows.map(([, name, delivery]) => [name, delivery])).toEqual(expected);
  });

  test('packages that parse input of clients, or hold keys, are installed, so that npm audit sees them', () => {
    const names = [
      'graphql',
      'graphql-yoga',
      'graphql-ws',
      'ws',
      'find-my-way',
      '@fastify/busboy',
      'zod',
      'pg',
      'jose',
    ];
    const others = ['@simplewebauthn/server', 'rate-limiter-flexible', 'libphonenumber-js', 'pg-boss', 'web-push'];
    expect([...names, ...others].filter((name) => !manifest.dependencies[name])).toEqual([]);
  });
});

const SECRETS: RegExp[] = [
  /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----\s*[A-Za-z0-9+/=]{40}/,
  /\bAKIA[0-9A-Z]{16}\b/,
  /\bgh[opsru]_[A-Za-z0-9]{36}\b/,
  /\bgithub_pat_[A-Za-z0-9_]{50,}/,
  /\bxox[abprs]-[A-Za-z0-9-]{20,}/,
  /\bAIza[0-9A-Za-z_-]{35}\b/,
  /\bsk_live_[0-9A-Za-z]{20,}/,
  /\bsk-(?:proj-)?[A-Za-z0-9]{32,}/,
  /\bnpm_[A-Za-z0-9]{36}\b/,
  /\beyJ[A-Za-z0-9_-]{20,}\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}/,
  /\b(?:postgres(?:ql)?|rediss?|smtps?|amqps?|mongodb):\/\/[^\s:/@'"`<>]+:(?!password@)[^\s:/@'"`<>$]{8,}@[\w.-]+\.(?!example)[a-z]{2,}/,
];

describe('#47 hard-coded credentials', () => {
  test('no committed file contains a well-known kind of secret or is named like one', () => {
    expect(files.length).toBeGreaterThan(300);
    const named = files.filter((file) =>
      /(^|\/)(\.env|credentials\.json|encryption\.key|id_rsa|.*\.(pem|p8|p12|pfx|key))$/.test(file),
    );
    expect(named).toEqual([]);
    const found = files
      .filter((file) => existsSync(join(ROOT, file)))
      .flatMap((file) => {
        const text = read(file);
        return SECRETS.filter((secret) => secret.test(text)).map((secret) => `${file}: ${secret}`);
      });
    expect(found).toEqual([]);
  });

  test('the configuration contains no default secrets', () => {
    const config = read('src/config.ts');
    expect(config).toMatch(/BOOTSTRAP_AUTH_SECRET: text\.optional\(\)/);
    expect(config).toMatch(/BOOTSTRAP_API_KEY: text\.optional\(\)/);
    expect(read('production.env')).not.toMatch(/KEY|SECRET|TOKEN|PASSWORD/);
  });
});

describe('the table of attacks in docs/security.md', () => {
  const table = read('docs/security.md')
    .split('\n')
    .filter((line) => /^\| \d+ \|/.test(line));
  const rows = table.map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

  test('the table contains every row exactly once', () => {
    expect(rows.map(([number]) => Number(number))).toEqual(Array.from({ length: 85 }, (_, nth) => nth + 1));
  });

  test.each(rows)('#%s %s names existing tests and sources', (number, _attack, guards, tests) => {
    const named = [...tests!.matchAll(/`([^`]+\.test\.ts)`/g)].map((match) => match[1]!);
    expect(named.length).toBeGreaterThan(0);
    for (const file of named)
      expect([file, read(`test/proof/attacks/${file}`).includes(`#${number} `)]).toEqual([file, true]);
    const sources = [...guards!.matchAll(/`((?:src|scripts)\/[^`]+)`/g)].map((match) => match[1]!);
    for (const source of sources) expect([source, existsSync(join(ROOT, source))]).toEqual([source, true]);
  });

  test('every guard belongs to a row and occurs once in its file', () => {
    for (const { row, file, text, testFile, test } of GUARDS) {
      expect(rows.some(([number]) => Number(number) === row)).toBe(true);
      expect([row, file, read(file).split(text).length - 1]).toEqual([row, file, 1]);
      expect([testFile, read(testFile).includes(test)]).toEqual([testFile, true]);
    }
  });
});
