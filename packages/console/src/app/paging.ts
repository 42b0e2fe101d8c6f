/** Options of an infinite query over a connection. */
export const forward = {
  initialPageParam: null as string | null,
  getNextPageParam: ({ pageInfo }: { pageInfo: { hasNextPage: boolean; endCursor: string | null } }) =>
    pageInfo.hasNextPage ? pageInfo.endCursor : undefined,
};

export const PAGE_SIZE = 50;
