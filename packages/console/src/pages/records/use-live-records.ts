import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { clientOf } from '../../app/clients.ts';
import { RECORD_EVENTS } from '../live/documents.ts';
import { type DataRecord, recordOf } from './documents.ts';
import { type RecordPages, recordsKey, type View } from './view.ts';

export interface LiveRecords {
  /** Number of records that others created or changed, and that the grid does not show. */
  waiting: number;
  /** Call it when the grid is loaded again. */
  clear: () => void;
}

/**
 * Applies changes by others to the loaded records. New ones are added at the end if the grid shows the end; where they
 * belong in a filtered or sorted grid, only the service knows, so that those are counted.
 */
export function useLiveRecords(view: View): LiveRecords {
  const queries = useQueryClient();
  const [waiting, setWaiting] = useState<ReadonlySet<string>>(new Set());
  const key = JSON.stringify(view);
  useEffect(() => {
    const view = JSON.parse(key) as View;
    const queryKey = recordsKey(view);
    const isPlain = view.orderBy === null && Object.keys(view.filter).length === 0;
    const aborted = new AbortController();
    const apply = (recordId: string, record: DataRecord | null) => {
      const pages = queries.getQueryData<RecordPages>(queryKey);
      if (!pages) return;
      const isShown = pages.pages.some(({ edges }) => edges.some(({ node }) => node.id === recordId));
      if (!record) queries.setQueryData<RecordPages>(queryKey, withoutRecord(pages, recordId));
      else if (isShown) queries.setQueryData<RecordPages>(queryKey, withChanged(pages, record));
      else if (!isPlain) setWaiting((old) => new Set(old).add(recordId));
      else if (!pages.pages.at(-1)!.pageInfo.hasNextPage) {
        queries.setQueryData<RecordPages>(queryKey, withRecord(pages, record));
      }
    };
    const where = isPlain ? null : view.filter;
    clientOf(view).subscribe(
      RECORD_EVENTS,
      { className: view.className, where, since: null },
      {
        signal: aborted.signal,
        onGap: () => queries.invalidateQueries({ queryKey }),
        next: ({ recordChanged: { recordId, record } }) => apply(recordId, record && recordOf(record)),
        // Without live updates, the grid shows what it has loaded.
        end: () => {},
      },
    );
    return () => {
      aborted.abort();
      setWaiting(new Set());
    };
  }, [key, queries]);
  return { waiting: waiting.size, clear: () => setWaiting(new Set()) };
}

function withRecord(old: RecordPages, record: DataRecord): RecordPages {
  const last = old.pages.at(-1)!;
  return { ...old, pages: [...old.pages.slice(0, -1), { ...last, edges: [...last.edges, { node: record }] }] };
}

function withChanged(old: RecordPages, record: DataRecord): RecordPages {
  const replace = ({ node }: { node: DataRecord }) => ({ node: node.id === record.id ? record : node });
  return { ...old, pages: old.pages.map((page) => ({ ...page, edges: page.edges.map(replace) })) };
}

function withoutRecord(old: RecordPages, id: string): RecordPages {
  const pages = old.pages.map((page) => ({ ...page, edges: page.edges.filter(({ node }) => node.id !== id) }));
  return { ...old, pages };
}
