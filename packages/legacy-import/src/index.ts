import { SourceClient } from './client.ts';
import type { SourceCredentials } from './credentials.ts';
import { MigrationError, SourceError } from './errors.ts';
import { Ledger } from './ledger.ts';
import { pagesById } from './read/pages.ts';
import type { MigrationContext, RunOptions } from './run.ts';
import { Source } from './source.ts';
import { FIRST_STEP, runSteps } from './steps.ts';

export { checkedChatEndpoint } from './chat-client.ts';
export { checkedBaseUrl } from './client.ts';
export { readCredentials } from './credentials.ts';

export interface MigrationSettings extends RunOptions {
  baseUrl: string;
  applicationId: number;
  /** Undefined: contacts and privacy lists are not read. */
  chatEndpoint: string | undefined;
  credentials: SourceCredentials;
  rate: number;
  restart: boolean;
  signal: AbortSignal;
}

export interface MigrationSummary {
  source: string;
  applicationId: number;
  isRepeated: boolean;
  requests: number;
  [count: string]: string | number | boolean;
}

/** Resumes an interrupted run; after a completed one, transfers changes. @throws {MigrationError} in one line */
export async function migrateFrom(settings: MigrationSettings, context: MigrationContext): Promise<MigrationSummary> {
  const { baseUrl, restart, progress, publicDetails, identitiesProven, signal } = settings;
  const { applicationId } = context.viewer;
  const source = await openSource(settings);
  const ledger = new Ledger(applicationId, signal);
  const isResumed = await ledger.open(baseUrl, { startedAt: source.now(), restart, firstStep: FIRST_STEP });
  if (isResumed) progress.say(`resuming at step "${ledger.step}"`);
  await runSteps({ source, ledger, progress, publicDetails, identitiesProven, context });
  const { dialogsByKey: _hidden, ...counts } = ledger.counts;
  return {
    source: baseUrl,
    applicationId,
    isRepeated: ledger.since !== undefined,
    requests: source.requests,
    ...(await ledger.totals()),
    ...counts,
  };
}

export async function countAtSource(settings: MigrationSettings): Promise<Record<string, number | string>> {
  const source = await openSource(settings);
  const { progress } = settings;
  const { total_entries: users } = await source.users(0);
  const counts: Record<string, number | string> = { source: settings.baseUrl, users };
  if (source.hasKey) {
    const classes = await source.classes();
    progress.begin('classes', classes.length);
    counts.classes = classes.length;
    counts.records = 0;
    for (const { name } of classes) {
      counts.records += await source.countRecords(name, 'all');
      progress.advance();
    }
  }
  const dialogs = new Set<string>();
  counts.messages = 0;
  for (const reader of source.hasKey ? (['all'] as const) : source.signedIn) {
    const read = (after: string) =>
      source.dialogs(after, reader).catch((error) => {
        if (error instanceof SourceError) return undefined;
        throw error;
      });
    for await (const { items } of pagesById({ what: 'dialogs', after: '', read })) {
      for (const dialog of items) {
        if (!dialogs.has(dialog.id)) counts.messages += await source.countMessages(dialog, reader);
        dialogs.add(dialog.id);
      }
    }
  }
  for (const account of await source.chatAccounts(settings.applicationId)) {
    const { contacts, lists } = await source.chat(account);
    counts.contacts = Number(counts.contacts ?? 0) + contacts.length;
    counts.privacyLists = Number(counts.privacyLists ?? 0) + lists.length;
  }
  return { ...counts, dialogs: dialogs.size, requests: source.requests };
}

async function openSource(settings: MigrationSettings): Promise<Source> {
  const { baseUrl, rate, credentials, signal, chatEndpoint } = settings;
  requireUsers(settings);
  const source = new Source(new SourceClient({ baseUrl, rate, signal }), credentials, chatEndpoint);
  await source.signIn();
  // Measures the clock of the other server and verifies that its responses are readable.
  await source.users(0);
  return source;
}

/** @throws {MigrationError} the chat without users, or an API key with users who would not be used */
function requireUsers({ chatEndpoint, credentials: { apiKey, users } }: MigrationSettings): void {
  if (chatEndpoint !== undefined && users.length === 0)
    throw new MigrationError('--chat-endpoint needs users with login and password, because the chat has no API keys');
  if (chatEndpoint === undefined && apiKey !== undefined && users.length > 0)
    throw new MigrationError('with an API key, users are only for --chat-endpoint');
}
