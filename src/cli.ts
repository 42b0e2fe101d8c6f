import { runCommandLine } from './operator/cli/command-line.ts';

// A short command finishes what it has begun, a long one listens by itself (src/operator/cli/interruption.ts); a second Ctrl-C ends
// either at once.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => {});
// Whoever reads the answer may stop reading (`| head -1`).
process.stdout.on('error', () => {});

const exitCode = await runCommandLine(process.argv);
// What a command leaves to the next sweep is not waited for; what it has written is.
process.stdout.write('', () => process.exit(exitCode));
