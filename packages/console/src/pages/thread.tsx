import { Button, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { clientOf, query } from '../app/clients.ts';
import { sentenceOf } from '../app/query-client.ts';
import { Empty, Failure } from '../ui/page.tsx';
import { MessageItem } from './message-item.tsx';
import { EVENTS, MESSAGES, type Loaded as Messages, type MessagesPage, withMessage, without } from './messages.ts';

const PAGE = 50;

interface ThreadProps {
  application: number;
  dialogId: string;
  nameOf: (id: number) => string;
}

/** Messages as the occupants see them: the newest at the end, live. */
export function Thread({ application, dialogId, nameOf }: ThreadProps) {
  const queryKey = [application, 'messages', dialogId];
  const messages = useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam, signal }) =>
      (await query({ application }, MESSAGES, { dialogId, last: PAGE, before: pageParam }, signal)).messages,
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo: { hasPreviousPage, startCursor } }: MessagesPage) =>
      hasPreviousPage ? startCursor : undefined,
  });
  const problem = useLiveMessages(application, dialogId, queryKey);
  const rows = messages.data?.pages.toReversed().flatMap(({ edges }) => edges.map(({ node }) => node)) ?? [];
  useNewestInView(rows.at(-1)?.id);
  if (messages.error) return <Failure error={messages.error} retry={messages.refetch} />;
  if (messages.isSuccess && rows.length === 0) {
    return <Empty title="No messages yet">New messages appear here as soon as they are sent.</Empty>;
  }
  return (
    <Stack gap="xs">
      {messages.hasNextPage && (
        <Button variant="default" onClick={() => void messages.fetchNextPage()} loading={messages.isFetchingNextPage}>
          Earlier messages
        </Button>
      )}
      <Stack gap="xs" component="ol" p={0} m={0} style={{ listStyle: 'none' }} aria-label="Messages">
        {rows.map((message) => (
          <MessageItem key={message.id} message={message} application={application} sender={nameOf(message.senderId)} />
        ))}
      </Stack>
      <Text size="sm" c="dimmed" role="status">
        {problem ? `Live updates have stopped: ${problem}` : 'New messages appear here live.'}
      </Text>
    </Stack>
  );
}

/** @returns why live updates have stopped */
function useLiveMessages(application: number, dialogId: string, queryKey: unknown[]): string | undefined {
  const queries = useQueryClient();
  const [problem, setProblem] = useState<string>();
  const key = JSON.stringify(queryKey);
  useEffect(() => {
    const aborted = new AbortController();
    const queryKey = JSON.parse(key) as unknown[];
    const change = (apply: (old: Messages) => Messages) =>
      queries.setQueryData<Messages>(queryKey, (old) => old && apply(old));
    const refresh = () => queries.invalidateQueries({ queryKey });
    clientOf({ application }).subscribe(
      EVENTS,
      { dialogId },
      {
        signal: aborted.signal,
        onGap: refresh,
        next: ({ dialogEvents: event }) => {
          if ('message' in event) change((old) => withMessage(old, event.message));
          else if ('deletedIds' in event) change((old) => without(old, event.deletedIds));
          else void refresh();
        },
        end: (error) => {
          if (!aborted.signal.aborted) setProblem(sentenceOf(error));
        },
      },
    );
    return () => aborted.abort();
  }, [application, dialogId, key, queries]);
  return problem;
}

/** Distance from the end of the page within which a reader counts as being at the end. */
const NEAR_END_PX = 200;

/** Begins at the newest message, and stays there unless the reader has scrolled up. */
function useNewestInView(newestId: string | undefined): void {
  const isAtEnd = useRef(true);
  useEffect(() => {
    const note = () => {
      const { scrollHeight } = document.documentElement;
      isAtEnd.current = scrollHeight - window.scrollY - window.innerHeight < NEAR_END_PX;
    };
    window.addEventListener('scroll', note, { passive: true });
    return () => window.removeEventListener('scroll', note);
  }, []);
  useLayoutEffect(() => {
    if (newestId !== undefined && isAtEnd.current) window.scrollTo(0, document.documentElement.scrollHeight);
  }, [newestId]);
}
