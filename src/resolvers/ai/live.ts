import { LiveEvent, LiveQueue } from '../../realtime/live-queue.ts';

/** A part of an answer, or the failure that it ended with. */
export type AnswerPart = { text: string; isLast: boolean } | { failure: unknown };

/**
 * Tells the parts of an answer as they come, and then that it is over. Whoever leaves ends the asking.
 * @param answer is asked for as soon as somebody listens
 */
export function live(answer: (signal: AbortSignal) => AsyncIterable<string>): LiveQueue<AnswerPart> {
  const left = new AbortController();
  const queue = new LiveQueue<AnswerPart>(() => left.abort());
  void publish(answer(left.signal), queue);
  return queue;
}

/** What a subscriber is shown of an event. @throws the failure */
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
