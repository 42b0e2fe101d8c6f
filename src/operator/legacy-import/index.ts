import type { AdministrationContext, Services } from '../../context.ts';
import { SourceClient, SourceRefusal } from './client.ts';
import type { SourceCredentials } from './credentials.ts';
import { Ledger } from './ledger.ts';
import type { Told } from './run.ts';
import { Source } from './source.ts';
import { runSteps } from './steps.ts';

export interface MigrationSettings {
  /** Checked (`checkedBaseUrl`). */
  baseUrl: string;
  credentials: SourceCredentials;
  /** Requests in a second. */
  rate: number;
  /** Gives up an unfinished migration and begins anew. */
  restart: boolean;
  /** Whether each user is asked of each public group, too, what they have deleted for themselves and muted. */
  publicDetails: boolean;
  /** Whether the other server had proof of e-mails, phones and provider accounts. */
  identitiesProven: boolean;
  progress: Told;
  /** Stops it behind the page it is at. */
  signal: AbortSignal;
}

export type MigrationContext = AdministrationContext & Pick<Services, 'storage'>;

/** What was read, stored and left out. */
export interface MigrationSummary {
  source: string;
  applicationId: number;
  /** Whether all of it was read and stored before, and this was only what has come or changed since. */
  isRepeated: boolean;
  requests: number;
  [count: string]: string | number | boolean;
}

/**
 * Reads an application from another server that speaks the documented REST paths, and stores it here under its ids. Goes
 * on where an interrupted one stopped; a finished one is repeated with what has come since.
 * @throws {MigrationError} one line of what is wrong with the other server, or with storing what it gave
 */
export async function migrateFrom(settings: MigrationSettings, context: MigrationContext): Promise<MigrationSummary> {
  const { baseUrl, restart, progress, publicDetails, identitiesProven, signal } = settings;
  const { applicationId } = context.viewer;
  const source = await openSource(settings);
  const ledger = new Ledger(applicationId, signal);
  const isResumed = await ledger.open(baseUrl, { startedAt: source.now(), restart });
  if (isResumed) progress.say(`goes on with the step "${ledger.step}"`);
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

/** How much there is, as the other server says; nothing is written. */
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
  const readers = source.hasKey ? (['all'] as const) : source.signedIn;
  const dialogs = new Set<string>();
  counts.messages = 0;
  for (const reader of readers) {
    for (let after = ''; ; ) {
      const page = await source.dialogs(after, reader).catch((error) => {
        if (error instanceof SourceRefusal) return undefined;
        throw error;
      });
      for (const dialog of page?.items ?? []) {
        if (!dialogs.has(dialog.id)) counts.messages += await source.countMessages(dialog, reader);
        dialogs.add(dialog.id);
      }
      const last = page?.items.at(-1)?.id;
      if (last === undefined || last <= after) break;
      after = last;
    }
  }
  return { ...counts, dialogs: dialogs.size, requests: source.requests };
}

async function openSource({ baseUrl, rate, credentials, signal }: MigrationSettings): Promise<Source> {
  const source = new Source(new SourceClient({ baseUrl, rate, signal }), credentials);
  await source.signIn();
  // The first answer tells the other server's clock, and whether it is one that we can read.
  await source.users(0);
  return source;
}
