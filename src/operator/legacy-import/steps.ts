import { requireNoClashes } from './check.ts';
import { readBlobs } from './reading/blobs.ts';
import { readDetails } from './reading/details.ts';
import { readDialogs, readPlaces } from './reading/dialogs.ts';
import { readMessages } from './reading/messages.ts';
import { readReactions } from './reading/reactions.ts';
import { listRecordPage, readClasses } from './reading/records.ts';
import { readUsers } from './reading/users.ts';
import type { Run } from './run.ts';
import { storeClasses } from './storing/classes.ts';
import { storeDialogs } from './storing/dialogs.ts';
import { storeFiles } from './storing/files.ts';
import { storeRecords } from './storing/records.ts';
import { storeUsers } from './storing/users.ts';

type Step = (run: Run) => Promise<void>;

/** Reads everything before the first write; users first, because requests on their behalf change `last_request_at`. */
const STEPS: [name: string, step: Step][] = [
  ['users', readUsers],
  ['classes', readClasses],
  ['records', listRecordPage],
  ['dialogs', readDialogs],
  ['places', readPlaces],
  ['messages', readMessages],
  ['details', readDetails],
  ['reactions', readReactions],
  ['blobs', readBlobs],
  ['check', ({ ledger }) => requireNoClashes(ledger)],
  ['store users', storeUsers],
  ['store classes', storeClasses],
  ['store records', storeRecords],
  ['store dialogs', storeDialogs],
  ['files', storeFiles],
];

export async function runSteps(run: Run): Promise<void> {
  const { ledger } = run;
  while (ledger.step !== undefined) {
    const index = STEPS.findIndex(([name]) => name === ledger.step);
    await STEPS[index]![1](run);
    await ledger.enter(STEPS[index + 1]?.[0]);
  }
}
