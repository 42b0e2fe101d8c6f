import { ALL, DEVELOPER, OWNER } from '../administration/administrators/rights.ts';
import { requireOwnerOfAll } from '../administration/administrators/rules.ts';
import type { ApplicationCredentials } from '../resolvers/applications/create.ts';
import { createApplication } from '../resolvers/applications/create.ts';
import { deleteApplication, selectedApplication } from '../resolvers/applications/delete.ts';
import { findApplication } from '../resolvers/applications/find.ts';
import { listMyApplications } from '../resolvers/applications/list.ts';
import { type ApplicationChanges, MAX_NAME, NULLABLE_SETTINGS, SETTINGS } from '../resolvers/applications/rules.ts';
import { rotateApplicationSecret } from '../resolvers/applications/secret.ts';
import { updateApplication } from '../resolvers/applications/update.ts';
import { NAMED_SETTINGS } from './application-settings.ts';
import { builder } from './builder.ts';
import { columns } from './columns.ts';
import { CONFIRMATION, CREATED_AT, listOfNames, UPDATED_AT } from './descriptions.ts';

const Application = builder.prismaObject('Application', {
  description: 'An application and its settings.',
  select: columns('id', 'authKey', ...SETTINGS, 'createdAt', 'updatedAt'),
  fields: (t) => ({
    id: t.exposeInt('id', {
      description: 'Application id. Clients send it as `application_id` when they create a session.',
    }),
    name: t.exposeString('name', { description: 'Display name; the server does not use it.' }),
    authKey: t.exposeString('authKey', {
      description: 'Key that clients send as `auth_key` when they create a session.',
    }),
    ...(Object.fromEntries(
      NAMED_SETTINGS.map(([name, { type, description }]) => [
        name,
        // The types of the columns are those of the settings, which Pothos cannot know here.
        t.expose(name as 'usersList', {
          type: type as 'Boolean',
          nullable: NULLABLE_SETTINGS.includes(name),
          description,
        }),
      ]),
    ) as object),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: CREATED_AT }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: UPDATED_AT }),
  }),
});

const UpdateApplicationInput = builder.inputRef<ApplicationChanges>('UpdateApplicationInput').implement({
  description:
    'The settings to change. Omitted fields remain unchanged; so does null, except for ' +
    `${listOfNames(NULLABLE_SETTINGS)}.`,
  fields: (t) => ({
    name: t.string({ description: `Display name, 1 to ${MAX_NAME} characters.` }),
    ...(Object.fromEntries(
      NAMED_SETTINGS.map(([name, { type, description }]) => [name, t.field({ type: type as 'Boolean', description })]),
    ) as object),
  }),
});

const NewApplication = builder.objectRef<ApplicationCredentials>('NewApplication').implement({
  description: 'A new application with its secrets, which are shown only once.',
  fields: (t) => ({
    applicationId: t.exposeInt('applicationId', {
      description: 'Clients send it as `application_id` when they create a session.',
    }),
    authKey: t.exposeString('authKey', {
      description: 'Key that clients send as `auth_key` when they create a session.',
    }),
    authSecret: t.exposeString('authSecret', { description: 'Key of the HMAC that signs requests for a session.' }),
    apiKey: t.exposeString('apiKey', { description: 'First API key, to send as `Authorization: ApiKey <key>`.' }),
  }),
});

builder.queryField('applications', (t) =>
  t.withAuth({ administrator: true }).prismaField({
    administrator: { roles: ALL },
    type: [Application],
    description: 'Applications in which the caller has a role, sorted by `id`.',
    resolve: (selection, _root, _args, { viewer }) => listMyApplications(viewer, selection),
  }),
);

builder.mutationField('createApplication', (t) =>
  t.withAuth({ administrator: true }).field({
    administrator: { roles: OWNER, isConfirmed: true },
    type: NewApplication,
    description:
      'Creates an application with one API key. Requires an owner of all applications. An invalid name fails with ' +
      `\`UNPROCESSABLE\`. ${CONFIRMATION}`,
    args: { name: t.arg.string({ required: true, description: `Display name, 1 to ${MAX_NAME} characters.` }) },
    resolve: (_root, { name }, context) => {
      requireOwnerOfAll(context.viewer);
      return createApplication({ name }, context, context.viewer);
    },
  }),
);

builder.mutationField('deleteApplication', (t) =>
  t.withAuth({ administrator: true }).boolean({
    administrator: { roles: OWNER, isConfirmed: true },
    description:
      'Deletes the application of the header `Application` with all users, dialogs, records and files. Its sessions and ' +
      `API keys end at once; rows and files are removed in the background. ${CONFIRMATION}`,
    resolve: (_root, _args, context) => deleteApplication(selectedApplication(context.viewer), context.viewer, context),
  }),
);

builder.mutationField('rotateApplicationSecret', (t) =>
  t.withAuth({ administrator: true }).string({
    administrator: { roles: OWNER, isConfirmed: true },
    description:
      'Replaces the key of the HMAC that signs requests for a session, and returns the new one. Requests signed with the ' +
      `old key fail from now on; open sessions remain valid. ${CONFIRMATION}`,
    resolve: (_root, _args, context) =>
      rotateApplicationSecret(selectedApplication(context.viewer), context.viewer, context),
  }),
);

builder.queryField('application', (t) =>
  t.withAuth({ key: true }).prismaField({
    scope: 'settings',
    administrator: { roles: ALL },
    type: Application,
    description: 'The application of the API key.',
    resolve: (selection, _root, _args, { viewer }) => findApplication(viewer.applicationId, selection),
  }),
);

builder.mutationField('updateApplication', (t) =>
  t.withAuth({ key: true }).prismaField({
    scope: 'settings',
    administrator: {
      roles: DEVELOPER,
      isConfirmed: true,
      harmlessMembers: [
        'name',
        'chatPushes',
        'phoneRegion',
        'answerAssist',
        'summarize',
        'translate',
        'gateway',
        'aiDailyTokens',
      ],
    },
    type: Application,
    description: 'Changes settings of the application of the API key. Invalid values fail with `UNPROCESSABLE`.',
    args: { input: t.arg({ type: UpdateApplicationInput, required: true, description: 'The settings to change.' }) },
    resolve: (selection, _root, { input }, context) => updateApplication(input, context, selection),
  }),
);
