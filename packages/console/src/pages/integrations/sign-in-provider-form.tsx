import { graphql } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Checkbox, PasswordInput, Select, SimpleGrid, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { mutate } from '../../app/clients.ts';
import { checkedProps, Form } from '../../ui/form.tsx';
import { MONOSPACE } from './provider-card.tsx';
import type { TokenIssuer } from './sign-in-providers.tsx';

const UPDATE = graphql(`mutation ConsoleUpdateTokenIssuer($input: TokenIssuerInput!) {
  updateTokenIssuer(input: $input) { name }
}`);

/** Signs its client secret with a private key. */
const APPLE = 'https://appleid.apple.com';

const PRESETS = [
  { value: 'google', label: 'Google', issuer: 'https://accounts.google.com' },
  { value: 'apple', label: 'Apple', issuer: APPLE },
  { value: 'microsoft', label: 'Microsoft', issuer: 'https://login.microsoftonline.com/<tenant>/v2.0' },
  { value: 'github', label: 'GitHub', issuer: 'https://github.com' },
  { value: '', label: t`Other, with OpenID Connect or your own tokens`, issuer: '' },
];

/** Required, but without use: GitHub issues no tokens. */
const GITHUB_AUDIENCES = ['github'];

type Values = ReturnType<typeof formOf>;
type TextField = Exclude<keyof Values, 'kind' | 'redirects' | 'signsUp'>;

const LINES = { autosize: true, minRows: 2, spellCheck: false };

const linesOf = (text: string) => text.split(/\s+/).filter((line) => line !== '');

function formOf(stored: TokenIssuer | undefined) {
  return {
    name: stored?.name ?? '',
    kind: stored?.kind ?? ('OPENID' as const),
    issuer: stored?.issuer ?? '',
    redirects: stored ? stored.clientId !== null : true,
    clientId: stored?.clientId ?? '',
    secret: '',
    privateKey: '',
    keyId: '',
    teamId: '',
    /** One in each line, like the others. */
    returnAddresses: stored?.returnAddresses.join('\n') ?? '',
    /** Without the client id. */
    audiences: stored?.audiences.filter((audience) => audience !== stored.clientId).join('\n') ?? '',
    keysUrl: stored?.keysUrl ?? '',
    signsUp: stored?.signsUp ?? true,
  };
}

function inputOf(
  { name, kind, issuer, redirects, audiences, keysUrl, signsUp, ...client }: Values,
  stored?: TokenIssuer,
) {
  const { clientId: id, secret, privateKey, keyId, teamId, returnAddresses } = client;
  const proof = issuer === APPLE ? privateKey && { privateKey, keyId, teamId } : secret && { secret };
  const { algorithms, keyIds, subjectClaim, isSingleUse, scopes } = stored ?? {};
  return {
    ...{ name, kind, issuer, keysUrl, signsUp, algorithms, keyIds, subjectClaim, isSingleUse },
    audiences:
      kind === 'GITHUB' ? (stored?.audiences ?? GITHUB_AUDIENCES) : [...(redirects ? [id] : []), ...linesOf(audiences)],
    client: redirects ? { id, scopes, returnAddresses: linesOf(returnAddresses), ...(proof || {}) } : null,
  };
}

interface Props {
  application: number;
  /** Undefined: a new one. */
  stored: TokenIssuer | undefined;
  onSaved: () => void;
  onCancel: () => void;
}

export function SignInProviderForm({ application, stored, onSaved, onCancel }: Props) {
  const [form, setForm] = useState(() => formOf(stored));
  const set = (change: Partial<Values>) => setForm((old) => ({ ...old, ...change }));
  const text = (field: TextField) => ({
    value: form[field],
    onChange: (event: { currentTarget: { value: string } }) => set({ [field]: event.currentTarget.value }),
    autoComplete: 'off',
  });
  const save = useMutation({
    mutationFn: () => mutate({ application }, UPDATE, { input: inputOf(form, stored) }),
    onSuccess: onSaved,
    meta: { showsErrors: true },
  });
  const isGitHub = form.kind === 'GITHUB';
  const isApple = form.issuer === APPLE;
  const hint = stored?.hasSecret ? t`Stored. Leave empty to keep it` : t`Stored encrypted and never shown again`;
  return (
    <Form
      onSubmit={() => save.mutate()}
      action={t`Save`}
      isPending={save.isPending}
      error={save.error}
      onCancel={onCancel}
    >
      {!stored && (
        <Select
          label={t`Provider`}
          placeholder={t`Choose the provider`}
          data={PRESETS.map(({ value, label }) => ({ value, label }))}
          onChange={(name) => {
            const preset = PRESETS.find(({ value }) => value === name);
            const kind = name === 'github' ? 'GITHUB' : 'OPENID';
            if (preset) set({ name: preset.value, issuer: preset.issuer, kind, redirects: true });
          }}
          allowDeselect={false}
          comboboxProps={{ zIndex: 500 }}
          data-autofocus
        />
      )}
      <SimpleGrid cols={{ base: 1, sm: stored ? 1 : 2 }}>
        {!stored && (
          <TextInput
            label={t`Name`}
            description={t`Part of addresses, for example google`}
            {...text('name')}
            maxLength={40}
            required
          />
        )}
        <TextInput label={t`Issuer`} description={t`Exactly as in its tokens (iss)`} {...text('issuer')} required />
      </SimpleGrid>
      {!isGitHub && (
        <Checkbox
          label={t`The service redirects browsers to the provider`}
          description={t`Otherwise, apps receive tokens of the provider themselves.`}
          {...checkedProps(form.redirects, (checked) => set({ redirects: checked }))}
        />
      )}
      {form.redirects && (
        <>
          <TextInput label={t`Client id`} {...text('clientId')} required />
          {isApple ? (
            <>
              <SimpleGrid cols={{ base: 1, sm: 2 }}>
                <TextInput label={t`Team id`} {...text('teamId')} required={form.privateKey !== ''} />
                <TextInput label={t`Key id`} {...text('keyId')} required={form.privateKey !== ''} />
              </SimpleGrid>
              <Textarea
                label={t`Private key`}
                description={stored?.hasSecret ? hint : t`Content of the .p8 file`}
                {...text('privateKey')}
                required={!stored?.hasSecret}
                rows={4}
                styles={MONOSPACE}
                spellCheck={false}
              />
            </>
          ) : (
            <PasswordInput
              label={t`Client secret`}
              description={hint}
              {...text('secret')}
              autoComplete="new-password"
            />
          )}
          <Textarea
            label={t`Return addresses`}
            description={t`Of your app, one per line, for example https://app.example.com/signed-in`}
            {...text('returnAddresses')}
            {...LINES}
            required
          />
        </>
      )}
      {!isGitHub && (
        <Textarea
          label={form.redirects ? t`Other audiences` : t`Audiences`}
          description={t`Client ids in tokens that apps receive themselves (aud), one per line`}
          {...text('audiences')}
          {...LINES}
          required={!form.redirects}
        />
      )}
      {!isGitHub && !form.redirects && (
        <TextInput
          label={t`Key set`}
          description={t`Address of the public keys (JWKS); empty: from the discovery document of the issuer`}
          {...text('keysUrl')}
        />
      )}
      <Checkbox
        label={t`Unknown people sign up`}
        description={t`Otherwise, only users who have linked their account sign in.`}
        {...checkedProps(form.signsUp, (checked) => set({ signsUp: checked }))}
      />
    </Form>
  );
}
