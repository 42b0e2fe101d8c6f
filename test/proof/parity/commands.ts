import { addressBookCommands, contentCommands, geodataCommands } from './belongings.ts';
import { chatCommands } from './chat.ts';
import type { Command } from './command.ts';
import { aiCommands, deviceCommands, eventCommands } from './helpers.ts';
import { sessionCommands, userCommands } from './people.ts';
import { recordFileCommands } from './record-files.ts';
import { classCommands, recordCommands } from './records.ts';

export const commands: Command[] = [
  ...sessionCommands,
  ...userCommands,
  ...chatCommands,
  ...classCommands,
  ...recordCommands,
  ...recordFileCommands,
  ...contentCommands,
  ...geodataCommands,
  ...addressBookCommands,
  ...deviceCommands,
  ...eventCommands,
  ...aiCommands,
];
