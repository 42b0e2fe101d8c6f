import type { Command } from 'commander';
import { setVariables } from '../../config.ts';

/** The options override the environment variables. */
export function addStartCommand(program: Command): Command {
  return program
    .command('start')
    .description('start the service; the default command of the package')
    .option('--host <host>', 'address to listen on (variable: HOST)')
    .option('--port <port>', 'port to listen on; 0 selects a free one (variable: PORT)')
    .option('--data-dir <folder>', 'folder of the data (variable: DATA_DIR)')
    .action(async ({ host, port, dataDir }: { host?: string; port?: string; dataDir?: string }) => {
      setVariables({ HOST: host, PORT: port, DATA_DIR: dataDir });
      await import('../../main.ts');
    });
}
