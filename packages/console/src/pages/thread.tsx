import { t } from '@lingui/core/macro';
import { Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { query } from '../app/clients.ts';
import type { PicturedUser } from '../app/user-names.ts';
import { Empty, Failure, Loading } from '../ui/page.tsx';
import { DialogLabels } from './dialog-labels.tsx';
import { MessageItem } from './message-item.tsx';
import { MessageList } from './message-list.tsx';
import { MESSAGES, type MessagesPage } from './messages.ts';
import { messagesKey, useLiveMessages } from './use-live-messages.ts';

const PAGE = 50;

interface ThreadProps {
  application: number;
  dialogId: string;
  /** Cursor from before this is shown. */
  since: string;
  userOf: (id: number) => PicturedUser;
}

/** Messages as the occupants see them: the newest at the end, live. */
export function Thread({ application, dialogId, since, userOf }: ThreadProps) {
  const [begin] = useState(since);
  const messages = useInfiniteQuery({
    queryKey: messagesKey(application, dialogId),
    queryFn: async ({ pageParam, signal }) =>
      (await query({ application }, MESSAGES, { dialogId, last: PAGE, before: pageParam }, signal)).messages,
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo: { hasPreviousPage, startCursor } }: MessagesPage) =>
      hasPreviousPage ? startCursor : undefined,
    // Events keep them current; loading all pages again would take longer the further the reader has scrolled.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const problem = useLiveMessages({ application, dialogId, since: begin });
  const rows = messages.data?.pages.toReversed().flatMap(({ edges }) => edges.map(({ node }) => node));
  if (!rows) return messages.error ? <Failure error={messages.error} retry={messages.refetch} /> : <Loading />;
  const mayLoad = messages.hasNextPage && !messages.isFetching && !messages.error;
  return (
    <Stack gap="xs">
      {messages.error && <Failure error={messages.error} retry={() => messages.fetchNextPage()} />}
      {rows.length === 0 ? (
        <Empty title={t`No messages yet`}>{t`New messages appear here as soon as they are sent.`}</Empty>
      ) : (
        <DialogLabels>
          <Text size="sm" c="dimmed" ta="center" mih="1.4em">
            {messages.isFetchingNextPage && t`Loading earlier messages…`}
            {!messages.hasNextPage && t`The dialog begins here.`}
          </Text>
          <MessageList
            rows={rows}
            loadEarlier={mayLoad ? () => void messages.fetchNextPage() : undefined}
            render={(message, previous, next) => (
              <MessageItem
                message={message}
                application={application}
                sender={userOf(message.senderId)}
                previous={previous}
                next={next}
              />
            )}
          />
        </DialogLabels>
      )}
      <Text size="sm" c={problem ? 'var(--mantine-color-error)' : 'dimmed'} role="status">
        {problem ? t`Live updates have stopped. ${problem} Reload the page.` : t`New messages appear here live.`}
      </Text>
    </Stack>
  );
}
