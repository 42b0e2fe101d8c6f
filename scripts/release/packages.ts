import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');

export interface Manifest {
  name: string;
  version: string;
  private?: boolean;
  exports?: Record<string, unknown>;
  bundleDependencies?: string[];
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

export interface Package {
  folder: string;
  manifest: Manifest;
}

/** The folders of the root and its workspaces, relative to the repository. */
export function packageFolders(): string[] {
  const inner = readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}`);
  return ['.', ...inner.filter((folder) => existsSync(join(ROOT, folder, 'package.json'))).sort(), 'examples/chat'];
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
}

/** Published packages, each after those that it depends on, and `create-atrium`, which names them all, last. */
export function publishedPackages(): Package[] {
  const all = packageFolders().map((folder) => ({ folder, manifest: readManifest(folder) }));
  const published = all.filter(({ manifest }) => !manifest.private);
  const ordered: Package[] = [];
  const add = (one: Package) => {
    if (ordered.includes(one)) return;
    const { dependencies, peerDependencies } = one.manifest;
    const needed = Object.keys({ ...dependencies, ...peerDependencies });
    for (const other of published) if (needed.includes(other.manifest.name)) add(other);
    ordered.push(one);
  };
  const isLast = ({ manifest }: Package) => manifest.name.startsWith('create-');
  for (const one of [...published.filter((one) => !isLast(one)), ...published.filter(isLast)]) add(one);
  return ordered;
}
