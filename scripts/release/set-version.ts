// `npm run version:set 0.3.0` sets the version of all packages, and of their dependencies on each other.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolders, ROOT, readManifest } from './packages.ts';

const [version] = process.argv.slice(2);
if (!version || !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) {
  process.stderr.write('usage: npm run version:set <major.minor.patch>\n');
  process.exit(2);
}

const folders = packageFolders();
const previous = readManifest('.').version;
const names = new Set(folders.map((folder) => readManifest(folder).name));

const lockFile = join(ROOT, 'package-lock.json');
const lock = JSON.parse(readFileSync(lockFile, 'utf8'));
lock.version = version;

for (const folder of folders) {
  const file = join(ROOT, folder, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  setVersion(manifest);
  setVersion(lock.packages[folder === '.' ? '' : folder]);
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
}
writeFileSync(lockFile, `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`${previous} → ${version}: ${[...names].join(', ')}\n`);

function setVersion(manifest: Record<string, unknown>): void {
  manifest.version = version;
  for (const kind of ['dependencies', 'devDependencies', 'peerDependencies']) {
    const ranges = (manifest[kind] ?? {}) as Record<string, string>;
    for (const name of Object.keys(ranges)) if (names.has(name)) ranges[name] = `^${version}`;
  }
}
