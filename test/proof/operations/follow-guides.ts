import { expect, onTestFinished } from 'vitest';
import { createDataDir, startService } from '../../support/app/service.ts';
import { Reader, shape } from './guide.ts';

export interface Habits {
  env?: Record<string, string>;
  edit?: (command: string) => string;
  /** Changes printed outputs like `edit` the commands. */
  says?: (text: string) => string;
}

/** Runs the commands of guides in one shell with a new service, and compares each output with the printed one. */
export async function follow(
  paths: string[],
  { env, edit, says: changed = (text) => text }: Habits = {},
): Promise<void> {
  const folder = await createDataDir();
  onTestFinished(folder.remove);
  const service = await startService(folder.dataDir, env);
  onTestFinished(async () => {
    await service.stop();
  });
  const reader = await Reader.sitDown(service, { edit });
  onTestFinished(() => reader.getUp());
  for (const path of paths) {
    const outcomes = await reader.follow(path);
    expect(outcomes.length, path).toBeGreaterThan(0);
    for (const { command, says, printed } of outcomes) {
      expect.soft(shape(printed), `${path}: ${command}`).toEqual(shape(changed(says)));
    }
  }
}
