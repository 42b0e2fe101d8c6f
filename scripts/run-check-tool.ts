// `tsx scripts/run-check-tool.ts biome check --write .` runs a program of `tools/checks`.
import { runTool } from './tools.ts';

const [program = '', ...args] = process.argv.slice(2);
process.exitCode = runTool('checks', program, args, 'inherit').status ?? 1;
