import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { redactError } from '../../../src/platform/observability/redact.ts';
import { inSource } from '../../../src/platform/observability/source-positions.ts';

test('logged stacks of bundled code have positions in the source', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'atrium-stack-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const source = 'interface Unused {\n  text: string;\n}\nexport const fail = () => new Error("failed");\n';
  await writeFile(join(folder, 'fails.ts'), source);
  const bundle = join(folder, 'bundle.js');
  await build({
    entryPoints: [join(folder, 'fails.ts')],
    outfile: bundle,
    format: 'esm',
    bundle: true,
    sourcemap: true,
  });
  const error = new Error('failed');
  error.stack = `Error: failed\n    at fail (${pathToFileURL(bundle)}:2:25)\n    at other (file:///absent.js:1:2)`;
  expect(redactError(error).stack).toMatch(
    /^ {4}at fail \(fails\.ts:4:\d+\)\n {4}at other \(file:\/\/\/absent\.js:1:2\)$/,
  );
});

test.each(['    at node:internal/process:1:2', '    at fail (file:///x', ''])(
  'the frame "%s" is unchanged',
  (frame) => {
    expect(inSource(frame)).toBe(frame);
  },
);
