#!/usr/bin/env node
// The command `atrium` of the package: starts the service, or runs a command of the CLI.
import cluster from 'node:cluster';
import { defaultToProduction } from './config.ts';
import { createProgram, run } from './operator/cli/program.ts';
import { addStartCommand } from './operator/cli/start.ts';

defaultToProduction();

const [node, file, ...args] = process.argv;
const program = createProgram();
const { options } = addStartCommand(program);
const isOptionOfStart = options.some(({ long }) => long === args[0]?.split('=')[0]);
if (args.length === 0 || isOptionOfStart) args.unshift('start');

if (cluster.isWorker) await import('./main.ts');
// Without the other commands, because loading them takes longer.
else if (args[0] === 'start') process.exitCode = await run(program, [node!, file!, ...args]);
else await import('./cli.ts');
