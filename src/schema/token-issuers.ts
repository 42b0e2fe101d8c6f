import { DEVELOPER, SUPPORT } from '../administration/administrators/rights.ts';
import {
  type BegunSignIn as Begun,
  beginProviderSignIn,
  finishProviderSignIn,
  redirectUriOf,
} from '../resolvers/sessions/provider-sign-in.ts';
import {
  ALGORITHMS,
  deleteTokenIssuer,
  listTokenIssuers,
  MAX_LISTED,
  updateTokenIssuer,
} from '../resolvers/sessions/token-issuers.ts';
import { linkIdentity, listIdentities, unlinkIdentity } from '../resolvers/sessions/token-sign-in.ts';
import { builder } from './builder.ts';
import { CREATED_AT, listOfNames, UPDATED_AT } from './descriptions.ts';
import { SessionIdToken, SessionProviderCode } from './sessions.ts';

const FIELDS = {
  name: 'Name in the application, such as `google`: lower-case letters, digits and `-`.',
  issuer: 'Exact value of the claim `iss`, for example `https://accounts.google.com`. Unique in the application.',
  audiences: `Accepted values of the claim \`aud\`, the client ids of the app: 1 to ${MAX_LISTED}.`,
  keysUrl: 'Address of the key set (JWKS). Null: from the discovery document of the issuer.',
  algorithms: `Accepted algorithms, of ${listOfNames(ALGORITHMS)}. Default: \`RS256\` and \`ES256\`.`,
  keyIds: 'Accepted ids (`kid`) of keys. Default: all keys of the set.',
  subjectClaim: 'Claim that identifies the user. Default: `sub`.',
  isSingleUse: 'Whether each token signs in once. Default: true.',
  signsUp: 'Whether unknown identities sign up a new user. Default: true.',
};

const IssuerKind = builder.enumType('IssuerKind', {
  description: 'Protocol of an issuer.',
  values: {
    OPENID: { value: 'openid', description: 'OpenID Connect, or tokens of your own. The default.' },
    GITHUB: { value: 'github', description: 'GitHub, at `https://github.com` or an enterprise server.' },
  } as const,
});

const CLIENT = {
  id: 'Client id at the issuer.',
  scopes: 'Requested scopes. Default: `openid email profile`, or `read:user user:email` at GitHub.',
  returnAddresses: `Addresses of the app to which the page \`/sign-in\` returns, 1 to ${MAX_LISTED}.`,
};

const ProviderClientInput = builder.inputType('ProviderClientInput', {
  description: 'A client at the issuer, with which the page `/sign-in` signs users in.',
  fields: (t) => ({
    id: t.string({ required: true, description: CLIENT.id }),
    secret: t.string({ description: 'Client secret. Omitted: the stored one, or none for a public client.' }),
    privateKey: t.string({ description: 'Private key of Apple in PEM form, in place of a secret.' }),
    keyId: t.string({ description: 'Id of the private key of Apple.' }),
    teamId: t.string({ description: 'Team id at Apple.' }),
    scopes: t.stringList({ description: CLIENT.scopes }),
    returnAddresses: t.stringList({ required: true, description: CLIENT.returnAddresses }),
  }),
});

const TokenIssuer = builder.prismaObject('TokenIssuer', {
  description:
    'An issuer of JSON Web Tokens with which the users of the application sign in: OpenID Connect, or your own.',
  fields: (t) => ({
    name: t.exposeString('name', { description: FIELDS.name }),
    issuer: t.exposeString('issuer', { description: FIELDS.issuer }),
    audiences: t.exposeStringList('audiences', { description: FIELDS.audiences }),
    keysUrl: t.exposeString('keysUrl', { nullable: true, description: FIELDS.keysUrl }),
    algorithms: t.exposeStringList('algorithms', { description: FIELDS.algorithms }),
    keyIds: t.exposeStringList('keyIds', { description: FIELDS.keyIds }),
    subjectClaim: t.exposeString('subjectClaim', { description: FIELDS.subjectClaim }),
    isSingleUse: t.exposeBoolean('isSingleUse', { description: FIELDS.isSingleUse }),
    signsUp: t.exposeBoolean('signsUp', { description: FIELDS.signsUp }),
    kind: t.expose('kind', { type: IssuerKind, description: 'Protocol of the issuer.' }),
    clientId: t.exposeString('clientId', { nullable: true, description: 'Client id; null: only tokens are accepted.' }),
    hasSecret: t.boolean({
      description: 'Whether a client secret or private key is stored.',
      resolve: ({ encryptedSecret }) => encryptedSecret !== null,
    }),
    scopes: t.exposeStringList('scopes', { description: CLIENT.scopes }),
    returnAddresses: t.exposeStringList('returnAddresses', { description: CLIENT.returnAddresses }),
    redirectUri: t.string({
      description: 'Address to register with the issuer for the client.',
      resolve: ({ applicationId, name }, _args, context) => redirectUriOf({ applicationId, provider: name }, context),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: CREATED_AT }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: UPDATED_AT }),
  }),
});

const TokenIssuerInput = builder.inputType('TokenIssuerInput', {
  description: 'All settings of an issuer; omitted ones have their default.',
  fields: (t) => ({
    name: t.string({ required: true, description: FIELDS.name }),
    issuer: t.string({ required: true, description: FIELDS.issuer }),
    audiences: t.stringList({ required: true, description: FIELDS.audiences }),
    keysUrl: t.string({ description: FIELDS.keysUrl }),
    algorithms: t.stringList({ description: FIELDS.algorithms }),
    keyIds: t.stringList({ description: FIELDS.keyIds }),
    subjectClaim: t.string({ description: FIELDS.subjectClaim }),
    isSingleUse: t.boolean({ description: FIELDS.isSingleUse }),
    signsUp: t.boolean({ description: FIELDS.signsUp }),
    kind: t.field({ type: IssuerKind, description: 'Protocol of the issuer.' }),
    client: t.field({ type: ProviderClientInput, description: 'Omitted: only tokens are accepted.' }),
  }),
});

export const UserIdentity = builder.prismaObject('UserIdentity', {
  description: 'An account at an issuer of tokens with which a user signs in.',
  fields: (t) => ({
    issuer: t.exposeString('issuer', { description: 'The claim `iss` of its tokens.' }),
    subject: t.exposeString('subject', { description: 'Id of the account at the issuer.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was linked.' }),
  }),
});

builder.queryField('tokenIssuers', (t) =>
  t.withAuth({ key: true }).field({
    scope: 'settings',
    administrator: { roles: DEVELOPER },
    type: [TokenIssuer],
    description: 'Issuers of tokens that the application trusts, sorted by name.',
    resolve: (_root, _args, context) => listTokenIssuers(context),
  }),
);

builder.mutationField('updateTokenIssuer', (t) =>
  t.withAuth({ key: true }).field({
    scope: 'settings',
    administrator: { roles: DEVELOPER, isConfirmed: true },
    type: TokenIssuer,
    description:
      'Adds an issuer, or replaces the settings of the one with this name. Invalid values fail with `UNPROCESSABLE`.',
    args: { input: t.arg({ type: TokenIssuerInput, required: true, description: 'The settings.' }) },
    resolve: (_root, { input }, context) => updateTokenIssuer(input, context),
  }),
);

builder.mutationField('deleteTokenIssuer', (t) =>
  t.withAuth({ key: true }).boolean({
    scope: 'settings',
    administrator: { roles: DEVELOPER, isConfirmed: true },
    description:
      'Removes an issuer, and returns true. Its users remain, and can sign in again once it is added again. Fails with ' +
      '`NOT_FOUND` if it does not exist.',
    args: { name: t.arg.string({ required: true, description: 'Name from `tokenIssuers`.' }) },
    resolve: (_root, { name }, context) => deleteTokenIssuer(name, context),
  }),
);

builder.queryField('identities', (t) =>
  t.withAuth({ user: true }).field({
    scope: 'users',
    administrator: { roles: SUPPORT },
    type: [UserIdentity],
    description: 'Accounts at issuers of tokens with which the caller signs in, oldest first.',
    resolve: (_root, _args, { viewer }) => listIdentities(viewer.applicationId, viewer.userId),
  }),
);

builder.mutationField('linkIdentity', (t) =>
  t.withAuth({ user: true }).field({
    scope: 'users',
    administrator: { roles: SUPPORT, isConfirmed: true, needsReason: true },
    rateLimit: 'signIn',
    type: UserIdentity,
    description:
      'Lets the caller sign in with another account, too. Fails with `UNAUTHENTICATED` if the token is refused, with ' +
      '`UNPROCESSABLE` if another user has the account, and with `FORBIDDEN` if the sign-in is older than 10 minutes.',
    args: {
      input: t.arg({ type: SessionIdToken, description: 'A token of the account.' }),
      providerCode: t.arg({ type: SessionProviderCode, description: 'In place of a token.' }),
    },
    resolve: (_root, { input, providerCode }, context) =>
      linkIdentity(providerCode ? { providerCode } : (input ?? {}), context),
  }),
);

builder.mutationField('unlinkIdentity', (t) =>
  t.withAuth({ user: true }).boolean({
    scope: 'users',
    administrator: { roles: SUPPORT, isConfirmed: true },
    description:
      'Removes an account from those with which the caller signs in, and returns true. Fails with `NOT_FOUND` if it is ' +
      'none of them, with `UNPROCESSABLE` if the caller could not sign in any more, and with `FORBIDDEN` if the sign-in ' +
      'is older than 10 minutes.',
    args: {
      issuer: t.arg.string({ required: true, description: 'From `identities`.' }),
      subject: t.arg.string({ required: true, description: 'From `identities`.' }),
    },
    resolve: (_root, { issuer, subject }, context) => unlinkIdentity(issuer, subject, context),
  }),
);

const BegunSignIn = builder.objectRef<Begun>('BegunSignIn').implement({
  description: 'A sign-in at a provider that a browser has begun.',
  fields: (t) => ({
    url: t.exposeString('url', { description: 'Page of the provider, for the browser.' }),
    id: t.exposeString('id', { description: 'First characters of the parameter `state` with which it returns.' }),
    pending: t.exposeString('pending', {
      description: 'Encrypted state, which only this browser may store, for `finishProviderSignIn`.',
    }),
  }),
});

builder.mutationField('beginProviderSignIn', (t) =>
  t.withAuth({ anyone: true }).field({
    rateLimit: 'signIn',
    type: BegunSignIn,
    description:
      'What the page `/sign-in/<application>/<provider>` does for browsers: returns the page of the provider. Fails with ' +
      '`NOT_FOUND` for an unknown provider, and with `UNPROCESSABLE` for an unknown return address.',
    args: {
      applicationId: t.arg.int({ required: true, description: 'Application of the user.' }),
      provider: t.arg.string({ required: true, description: 'Name of the issuer.' }),
      returnTo: t.arg.string({ required: true, description: 'One of its `returnAddresses`.' }),
      codeChallenge: t.arg.string({ required: true, description: 'SHA-256 of the verifier of the app; base64url.' }),
      state: t.arg.string({ description: 'Returned to the app, which compares it; at most 500 characters.' }),
    },
    resolve: (_root, args, context) => beginProviderSignIn(args, context),
  }),
);

builder.mutationField('finishProviderSignIn', (t) =>
  t.withAuth({ anyone: true }).string({
    rateLimit: 'signIn',
    description:
      'What the page to which the provider returns does for browsers: returns the address of the app with the parameter ' +
      '`provider_code`, or with `error`. Fails with `BAD_USER_INPUT` if the browser has begun no such sign-in.',
    args: {
      pending: t.arg.string({ required: true, description: 'From `beginProviderSignIn`.' }),
      callback: t.arg.string({ required: true, description: 'Query with which the provider returned.' }),
    },
    resolve: (_root, { pending, callback }, context) => finishProviderSignIn(pending, callback, context),
  }),
);
