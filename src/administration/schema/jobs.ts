import type { JobChange } from '../../realtime/job-notifier.ts';
import { selectedApplication } from '../../resolvers/applications/delete.ts';
import { builder } from '../../schema/builder.ts';
import { CONFIRMATION, CREATED_AT } from '../../schema/descriptions.ts';
import { OWNER } from '../administrators/rights.ts';
import { deleteBackup } from '../jobs/backups.ts';
import { cancelJob } from '../jobs/cancel.ts';
import { createBackupDownload, type DownloadTicket } from '../jobs/downloads.ts';
import { listJobs } from '../jobs/list.ts';
import { subscribeToJobs } from '../jobs/live.ts';
import {
  type Backup,
  backupOf,
  type CheckOutcome,
  type CheckResult,
  checkOf,
  type FoundDifference,
  findJob,
  type Job as JobRow,
} from '../jobs/rows.ts';
import { MAX_PASSPHRASE, MIN_PASSPHRASE, startCheck, startExport } from '../jobs/start.ts';

const JOB_ID = 'Id from `jobs`. An unknown id fails with `NOT_FOUND`.';
const ONE_AT_A_TIME = 'Fails with `UNPROCESSABLE` while one of the application waits or runs.';

const JobKind = builder.enumType('JobKind', {
  description: 'What a job does.',
  values: {
    EXPORT: { value: 'export', description: 'Writes an archive of the application with all data and files.' },
    CHECK: { value: 'check', description: 'Compares stored data with recomputed values.' },
  } as const,
});

const JobState = builder.enumType('JobState', {
  description: 'How far a job is.',
  values: {
    QUEUED: { value: 'queued', description: 'Waits for other jobs. The service runs two at a time.' },
    RUNNING: { value: 'running', description: 'In progress.' },
    SUCCEEDED: { value: 'succeeded', description: 'Completed; a check may have found differences.' },
    FAILED: { value: 'failed', description: 'Ended by an error, which `error` describes.' },
    CANCELED: { value: 'canceled', description: 'Ended by an administrator.' },
    INTERRUPTED: { value: 'interrupted', description: 'Ended because its process stopped; start it again.' },
  } as const,
});

const JobStarter = builder.objectRef<Pick<JobRow, 'administratorId' | 'administratorName'>>('JobStarter').implement({
  description: 'The administrator who started a job, with the data of that time.',
  fields: (t) => ({
    id: t.exposeInt('administratorId', { description: 'Id of the administrator, who may have been deleted since.' }),
    name: t.exposeString('administratorName', { description: 'Name of the administrator when the job was started.' }),
  }),
});

const JobProgress = builder.objectRef<Pick<JobRow, 'done' | 'total' | 'step'>>('JobProgress').implement({
  description: 'How much of a job is done, at most a second old.',
  fields: (t) => ({
    done: t.exposeInt('done', { description: 'Rows and files of an export, checks of a check, that are done.' }),
    total: t.exposeInt('total', {
      nullable: true,
      description: 'Total number of rows, files or checks; null until counted.',
    }),
    step: t.exposeString('step', {
      nullable: true,
      description: 'What the job does now, for example the name of a check; null unless it runs.',
    }),
  }),
});

const BackupType = builder.objectRef<Backup>('Backup').implement({
  description: 'The archive that an export has written.',
  fields: (t) => ({
    bytes: t.expose('bytes', { type: 'SafeInt', description: 'Size in bytes.' }),
    sha256: t.exposeString('sha256', { description: 'SHA-256 of the archive, 64 hex digits, to verify a download.' }),
    rows: t.exposeInt('rows', { description: 'Number of archived rows.' }),
    files: t.exposeInt('files', { description: 'Number of archived files.' }),
    missingFiles: t.exposeInt('missingFiles', {
      description: 'Number of files that rows name but the storage does not have; `startCheck` lists them.',
    }),
    isStored: t.exposeBoolean('isStored', {
      description: 'Whether it can be downloaded: false after `expiresAt` or `deleteBackup`.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the service deletes it.',
    }),
  }),
});

const CheckOutcomeType = builder.objectRef<CheckOutcome>('CheckOutcome').implement({
  description: 'What one of the checks found.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the check, for example `unread counts`.' }),
    description: t.exposeString('description', { description: 'What holds if there are no differences.' }),
    isRepairable: t.exposeBoolean('isRepairable', {
      description: 'Whether a repair corrects differences of this kind. Others need a decision of a person.',
    }),
    differences: t.exposeInt('differences', { description: 'Number of rows or files that differ.' }),
    repaired: t.exposeInt('repaired', { description: 'How many of them were repaired.' }),
  }),
});

const CheckDifference = builder.objectRef<FoundDifference>('CheckDifference').implement({
  description: 'A row or file that differs from what a check expects.',
  fields: (t) => ({
    check: t.exposeString('check', { description: 'Name of the check that found it.' }),
    row: t.expose('row', { type: 'JSON', description: 'Identifies the row or file.' }),
    stored: t.exposeString('stored', { nullable: true, description: 'The stored value; null if it is missing.' }),
    expected: t.exposeString('expected', {
      nullable: true,
      description: 'The recomputed value; null if the row or file should not exist.',
    }),
    isRepaired: t.exposeBoolean('isRepaired', { description: 'Whether the job corrected it.' }),
  }),
});

const CheckReport = builder.objectRef<CheckResult>('CheckReport').implement({
  description: 'Result of a check of an application.',
  fields: (t) => ({
    checks: t.expose('checks', {
      type: [CheckOutcomeType],
      description: 'All checks, also those without differences.',
    }),
    differences: t.expose('found', {
      type: [CheckDifference],
      description: 'The first 20 differences of each check.',
    }),
  }),
});

const Job = builder.objectRef<JobRow>('Job').implement({
  description: 'An export or a check that an administrator started. The service keeps it for 90 days.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier, 24 hex digits.' }),
    kind: t.expose('kind', { type: JobKind, description: 'What it does.' }),
    state: t.expose('state', { type: JobState, description: 'Status of the job.' }),
    isRepair: t.exposeBoolean('isRepair', { description: 'Whether a check repairs differences; false for an export.' }),
    progress: t.field({
      type: JobProgress,
      description: 'Finished and total rows, files or checks.',
      resolve: (job) => job,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: CREATED_AT }),
    startedAt: t.expose('startedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it began to run; null while it waits.',
    }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it ended, with or without success; null before.',
    }),
    cancelRequestedAt: t.expose('cancelRequestedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When an administrator canceled it; null otherwise.',
    }),
    startedBy: t.field({ type: JobStarter, description: 'Who started it.', resolve: (job) => job }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'Why it failed or was interrupted, and what to do; null otherwise.',
    }),
    backup: t.field({
      type: BackupType,
      nullable: true,
      description: 'The archive; null unless an export succeeded.',
      resolve: backupOf,
    }),
    check: t.field({
      type: CheckReport,
      nullable: true,
      description: 'The differences; null unless a check succeeded.',
      resolve: checkOf,
    }),
  }),
});

const BackupDownload = builder.objectRef<DownloadTicket>('BackupDownload').implement({
  description: 'A link that downloads an archive once.',
  fields: (t) => ({
    path: t.exposeString('path', {
      description:
        'Path below the address of the service, for a `GET` request by the browser of the caller. Works once and only ' +
        'with the cookie of the session that created it.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'Until when the download must begin: one minute after the creation.',
    }),
  }),
});

const StartExportInput = builder.inputType('StartExportInput', {
  description: 'How to export the application.',
  fields: (t) => ({
    passphrase: t.string({
      required: true,
      description:
        `Encrypts the secrets in the archive, ${MIN_PASSPHRASE} to ${MAX_PASSPHRASE} characters without surrounding space. The service does not ` +
        'store it: an archive whose passphrase is lost cannot be imported.',
    }),
  }),
});

builder.queryField('jobs', (t) =>
  t.withAuth({ administrator: true }).connection({
    administrator: { roles: OWNER },
    type: Job,
    description: 'Exports and checks of the application that administrators started, newest first.',
    resolve: (_root, args, { viewer }) => listJobs(selectedApplication(viewer), args),
  }),
);

builder.queryField('job', (t) =>
  t.withAuth({ administrator: true }).field({
    administrator: { roles: OWNER },
    type: Job,
    description: 'An export or a check of the application.',
    args: { id: t.arg.id({ required: true, description: JOB_ID }) },
    resolve: (_root, { id }, { viewer }) => findJob(selectedApplication(viewer), id),
  }),
);

builder.mutationField('startExport', (t) =>
  t.withAuth({ administrator: true }).field({
    administrator: { roles: OWNER, isConfirmed: true },
    type: Job,
    description:
      'Starts an export of the application into an archive that `cli import` reads. The service stores the archive for ' +
      `\`BACKUP_DAYS\`, at most ten of an application. ${ONE_AT_A_TIME} ${CONFIRMATION}`,
    args: { input: t.arg({ type: StartExportInput, required: true, description: 'How to export.' }) },
    resolve: (_root, { input }, context) => startExport(input, context),
  }),
);

builder.mutationField('startCheck', (t) =>
  t.withAuth({ administrator: true }).field({
    administrator: { roles: OWNER },
    type: Job,
    description: `Starts a check of the application. It does not block users. ${ONE_AT_A_TIME}`,
    args: {
      repair: t.arg.boolean({
        required: true,
        defaultValue: false,
        description:
          'Whether to correct counters and remove orphaned rows. Fails with `CONFIRMATION_REQUIRED` ' +
          'unless the caller signed in or called `confirmAdministrator` within 15 minutes.',
      }),
    },
    resolve: (_root, { repair }, context) => startCheck(repair, context),
  }),
);

builder.mutationField('cancelJob', (t) =>
  t.withAuth({ administrator: true }).field({
    administrator: { roles: OWNER },
    type: Job,
    description:
      'Cancels a job. A queued job ends immediately; a running job stays `RUNNING` for a few seconds. ' +
      'Completed repairs are kept. Fails with `UNPROCESSABLE` if the job has ended.',
    args: { id: t.arg.id({ required: true, description: JOB_ID }) },
    resolve: (_root, { id }, context) => cancelJob(id, context),
  }),
);

builder.mutationField('deleteBackup', (t) =>
  t.withAuth({ administrator: true }).field({
    administrator: { roles: OWNER, isConfirmed: true },
    type: Job,
    description: `Deletes the archive of an export before it expires. ${CONFIRMATION}`,
    args: {
      id: t.arg.id({ required: true, description: 'Id of the job. Fails with `NOT_FOUND` without a stored archive.' }),
    },
    resolve: (_root, { id }, context) => deleteBackup(id, context),
  }),
);

builder.mutationField('createBackupDownload', (t) =>
  t.withAuth({ administrator: true }).field({
    administrator: { roles: OWNER, isConfirmed: true },
    type: BackupDownload,
    description: `Creates a link to download the archive of an export. ${CONFIRMATION}`,
    args: {
      id: t.arg.id({ required: true, description: 'Id of the job. Fails with `NOT_FOUND` without a stored archive.' }),
    },
    resolve: (_root, { id }, context) => createBackupDownload(id, context),
  }),
);

builder.subscriptionField('jobChanged', (t) =>
  t.withAuth({ administrator: true }).field({
    administrator: { roles: OWNER },
    type: Job,
    description:
      'Delivers the jobs of the application that wait or run, then each change of a job, also of its progress. If ' +
      'processes lose their connection, a change can be missing; `job` has the current state.',
    subscribe: (_root, _args, context) => subscribeToJobs(context),
    resolve: ({ payload }: { payload: JobChange }) => findJob(payload.applicationId, payload.id),
  }),
);
