import { ALL, DEVELOPER, OWNER } from '../administration/administrators/rights.ts';
import { requireOwnerOfAll } from '../administration/administrators/rules.ts';
import type { ApplicationCredentials } from '../resolvers/applications/create.ts';
import { createApplication } from '../resolvers/applications/create.ts';
import { deleteApplication, selectedApplication } from '../resolvers/applications/delete.ts';
import { findApplication } from '../resolvers/applications/find.ts';
import { listMyApplications } from '../resolvers/applications/list.ts';
import {
  type ApplicationChanges,
  MAX_NAME,
  NULLABLE_SETTINGS,
  SETTINGS,
  type SettingName,
} from '../resolvers/applications/rules.ts';
import { rotateApplicationSecret } from '../resolvers/applications/secret.ts';
import { updateApplication } from '../resolvers/applications/update.ts';
import { builder } from './builder.ts';
import { columns } from './columns.ts';
import { CONFIRMATION, CREATED_AT, listOfNames, UPDATED_AT } from './descriptions.ts';

const SignatureHash = builder.enumType('SignatureHash', {
  description: 'Hash function of the HMAC that signs a request for a session.',
  values: {
    SHA1: { value: 'sha1', description: 'HMAC-SHA1, 40 hex digits. The default, because legacy clients use it.' },
    SHA256: { value: 'sha256', description: 'HMAC-SHA256, 64 hex digits. Recommended for new clients.' },
  } as const,
});

const PhoneMatching = builder.enumType('PhoneMatching', {
  description: 'How contacts in address books are matched with the phone numbers of users.',
  values: {
    IDENTICAL: { value: 'identical', description: 'Both texts must be identical. The default.' },
    E164: {
      value: 'e164',
      description:
        'Both texts must denote the same number, in any notation. Uses `phoneRegion` for numbers without country ' +
        'code.',
    },
  } as const,
});

const GroupTags = builder.enumType('GroupTags', {
  description: 'Which tags make a user a member of a group in permissions of classes and records.',
  values: {
    GRANTED: { value: 'granted', description: 'Only tags set by an API key. The default for new applications.' },
    SELF: {
      value: 'self',
      description: 'All tags, including those that users set themselves, so that any user can join any group.',
    },
  } as const,
});

const FilesByNumber = builder.enumType('FilesByNumber', {
  description: 'Who may read a non-public file by its numeric id.',
  values: {
    OWNER: {
      value: 'owner',
      description: 'Only its owner and API keys; other sessions need its `uid`. The default for new applications.',
    },
    SESSION: { value: 'session', description: 'Every session of the application. Numeric ids are easy to guess.' },
  } as const,
});

const EmailSignIn = builder.enumType('EmailSignIn', {
  description: 'Who signs in with mailed codes.',
  values: {
    OFF: { value: 'off', description: 'No one. The default.' },
    USERS: { value: 'users', description: 'Users with the address. Other addresses receive no mail.' },
    SIGN_UP: { value: 'signUp', description: 'Users with the address; other addresses sign up a new user.' },
  } as const,
});

/** Types and descriptions of the settings. */
const TYPES: Record<Exclude<SettingName, 'name'>, { type: SettingType; description: string }> = {
  signatureHash: {
    type: SignatureHash,
    description: 'The only hash function accepted in signatures of session requests.',
  },
  publicSignIn: {
    type: 'Boolean',
    description:
      'Whether clients may open sessions with the id of the application alone, without a signature. The first start of ' +
      'the service creates its application with this setting; otherwise it is off.',
  },
  usersList: {
    type: 'Boolean',
    description: 'Whether sessions may list and search the users of the application. API keys always may.',
  },
  groups: {
    type: GroupTags,
    description: 'Which tags make a user a member of a group. Changing the setting deletes no tags.',
  },
  filesByNumber: {
    type: FilesByNumber,
    description: 'Who may read a non-public file by its numeric id.',
  },
  passwordReset: {
    type: 'Boolean',
    description: 'Whether users may request a password reset by mail.',
  },
  strictCredentialChanges: {
    type: 'Boolean',
    description:
      'Whether legacy clients, like all others, need the current password or a recent sign-in to change email ' +
      'address, phone or login.',
  },
  appUrl: {
    type: 'String',
    description:
      'Address of the app, to which the page of a password reset links back: `http`, `https` or a scheme of the app with ' +
      '`://`, at most 2,000 characters. Null shows no link.',
  },
  emailSignIn: {
    type: EmailSignIn,
    description: 'Whether users sign in with a code that is mailed to them (`requestSignInCode`).',
  },
  verifyEmails: {
    type: 'Boolean',
    description:
      'Whether users who sign up with an email address, or change theirs, are sent a code and a link that verify it.',
  },
  verifiedEmailRequired: {
    type: 'Boolean',
    description:
      'Whether users need a verified email address before they send messages or create records. Others fail with ' +
      '`FORBIDDEN`. API keys on behalf of users do not need it.',
  },
  deviceMails: {
    type: 'Boolean',
    description: 'Whether users with a verified address are sent a mail when they sign in on a new device.',
  },
  maxSessionMinutes: {
    type: 'Int',
    description:
      'Minutes after the sign-in at which a session expires in any case, at least 1; also applies to existing sessions. ' +
      'Null: sessions that are used do not expire.',
  },
  guestDays: {
    type: 'Int',
    description:
      'Days without a request after which guests are deleted, at least 1. Null: `createGuestSession` is turned off, and ' +
      'no guest is deleted.',
  },
  dialogCreators: {
    type: ['String'],
    description: 'Roles whose users may create dialogs. With an empty list, every user may. API keys always may.',
  },
  chatPushes: {
    type: 'Boolean',
    description: 'Whether offline occupants receive pushes for new messages.',
  },
  sessionMinutes: {
    type: 'Int',
    description:
      'Minutes after the last request until a session expires, at least 1; also applies to existing sessions. ' +
      'Null selects the default of the server.',
  },
  phoneMatching: {
    type: PhoneMatching,
    description: 'How contacts in address books are matched with users.',
  },
  phoneRegion: {
    type: 'String',
    description:
      'ISO country code of phone numbers without country code, for example `GB`. With null, such numbers match ' +
      'only identical text.',
  },
  answerAssist: {
    type: 'Boolean',
    description: 'Whether `assistAnswer` and `answerStream` are enabled.',
  },
  summarize: {
    type: 'Boolean',
    description: 'Whether `summarizeDialog` and `summaryStream` are enabled.',
  },
  translate: {
    type: 'Boolean',
    description: 'Whether `translateText` is enabled.',
  },
  gateway: {
    type: 'Boolean',
    description: 'Whether `askGateway` is enabled.',
  },
  aiDailyTokens: {
    type: 'Int',
    description: 'Number of model tokens each user may use per day (UTC); 0 or more.',
  },
};

type SettingType =
  | 'Boolean'
  | 'Int'
  | 'String'
  | ['String']
  | typeof SignatureHash
  | typeof PhoneMatching
  | typeof GroupTags
  | typeof EmailSignIn
  | typeof FilesByNumber;

const TYPED = Object.entries(TYPES) as [Exclude<SettingName, 'name'>, (typeof TYPES)['groups']][];

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
      TYPED.map(([name, { type, description }]) => [
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
      TYPED.map(([name, { type, description }]) => [name, t.field({ type: type as 'Boolean', description })]),
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
