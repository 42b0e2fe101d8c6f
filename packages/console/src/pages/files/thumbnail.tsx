import { IconFile } from '@tabler/icons-react';
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { query } from '../../app/clients.ts';
import { ADDRESS, addressOf, IMAGE, type ListedFile } from './documents.ts';

/** Larger images would take longer than the list. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Shorter than the life of the ticket in the address of a private file. An open list does not renew them, because each
 * time is a read in the audit log.
 */
const FRESH_MS = 10 * 60_000;

export const hasThumbnail = (contentType: string, size: number) => IMAGE.test(contentType) && size <= MAX_BYTES;

/** The image, or the sign of a file if there is no address or the browser cannot show it. */
export function Thumbnail({ address, name }: { address: string | undefined; name: string }) {
  const [failed, setFailed] = useState<string>();
  if (address === undefined || failed === address) return <IconFile size={14} className="soft" aria-hidden="true" />;
  return <img className="thumbnail" src={address} alt={name} loading="lazy" onError={() => setFailed(address)} />;
}

/** @returns the addresses of the images of loaded pages by id, which one request for each page finds */
export function useImageAddresses(
  application: number,
  pages: readonly { edges: readonly { node: ListedFile }[] }[],
  opens: boolean,
): ReadonlyMap<number, string> {
  return useQueries({
    queries: pages.map(({ edges }) => {
      const shown = edges.filter(
        ({ node }) => node.size !== null && hasThumbnail(node.contentType, node.size) && (node.public || opens),
      );
      const files = shown.map(({ node }) => String(node.id));
      return {
        queryKey: [application, 'file-addresses', files],
        queryFn: async ({ signal }: { signal: AbortSignal }) => {
          const { fileAddresses } = await query({ application }, ADDRESS, { files }, signal);
          return shown.flatMap(({ node: { id } }, index): [number, string][] => {
            const found = fileAddresses[index];
            return found ? [[id, addressOf(found.url)]] : [];
          });
        },
        enabled: files.length > 0,
        staleTime: FRESH_MS,
      };
    }),
    combine: (results) => new Map(results.flatMap(({ data = [] }) => data)),
  });
}
