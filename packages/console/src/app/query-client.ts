import { AtriumError } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { notifications } from '@mantine/notifications';
import { MutationCache, QueryClient } from '@tanstack/react-query';
import { CancelledError } from './access.ts';

/** The client repeats failed queries itself. */
export const queryClient = new QueryClient({
  defaultOptions: { queries: { retry: false, staleTime: 10_000 }, mutations: { retry: false } },
  mutationCache: new MutationCache({
    onError: (error, _variables, _context, mutation) => {
      if (error instanceof CancelledError || mutation.meta?.showsErrors) return;
      notifications.show({ color: 'red', title: t`Not done`, message: sentenceOf(error) });
    },
  }),
});

/** What happened and what to do. */
export function sentenceOf(error: unknown): string {
  if (error instanceof CancelledError) return t`Cancelled. Nothing was changed.`;
  if (!(error instanceof AtriumError)) return error instanceof Error ? error.message : String(error);
  if (error.code === 'UNREACHABLE') return t`The service did not answer. Check that it runs, then try again.`;
  if (error.code === 'RATE_LIMITED') return t`Too many requests. Try again in ${Math.ceil(error.retryAfter ?? 60)} s.`;
  if (error.code === 'SERVICE_UNAVAILABLE') return t`The service is overloaded or has no database. Try again.`;
  if (error.code === 'INTERNAL_SERVER_ERROR') return t`${error.message}. The log of the service has the cause.`;
  return error.message;
}
