import { requireNoConflicts } from './check.ts';
import { readBlobs } from './read/blobs.ts';
import { readChats } from './read/chats.ts';
import { readDetails } from './read/details.ts';
import { readDialogLists, readDialogs } from './read/dialogs.ts';
import { readMessages } from './read/messages.ts';
import { readReactions } from './read/reactions.ts';
import { readClasses, readRecords } from './read/records.ts';
import { readUsers } from './read/users.ts';
import type { Run } from './run.ts';
import { storeChats } from './store/chats.ts';
import { storeClasses } from './store/classes.ts';
import { storeDialogs } from './store/dialogs.ts';
import { storeFiles } from './store/files.ts';
import { storeRecords } from './store/records.ts';
import { storeUsers } from './store/users.ts';

type Step = (run: Run) => Promise<void>;

/** Reads everything before the first write; users first, because requests on their behalf change `last_request_at`. */
const STEPS: [name: string, step: Step][] = [
  ['users', readUsers],
  ['classes', readClasses],
  ['records', readRecords],
  ['dialogs', readDialogs],
  ['dialog lists', readDialogLists],
  ['messages', readMessages],
  ['details', readDetails],
  ['reactions', readReactions],
  ['blobs', readBlobs],
  ['chats', readChats],
  ['check', ({ ledger }) => requireNoConflicts(ledger.applicationId)],
  ['store users', storeUsers],
  ['store chats', storeChats],
  ['store classes', storeClasses],
  ['store records', storeRecords],
  ['store dialogs', storeDialogs],
  ['files', storeFiles],
];

export const FIRST_STEP = STEPS[0]![0];

export async function runSteps(run: Run): Promise<void> {
  const { ledger } = run;
  while (ledger.step !== undefined) {
    const index = STEPS.findIndex(([name]) => name === ledger.step);
    await STEPS[index]![1](run);
    await ledger.enterStep(STEPS[index + 1]?.[0]);
  }
}
