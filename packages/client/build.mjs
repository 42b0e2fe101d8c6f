// Builds `dist`: the modules with their declarations, and the schema types.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const here = import.meta.dirname;
const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));

rmSync(join(here, 'dist'), { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [join(typescript, 'bin/tsc'), '-p', here], { stdio: 'inherit' });
if (status !== 0) process.exit(1);

// Removes the global augmentation, because an app may declare the types of its own classes.
const types = readFileSync(join(here, '../../src/generated/graphql-env.d.ts'), 'utf8');
writeFileSync(
  join(here, 'dist/introspection.d.ts'),
  types.replace(/\nimport \* as gqlTada from 'gql\.tada';[\s\S]*$/, ''),
);
