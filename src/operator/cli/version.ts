import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { PROJECT_ROOT } from '../../project-root.ts';
import { serviceVersion } from '../../resolvers/applications/service-status.ts';
import { print } from './answer.ts';

export function addVersionCommand(program: Command): void {
  program
    .command('version')
    .description('print the version of Atrium, or the packages that it contains and installs')
    .option('--sbom', 'print the software bill of materials (CycloneDX, JSON)')
    .action(async ({ sbom }: { sbom?: boolean }) => {
      if (sbom) process.stdout.write(await readSbom());
      else await print({ value: { version: serviceVersion() } }, program.opts());
    });
}

function readSbom(): Promise<string> {
  return readFile(new URL('dist/sbom.cdx.json', PROJECT_ROOT), 'utf8').catch(() => {
    throw new Error('dist/sbom.cdx.json is missing; npm run build writes it');
  });
}
