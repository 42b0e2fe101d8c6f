import { type AssignedRole, administratorOf } from '../../lib/access.ts';
import { builder } from '../../schema/builder.ts';
import { CONFIRMATION, CREATED_AT } from '../../schema/descriptions.ts';
import {
  deleteInvitation,
  type Invitation,
  inviteAdministrator,
  listInvitations,
  type SentInvitation,
} from '../administrators/invitations.ts';
import { acceptAdministratorLink, findAdministratorLink, type ValidLink } from '../administrators/links.ts';
import { listAdministrators } from '../administrators/list.ts';
import { requestAdministratorLink } from '../administrators/reset-links.ts';
import { OWNER } from '../administrators/rights.ts';
import type { Administrator as AdministratorRow } from '../administrators/rows.ts';
import { MAX_NAME, MAX_PASSWORD, MAX_ROLES, MIN_PASSWORD } from '../administrators/rules.ts';
import { currentAdministrator } from '../administrators/sign-in.ts';
import { deleteAdministrator, updateAdministrator } from '../administrators/update.ts';

export const PASSWORD = `${MIN_PASSWORD} to ${MAX_PASSWORD} characters; must differ from the email address.`;
export const CODE = 'Code of the authenticator app (6 digits) or a recovery code. Required if the account has TOTP.';
export const EMAIL = 'Email address; case-insensitive.';
const NAME = `Name that other administrators see, 1 to ${MAX_NAME} characters.`;

const Role = builder.enumType('AdministratorRoleName', {
  description: 'What an administrator may do in an application.',
  values: {
    OWNER: { value: 'owner', description: 'Everything, including administrators, secrets and deletion.' },
    DEVELOPER: { value: 'developer', description: 'Classes, records, settings, API keys and files.' },
    SUPPORT: { value: 'support', description: 'Users, dialogs and files; messages only with a stated reason.' },
    VIEWER: { value: 'viewer', description: 'Settings, classes and figures, but no data of users.' },
  } as const,
});

const AdministratorRole = builder.objectRef<AssignedRole>('AdministratorRole').implement({
  description: 'What an administrator may do in an application, or in all.',
  fields: (t) => ({
    applicationId: t.exposeInt('applicationId', {
      nullable: true,
      description: 'Id of the application; null if the role applies to all applications.',
    }),
    role: t.expose('role', { type: Role, description: 'What the administrator may do there.' }),
  }),
});

export const Administrator = builder.objectRef<AdministratorRow>('Administrator').implement({
  description: 'A person who uses the console.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Numeric id, for `updateAdministrator` and `deleteAdministrator`.' }),
    email: t.exposeString('email', { description: 'Email address in lower case; identifies the account at sign-in.' }),
    name: t.exposeString('name', { description: 'Name that other administrators see.' }),
    hasTotp: t.exposeBoolean('hasTotp', { description: 'Whether signing in requires a code besides the password.' }),
    passkeyCount: t.exposeInt('passkeyCount', {
      description: 'Number of passkeys with which the administrator can sign in without a password.',
    }),
    roles: t.expose('roles', {
      type: [AdministratorRole],
      description: 'What the administrator may do, per application.',
    }),
    confirmedUntil: t.expose('confirmedUntil', {
      type: 'DateTime',
      nullable: true,
      description:
        'Until when the caller may delete data and read secrets without another confirmation; null for other ' +
        'administrators.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: CREATED_AT }),
    signedInAt: t.expose('signedInAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the latest sign-in; null if there was none.',
    }),
  }),
});

const LinkPurpose = builder.enumType('AdministratorLinkPurpose', {
  description: 'What a link of the console is for.',
  values: {
    SETUP: { value: 'setup', description: 'Creates the first administrator. Valid for 15 minutes.' },
    INVITATION: { value: 'invitation', description: 'Accepts an invitation. Valid for seven days.' },
    PASSWORD_RESET: { value: 'passwordReset', description: 'Sets a new password. Valid for one hour.' },
  } as const,
});

const AdministratorLink = builder.objectRef<ValidLink>('AdministratorLink').implement({
  description: 'The account of a link of the console.',
  fields: (t) => ({
    purpose: t.expose('purpose', { type: LinkPurpose, description: 'What the link is for.' }),
    email: t.exposeString('email', { nullable: true, description: 'Email address of the account; null for `SETUP`.' }),
    name: t.exposeString('name', { nullable: true, description: 'Name of the person; null for `SETUP`.' }),
    hasAccount: t.exposeBoolean('hasAccount', {
      description: 'Whether the account exists. It then accepts an invitation with its present password.',
    }),
    hasTotp: t.exposeBoolean('hasTotp', { description: 'Whether accepting the link requires a code.' }),
    passkeyNames: t.exposeStringList('passkeyNames', {
      description: 'For `PASSWORD_RESET`: names of the passkeys that `keepPasskeys` keeps, oldest first.',
    }),
  }),
});

const AdministratorInvitation = builder.objectRef<Invitation>('AdministratorInvitation').implement({
  description: 'A person who may become an administrator, or receive further roles.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Numeric id, for `deleteAdministratorInvitation`.' }),
    email: t.exposeString('email', { description: 'Email address in lower case.' }),
    name: t.exposeString('name', { description: 'Name that the inviting administrator entered.' }),
    roles: t.expose('roles', {
      type: [AdministratorRole],
      description: 'Roles that the person receives, in applications that the caller owns.',
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When the link stops working.' }),
  }),
});

const Sent = builder.objectRef<SentInvitation>('SentAdministratorInvitation').implement({
  description: 'An invitation with the link to accept it.',
  fields: (t) => ({
    invitation: t.expose('invitation', {
      type: AdministratorInvitation,
      description: 'What the person was invited to.',
    }),
    url: t.exposeString('url', {
      nullable: true,
      description:
        'Link to accept the invitation; works once, within seven days. Null for callers who do not own all ' +
        'applications, because its page shows whether the person has an account.',
    }),
    isMailed: t.exposeBoolean('isMailed', {
      description:
        'Whether the mail server accepted the invitation. Otherwise an owner of all applications passes `url` on.',
    }),
  }),
});

const AdministratorRoleInput = builder.inputType('AdministratorRoleInput', {
  description: 'A role to assign.',
  fields: (t) => ({
    applicationId: t.int({ description: 'Id of the application; null or omitted: all applications.' }),
    role: t.field({ type: Role, required: true, description: 'What the administrator may do there.' }),
  }),
});

const AcceptLinkInput = builder.inputType('AcceptAdministratorLinkInput', {
  description: 'The account data of a person who accepts a link.',
  fields: (t) => ({
    email: t.string({ description: `${EMAIL} Required for \`SETUP\`, otherwise ignored.` }),
    name: t.string({ description: `${NAME} Default: the name in the invitation, or the email address.` }),
    password: t.string({
      description:
        `The new password: ${PASSWORD} For an invitation of an existing account: its present password, or null if the ` +
        'request contains a session of the account.',
    }),
    code: t.string({ description: CODE }),
    keepPasskeys: t.boolean({
      defaultValue: false,
      description: 'For `PASSWORD_RESET`: whether the account keeps its passkeys. Otherwise they are deleted.',
    }),
  }),
});

const InviteInput = builder.inputType('InviteAdministratorInput', {
  description: 'The person to invite.',
  fields: (t) => ({
    email: t.string({ required: true, description: EMAIL }),
    name: t.string({ required: true, description: NAME }),
    roles: t.field({
      type: [AdministratorRoleInput],
      required: true,
      description: `Roles to assign, 1 to ${MAX_ROLES}.`,
    }),
  }),
});

const UpdateInput = builder.inputType('UpdateAdministratorInput', {
  description: 'The fields to change. Omitted fields and null leave a field unchanged.',
  fields: (t) => ({
    name: t.string({ description: NAME }),
    roles: t.field({
      type: [AdministratorRoleInput],
      description: `All roles, at most ${MAX_ROLES}; replaces the present ones.`,
    }),
  }),
});

const rolesOf = (roles: readonly { applicationId?: number | null; role: AssignedRole['role'] }[]): AssignedRole[] =>
  roles.map(({ applicationId = null, role }) => ({ applicationId, role }));

builder.queryField('administrator', (t) =>
  t.withAuth({ anyone: true }).field({
    type: Administrator,
    nullable: true,
    description: 'The administrator whose cookie the request contains; null without a valid cookie.',
    resolve: (_root, _args, { viewer }) => currentAdministrator(administratorOf(viewer)),
  }),
);

builder.queryField('administrators', (t) =>
  t.withAuth({ administrator: true }).field({
    administrator: { roles: OWNER },
    type: [Administrator],
    description: 'Administrators with a role in an application that the caller owns, oldest first.',
    resolve: (_root, _args, { viewer }) => listAdministrators(viewer),
  }),
);

builder.queryField('administratorInvitations', (t) =>
  t.withAuth({ administrator: true }).field({
    administrator: { roles: OWNER },
    type: [AdministratorInvitation],
    description: 'Invitations to applications that the caller owns, neither accepted nor expired, oldest first.',
    resolve: (_root, _args, context) => listInvitations(context.viewer, context),
  }),
);

builder.queryField('administratorLink', (t) =>
  t.withAuth({ anyone: true }).field({
    type: AdministratorLink,
    nullable: true,
    description: 'The account of a link of the console; null if the link is unknown, expired or used.',
    rateLimit: 'console',
    args: { token: t.arg.string({ required: true, description: 'The part of the link after `#`.' }) },
    resolve: (_root, { token }, context) => findAdministratorLink(token, context),
  }),
);

builder.mutationField('acceptAdministratorLink', (t) =>
  t.withAuth({ anyone: true }).field({
    type: Administrator,
    description:
      'Sets the password of the account of a link, ends its other sessions and signs in. An invitation of an existing ' +
      'account adds its roles instead. The link then no longer works. Fails with `UNPROCESSABLE` if the link or a value ' +
      'is invalid.',
    rateLimit: 'console',
    args: {
      token: t.arg.string({ required: true, description: 'The part of the link after `#`.' }),
      input: t.arg({ type: AcceptLinkInput, required: true, description: 'The account data.' }),
    },
    resolve: (_root, { token, input }, context) => acceptAdministratorLink(token, input, context),
  }),
);

builder.mutationField('requestAdministratorLink', (t) =>
  t.withAuth({ anyone: true }).boolean({
    description:
      'Emails an administrator a link to set a new password. Always returns true, so that it does not reveal who is an ' +
      'administrator. At most one mail per minute and address.',
    rateLimit: 'console',
    args: { email: t.arg.string({ required: true, description: EMAIL }) },
    resolve: (_root, { email }, context) => requestAdministratorLink(email, context),
  }),
);

builder.mutationField('inviteAdministrator', (t) =>
  t.withAuth({ administrator: true }).field({
    administrator: { roles: OWNER, isConfirmed: true },
    type: Sent,
    description:
      'Emails a person an invitation. A repeated invitation replaces the previous one. The caller must own the ' +
      `applications of the roles. At most 30 a day. ${CONFIRMATION}`,
    args: { input: t.arg({ type: InviteInput, required: true, description: 'The person to invite.' }) },
    resolve: (_root, { input: { email, name, roles } }, context) =>
      inviteAdministrator({ email, name, roles: rolesOf(roles) }, context.viewer, context),
  }),
);

builder.mutationField('deleteAdministratorInvitation', (t) =>
  t.withAuth({ administrator: true }).boolean({
    administrator: { roles: OWNER, isConfirmed: true },
    description:
      'Deletes an invitation, so that its link no longer works. The caller must own all its applications. ' +
      CONFIRMATION,
    args: { id: t.arg.int({ required: true, description: 'Id from `administratorInvitations`.' }) },
    resolve: (_root, { id }, { viewer }) => deleteInvitation(id, viewer),
  }),
);

builder.mutationField('updateAdministrator', (t) =>
  t.withAuth({ administrator: true }).field({
    administrator: { roles: OWNER, isConfirmed: true },
    type: Administrator,
    description:
      'Changes name or roles. The caller must own the applications of the roles that change, and one owner of all ' +
      `applications must remain. ${CONFIRMATION}`,
    args: {
      id: t.arg.int({ required: true, description: 'Id from `administrators`.' }),
      input: t.arg({ type: UpdateInput, required: true, description: 'The fields to change.' }),
    },
    resolve: (_root, { id, input: { name, roles } }, context) =>
      updateAdministrator(id, { name, roles: roles && rolesOf(roles) }, context.viewer, context),
  }),
);

builder.mutationField('deleteAdministrator', (t) =>
  t.withAuth({ administrator: true }).boolean({
    administrator: { roles: OWNER, isConfirmed: true },
    description:
      'Deletes an administrator and ends their sessions. Requires an owner of all applications, of whom one must ' +
      `remain. ${CONFIRMATION}`,
    args: { id: t.arg.int({ required: true, description: 'Id from `administrators`.' }) },
    resolve: (_root, { id }, { viewer }) => deleteAdministrator(id, viewer),
  }),
);
