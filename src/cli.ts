import { runCommandLine } from './operator/cli/command-line.ts';

// The first Ctrl-C lets a short command finish; long commands handle it (src/operator/cli/interruption.ts). The second
// one ends the process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => {});
// Ignored, because the reader of a pipe may close it early (`| head -1`).
process.stdout.on('error', () => {});

const exitCode = await runCommandLine(process.argv);
// Flushes stdout, but does not wait for background work, because the next sweep completes it.
process.stdout.write('', () => process.exit(exitCode));
