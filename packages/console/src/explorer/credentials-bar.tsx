import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { Status } from '../ui/status.tsx';
import type { CredentialKind, Credentials } from './credentials.ts';
import type { SchemaStatus } from './schema.ts';

interface Props {
  credentials: Credentials;
  isRemembered: boolean;
  /** A sentence on the loaded schema, or why it could not be loaded. */
  status: SchemaStatus;
  onChange: (credentials: Credentials, isRemembered: boolean) => void;
}

const KINDS: [CredentialKind, string][] = [
  ['none', t`No credentials`],
  ['key', t`API key`],
  ['token', t`Session token`],
];

/** Applies a text when its field loses focus or on Enter, so that no request is sent with half a secret. */
export function CredentialsBar({ credentials, isRemembered, status, onChange }: Props) {
  const { kind, secret, onBehalfOf } = credentials;
  const set = (change: Partial<Credentials>) => onChange({ ...credentials, ...change }, isRemembered);
  return (
    <form className="credentials" onSubmit={(event) => event.preventDefault()} aria-label={t`Credentials`}>
      <label>
        <span className="caption">{t`Send as`}</span>
        <select value={kind} onChange={(event) => set({ kind: event.target.value as CredentialKind })}>
          {KINDS.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {kind !== 'none' && (
        <Field
          label={kind === 'key' ? t`API key` : t`Session token`}
          type="password"
          value={secret}
          onApply={(text) => set({ secret: text.replace(/^ApiKey\s+/i, '') })}
        />
      )}
      {kind === 'key' && (
        <Field
          label={t`On behalf of user`}
          placeholder={t`id, optional`}
          value={onBehalfOf}
          onApply={(text) => set({ onBehalfOf: text })}
        />
      )}
      {kind !== 'none' && (
        <label className="remember">
          <input
            type="checkbox"
            checked={isRemembered}
            onChange={(event) => onChange(credentials, event.target.checked)}
          />
          <Trans>Remember in this browser</Trans>
        </label>
      )}
      <Status tone={status.tone} isLive>
        {status.text}
      </Status>
    </form>
  );
}

interface FieldProps {
  label: string;
  value: string;
  placeholder?: string;
  type?: 'text' | 'password';
  onApply: (text: string) => void;
}

function Field({ label, value, placeholder, type = 'text', onApply }: FieldProps) {
  const [text, setText] = useState(value);
  const apply = () => {
    if (text.trim() !== value) onApply(text.trim());
  };
  return (
    <label>
      <span className="caption">{label}</span>
      <input
        type={type}
        value={text}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setText(event.target.value)}
        onBlur={apply}
        onKeyDown={(event) => event.key === 'Enter' && apply()}
      />
    </label>
  );
}
