export interface Page {
  edges: { cursor: string; node: { id: string } }[];
  pageInfo: {
    hasNextPage: boolean;
    hasPreviousPage: boolean;
    startCursor: string | null;
    endCursor: string | null;
  };
}

/** Ids of a connection, page by page. @throws if a page is inconsistent */
export async function walk(
  page: (variables: object) => Promise<Page>,
  size: number,
  way: 'forward' | 'backward',
): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  for (;;) {
    const { edges, pageInfo }: Page = await page(
      way === 'forward' ? { first: size, after: cursor } : { last: size, before: cursor },
    );
    if (edges.length > size) throw new Error('the page is longer than asked for');
    if (pageInfo.startCursor !== (edges.at(0)?.cursor ?? null)) throw new Error('startCursor is not the first');
    if (pageInfo.endCursor !== (edges.at(-1)?.cursor ?? null)) throw new Error('endCursor is not the last');
    const found = edges.map((edge) => edge.node.id);
    if (way === 'forward') ids.push(...found);
    else ids.unshift(...found);
    const isMore = way === 'forward' ? pageInfo.hasNextPage : pageInfo.hasPreviousPage;
    if (!isMore) return ids;
    if (edges.length === 0) throw new Error('an empty page says that there is more');
    cursor = way === 'forward' ? pageInfo.endCursor : pageInfo.startCursor;
  }
}
