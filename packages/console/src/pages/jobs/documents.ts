import { graphql, type ResultOf } from '@atrium/client';

const JOB_FIELDS = graphql(`fragment ConsoleJobFields on Job @_unmask {
  id
  kind
  state
  isRepair
  progress { done total step }
  createdAt
  startedAt
  finishedAt
  cancelRequestedAt
  startedBy { id name }
  error
  backup { bytes sha256 rows files missingFiles isStored expiresAt }
  check { checks { name description isRepairable differences repaired } }
}`);

export const JOBS = graphql(
  `query ConsoleJobs($first: Int!, $after: String) {
    jobs(first: $first, after: $after) {
      edges { node { ...ConsoleJobFields } }
      pageInfo { hasNextPage endCursor }
    }
  }`,
  [JOB_FIELDS],
);

export const JOB = graphql(
  `query ConsoleJob($id: ID!) {
    job(id: $id) { ...ConsoleJobFields check { differences { check row stored expected isRepaired } } }
  }`,
  [JOB_FIELDS],
);

export const JOB_CHANGED = graphql(`subscription ConsoleJobChanged { jobChanged { ...ConsoleJobFields } }`, [
  JOB_FIELDS,
]);

export const START_EXPORT = graphql(`mutation ConsoleStartExport($passphrase: String!) {
  startExport(input: { passphrase: $passphrase }) { id }
}`);

export const START_CHECK = graphql(`mutation ConsoleStartCheck($repair: Boolean!) {
  startCheck(repair: $repair) { id }
}`);

export const CANCEL = graphql(`mutation ConsoleCancelJob($id: ID!) { cancelJob(id: $id) { id } }`);

export const DELETE = graphql(`mutation ConsoleDeleteBackup($id: ID!) { deleteBackup(id: $id) { id } }`);

export const DOWNLOAD = graphql(`mutation ConsoleDownloadBackup($id: ID!) { createBackupDownload(id: $id) { path } }`);

export type ListedJob = ResultOf<typeof JOBS>['jobs']['edges'][number]['node'];
export type ShownJob = ResultOf<typeof JOB>['job'];
export type Difference = NonNullable<ShownJob['check']>['differences'][number];
