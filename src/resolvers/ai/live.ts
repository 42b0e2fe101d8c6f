import { LiveEvent, LiveQueue } from '../../realtime/live-queue.ts';

export type AnswerPart = { text: string; isLast: boolean } | { failure: unknown };

/** Closing the queue aborts the model request. */
export function live(answer: (signal: AbortSignal) => AsyncIterable<string>): LiveQueue<AnswerPart> {
  const left = new AbortController();
  const queue = new LiveQueue<AnswerPart>(() => left.abort());
  void publish(answer(left.signal), queue);
  return queue;
}

export function presentPart(part: AnswerPart): { text: string; isLast: boolean } {
  if ('failure' in part) throw part.failure;
  return part;
}

async function publish(answer: AsyncIterable<string>, queue: LiveQueue<AnswerPart>): Promise<void> {
  try {
    for await (const text of answer) queue.push(new LiveEvent({ text, isLast: false }));
    queue.push(new LiveEvent({ text: '', isLast: true }));
  } catch (failure) {
    queue.push(new LiveEvent({ failure }));
  } finally {
    queue.finish();
  }
}
