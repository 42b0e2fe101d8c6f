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
  description: 'Who can vouch for a user who signs in.',
  values: {
    FACEBOOK: { value: 'facebook', description: 'Facebook, by an access token of its login.' },
    TWITTER: { value: 'twitter', description: 'Twitter, by a token and its secret.' },
    FIREBASE_PHONE: { value: 'firebase_phone', description: 'Firebase, by an ID token of its sign-in by phone.' },
  } as const,
});

const IdentityProvider = builder.prismaObject('IdentityProvider', {
  description: "A provider by which the application's users sign in. Its secrets are never shown.",
  select: columns('provider', 'settings', 'createdAt', 'updatedAt'),
  fields: (t) => ({
    provider: t.expose('provider', { type: IdentityProviderKind, description: 'Who vouches for the users.' }),
    publicId: t.string({ description: 'App id, consumer key or project id.', resolve: publicId }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: CREATED_AT }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: UPDATED_AT }),
  }),
});

const FacebookSettingsInput = builder.inputType('FacebookSettingsInput', {
  description: 'What Facebook gave the application: an app of its developer site.',
  fields: (t) => ({
    appId: t.string({ required: true, description: 'The digits by which Facebook knows the app.' }),
    appSecret: t.string({ required: true, description: 'Kept sealed, and never shown again.' }),
  }),
});

const TwitterSettingsInput = builder.inputType('TwitterSettingsInput', {
  description: 'What Twitter gave the application: an app of its developer site.',
  fields: (t) => ({
    consumerKey: t.string({ required: true, description: 'Called API key there.' }),
    consumerSecret: t.string({ required: true, description: 'Kept sealed, and never shown again.' }),
  }),
});

const FirebasePhoneSettingsInput = builder.inputType('FirebasePhoneSettingsInput', {
  description: 'What Google gave the application: a Firebase project with sign-in by phone.',
  fields: (t) => ({
    projectId: t.string({ required: true, description: "Whose tokens are taken, and nobody else's." }),
  }),
});

const UpdateIdentityProviderInput = builder.inputType('UpdateIdentityProviderInput', {
  description: 'What one provider gave the application.',
  isOneOf: true,
  fields: (t) => ({
    facebook: t.field({ type: FacebookSettingsInput, description: 'Facebook and its app.' }),
    twitter: t.field({ type: TwitterSettingsInput, description: 'Twitter and its app.' }),
    firebasePhone: t.field({ type: FirebasePhoneSettingsInput, description: 'Firebase and its project.' }),
  }),
});

builder.queryField('identityProviders', (t) =>
  t.withAuth({ key: true }).prismaField({
    type: [IdentityProvider],
    description: "The providers that are set up for the key's application.",
    resolve: (selection, _root, _args, context) => listIdentityProviders(context, selection),
  }),
);

builder.mutationField('updateIdentityProvider', (t) =>
  t.withAuth({ key: true }).prismaField({
    type: IdentityProvider,
    description: 'Sets a provider up, or anew: from now on users may sign in by it.',
    args: { input: t.arg({ type: UpdateIdentityProviderInput, required: true, description: 'Exactly one provider.' }) },
    resolve: (selection, _root, { input }, context) => updateIdentityProvider(input, context, selection),
  }),
);

builder.mutationField('deleteIdentityProvider', (t) =>
  t.withAuth({ key: true }).boolean({
    description: 'Ends sign-ins by the provider; the users it brought stay.',
    args: { provider: t.arg({ type: IdentityProviderKind, required: true, description: 'Whose sign-ins end.' }) },
    resolve: (_root, { provider }, context) => deleteIdentityProvider(provider, context),
  }),
);
