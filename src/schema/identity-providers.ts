import { DEVELOPER } from '../administration/administrators/rights.ts';
import {
  deleteIdentityProvider,
  listIdentityProviders,
  publicId,
  updateIdentityProvider,
} from '../resolvers/sessions/identity-providers.ts';
import { builder } from './builder.ts';
import { columns } from './columns.ts';
import { CREATED_AT, UPDATED_AT } from './descriptions.ts';

const IdentityProviderKind = builder.enumType('IdentityProviderKind', {
  description: 'Services that can authenticate the users of an application.',
  values: {
    FACEBOOK: { value: 'facebook', description: 'Facebook, with an access token from Facebook Login.' },
    TWITTER: { value: 'twitter', description: 'Twitter, with an OAuth access token and its secret.' },
    FIREBASE_PHONE: {
      value: 'firebase_phone',
      description: 'Firebase phone authentication, with a Firebase ID token.',
    },
  } as const,
});

const IdentityProvider = builder.prismaObject('IdentityProvider', {
  description: 'An identity provider configured for the application. Its secrets are never returned.',
  select: columns('provider', 'settings', 'createdAt', 'updatedAt'),
  fields: (t) => ({
    provider: t.expose('provider', { type: IdentityProviderKind, description: 'Which identity provider this is.' }),
    publicId: t.string({
      description: 'App id (Facebook), consumer key (Twitter) or project id (Firebase).',
      resolve: publicId,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: CREATED_AT }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: UPDATED_AT }),
  }),
});

const FacebookSettingsInput = builder.inputType('FacebookSettingsInput', {
  description: 'Credentials of an app registered with Facebook.',
  fields: (t) => ({
    appId: t.string({ required: true, description: 'App id, a string of digits.' }),
    appSecret: t.string({ required: true, description: 'App secret. Stored encrypted and never returned.' }),
  }),
});

const TwitterSettingsInput = builder.inputType('TwitterSettingsInput', {
  description: 'Credentials of an app registered with Twitter.',
  fields: (t) => ({
    consumerKey: t.string({ required: true, description: 'Consumer key, also called API key.' }),
    consumerSecret: t.string({
      required: true,
      description: 'Consumer secret, also called API key secret. Stored encrypted and never returned.',
    }),
  }),
});

const FirebasePhoneSettingsInput = builder.inputType('FirebasePhoneSettingsInput', {
  description: 'A Firebase project with phone authentication.',
  fields: (t) => ({
    projectId: t.string({ required: true, description: 'Project id. Tokens of other projects are rejected.' }),
  }),
});

const UpdateIdentityProviderInput = builder.inputType('UpdateIdentityProviderInput', {
  description: 'Settings of exactly one identity provider.',
  isOneOf: true,
  fields: (t) => ({
    facebook: t.field({ type: FacebookSettingsInput, description: 'Settings for Facebook Login.' }),
    twitter: t.field({ type: TwitterSettingsInput, description: 'Settings for sign-in with Twitter.' }),
    firebasePhone: t.field({
      type: FirebasePhoneSettingsInput,
      description: 'Settings for Firebase phone authentication.',
    }),
  }),
});

builder.queryField('identityProviders', (t) =>
  t.withAuth({ key: true }).prismaField({
    scope: 'settings',
    administrator: { roles: DEVELOPER },
    type: [IdentityProvider],
    description: 'Identity providers configured for the application.',
    resolve: (selection, _root, _args, context) => listIdentityProviders(context, selection),
  }),
);

builder.mutationField('updateIdentityProvider', (t) =>
  t.withAuth({ key: true }).prismaField({
    scope: 'settings',
    administrator: { roles: DEVELOPER, isConfirmed: true },
    type: IdentityProvider,
    description:
      'Configures an identity provider, or replaces its settings, so that users can sign in with it. Invalid ' +
      'settings fail with `UNPROCESSABLE`.',
    args: {
      input: t.arg({
        type: UpdateIdentityProviderInput,
        required: true,
        description: 'The settings, for exactly one identity provider.',
      }),
    },
    resolve: (selection, _root, { input }, context) => updateIdentityProvider(input, context, selection),
  }),
);

builder.mutationField('deleteIdentityProvider', (t) =>
  t.withAuth({ key: true }).boolean({
    scope: 'settings',
    administrator: { roles: DEVELOPER, isConfirmed: true },
    description:
      'Removes the settings of an identity provider and returns true. Users can no longer sign in with it, but ' +
      'remain.',
    args: {
      provider: t.arg({ type: IdentityProviderKind, required: true, description: 'The identity provider to remove.' }),
    },
    resolve: (_root, { provider }, context) => deleteIdentityProvider(provider, context),
  }),
);
