import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../../..');

/** The packages of others that the service imports at run time, sorted. */
export function importedPackages(): string[] {
  const imported = new Set<string>();
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => name.endsWith('.ts'))) {
    const source = readFileSync(join(ROOT, 'src', file), 'utf8');
    for (const [, names, name] of source.matchAll(/^(?:import|export) ((?:[^;'"]*? from )?)['"]([^.'"][^'"]*)['"]/gm)) {
      if (!names!.startsWith('type ')) imported.add(name!);
    }
    for (const [, name] of source.matchAll(/\bimport\('([^.'][^']*)'\)/g)) imported.add(name!);
  }
  const packages = [...imported]
    .filter((name) => !name.startsWith('node:') && !name.startsWith('@atrium/') && !builtinModules.includes(name))
    .map((name) =>
      name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/'),
    );
  return [...new Set(packages)].sort();
}
