import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BUILT = fileURLToPath(new URL('../dist', import.meta.url));
/** Matches static imports only, because dynamic ones are not loaded at the start. */
const STATIC_IMPORT = /^(?:import|export)\s(?:[^'";]*?\sfrom\s)?['"]([^'"]+)['"]/gm;

export function barePackages(): string[] {
  return [fileURLToPath(new URL('./bare/packages.mjs', import.meta.url)), ...importedPackages('main.js')];
}

function importedPackages(entry: string): string[] {
  const files = new Set(readdirSync(BUILT, { recursive: true }).map((name) => join(BUILT, String(name))));
  const packages = new Set<string>();
  const seen = new Set<string>();
  const walk = (file: string) => {
    if (seen.has(file) || !files.has(file)) return;
    seen.add(file);
    for (const [, name] of readFileSync(file, 'utf8').matchAll(STATIC_IMPORT)) {
      if (name!.startsWith('.')) walk(join(file, '..', name!));
      else if (!name!.startsWith('node:') && !builtinModules.includes(name!)) packages.add(name!);
    }
  };
  walk(join(BUILT, entry));
  if (packages.size === 0) throw new Error('the built service imports no package');
  return [...packages];
}
