// Checks to pass before a change is merged: format, types, patterns, generated files, migrations, dead code and tests.
// `--without-tests` skips the tests.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../src/db/embedded.ts';
import { runTool } from './tools.ts';

const GENERATED = [
  'schema.graphql',
  'src/generated/graphql-env.d.ts',
  'packages/client/src/generated/introspection.d.ts',
  'packages/client/src/generated/errors.ts',
  'packages/console/src/app/reason-operations.ts',
  'docs/console.md',
  'packages/console/locales/en.po',
];

const failures: string[] = [];

await step('format and lint', () => runCheckTool('biome', ['ci', '.']));
await step(
  'types',
  () =>
    run('npx', ['tsc']) &&
    ['packages/legacy-import', 'packages/console', 'packages/react', 'packages/chat-ui', 'examples/chat'].every(
      (folder) => run('npx', ['tsc', '-p', folder]),
    ),
);
await step('patterns take linear time', () => run('npx', ['tsx', 'scripts/check-patterns.ts']));
await step('generated files are unchanged', generatedFilesAreUnchanged);
await step('migrations match the schema', migrationsMatch);
await step('workflows and deployment', workflowsAndDeploymentAreValid);
await step('no dead code', () => runCheckTool('knip', []));
await step('plain English', () => run('npx', ['tsx', 'scripts/check-prose.ts']));
await step('spelling', () => run('npm', ['run', '--silent', 'check:spelling']));
if (!process.argv.includes('--without-tests')) await step('tests', () => run('npm', ['run', 'test:all']));

if (failures.length > 0) {
  process.stdout.write(`\nfailed: ${failures.join(', ')}\n`);
  process.exit(1);
}
process.stdout.write('\nall checks passed\n');

async function step(name: string, check: () => boolean | Promise<boolean>): Promise<void> {
  process.stdout.write(`\n— ${name}\n`);
  if (!(await check())) failures.push(name);
}

function run(command: string, args: string[], env: NodeJS.ProcessEnv = process.env): boolean {
  const shell = process.platform === 'win32';
  return spawnSync(command, args, { stdio: 'inherit', env, shell }).status === 0;
}

function runCheckTool(program: string, args: string[]): boolean {
  return runTool('checks', program, args, 'inherit').status === 0;
}

function generatedFilesAreUnchanged(): boolean {
  const before = GENERATED.map((file) => readFileSync(file, 'utf8'));
  if (!run('npm', ['run', '--silent', 'generate'])) return false;
  const changed = GENERATED.filter((file, index) => readFileSync(file, 'utf8') !== before[index]);
  for (const file of changed) process.stdout.write(`${file} was out of date and has been regenerated\n`);
  return changed.length === 0;
}

/** Each is published as a Go module only. */
function workflowsAndDeploymentAreValid(): boolean {
  if (spawnSync('go', ['version']).status !== 0) {
    process.stdout.write('skipped, because Go is not installed\n');
    return true;
  }
  const workflows = readdirSync('.github/workflows').map((name) => join('.github/workflows', name));
  return [
    ['github.com/rhysd/actionlint/cmd/actionlint@v1.7.12', ...workflows],
    ['github.com/compose-spec/compose-go/v2/cmd@v2.16.2', 'compose.yaml', 'deploy/databases.yaml'],
    ['sigs.k8s.io/kubectl-validate@v0.0.4', 'deploy/kubernetes'],
  ].every((command) => {
    // The second prints the files that it has merged.
    const { status, stdout, stderr } = spawnSync('go', ['run', ...command], { encoding: 'utf8' });
    if (status !== 0) process.stdout.write(stdout + stderr);
    return status === 0;
  });
}

/** Builds a database from the migrations and compares it with the schema. */
async function migrationsMatch(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-check-'));
  chmodSync(folder, 0o755); // as root, PostgreSQL runs as another user, who needs access
  const postgres = await startEmbedded({ dataDir: join(folder, 'postgres'), flags: ['-c', 'fsync=off'] });
  try {
    const diff = ['--from-migrations', 'prisma/migrations', '--to-schema', 'prisma/schema.prisma', '--exit-code'];
    return run('node', ['scripts/prisma.mjs', 'migrate', 'diff', ...diff], {
      ...process.env,
      DATABASE_URL: postgres.url,
    });
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
