import { expect } from 'vitest';
import { Worker } from './worker.ts';

const PAGE = 100;

/** Messages of dialogs over REST. */
export class History extends Worker {
  /** What each dialog had at the last look, in order; a poller reads on from there. */
  readonly polled = new Map<string, string[]>();
  dialogIds: string[] = [];

  async idsOf(dialogId: string, known: readonly string[] = []): Promise<string[]> {
    const ids = [...known];
    for (;;) {
      const query = `chat_dialog_id=${dialogId}&sort_asc=date_sent&mark_as_read=0&limit=${PAGE}&skip=${ids.length}`;
      const { status, body } = await this.insist('GET', `/chat/Message?${query}`);
      expect({ status, body }).toEqual({ status: 200, body: expect.anything() });
      ids.push(...body.items.map((item: { _id: string }) => item._id));
      if (body.items.length < PAGE) return ids;
    }
  }

  protected override async act(): Promise<void> {
    const dialogId = this.random.pick(this.dialogIds);
    this.polled.set(dialogId, await this.idsOf(dialogId, this.polled.get(dialogId)));
  }
}
