// Makes the images of the guides with the test that proves that they can be made.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const TEST = 'test/proof/browser/console/screenshots.test.ts';

const { status } = spawnSync('npx', ['vitest', 'run', '--project', 'proof', TEST], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  env: { ...process.env, SCREENSHOTS: 'docs/images' },
  stdio: 'inherit',
  shell: process.platform === 'win32',
});
process.exitCode = status ?? 1;
