import { graphql } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { PasswordInput, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { mutate } from '../../app/clients.ts';
import { Form } from '../../ui/form.tsx';
import type { Assistant } from './documents.ts';

const CREATE = graphql(`mutation ConsoleCreateAssistant($input: CreateAssistantInput!) {
  createAssistant(input: $input) { id }
}`);
const UPDATE = graphql(`mutation ConsoleUpdateAssistant($id: ID!, $input: UpdateAssistantInput!) {
  updateAssistant(id: $id, input: $input) { id }
}`);

interface Props {
  application: number;
  /** Undefined: a new one. */
  stored: Assistant | undefined;
  onSaved: () => void;
  onCancel: () => void;
}

export function AssistantForm({ application, stored, onSaved, onCancel }: Props) {
  const { name = '', baseUrl = '', model = '', instructions = '' } = stored ?? {};
  const [form, setForm] = useState({ name, baseUrl, model, instructions, apiKey: '' });
  const set = (field: keyof typeof form) => (event: { currentTarget: { value: string } }) =>
    setForm({ ...form, [field]: event.currentTarget.value });
  const save = useMutation({
    mutationFn: async () => {
      const { apiKey, baseUrl, ...others } = form;
      // The same address is left out, because a new one removes the API key.
      const address = baseUrl === stored?.baseUrl ? {} : { baseUrl };
      const input = { ...others, ...address, ...(apiKey !== '' && { apiKey }) };
      if (stored) await mutate({ application }, UPDATE, { id: stored.id, input });
      else await mutate({ application }, CREATE, { input: { ...input, baseUrl } });
    },
    onSuccess: onSaved,
    meta: { showsErrors: true },
  });
  const isMoved = stored?.hasApiKey && form.baseUrl !== stored.baseUrl;
  return (
    <Form
      onSubmit={() => save.mutate()}
      action={t`Save`}
      isPending={save.isPending}
      error={save.error}
      onCancel={onCancel}
    >
      <TextInput label={t`Name`} value={form.name} onChange={set('name')} maxLength={255} required data-autofocus />
      <TextInput
        label={t`Base URL`}
        description={t`Of an OpenAI-compatible API, for example https://api.openai.com/v1`}
        value={form.baseUrl}
        onChange={set('baseUrl')}
        maxLength={2000}
        required
      />
      <TextInput label={t`Model`} placeholder={t`gpt-4o-mini`} value={form.model} onChange={set('model')} required />
      <PasswordInput
        label={t`API key`}
        description={keyHint(stored?.hasApiKey ?? false, isMoved ?? false)}
        value={form.apiKey}
        onChange={set('apiKey')}
        autoComplete="new-password"
      />
      <Textarea
        label={t`Instructions`}
        description={t`The model receives them before each request`}
        value={form.instructions}
        onChange={set('instructions')}
        rows={5}
        maxLength={20_000}
      />
    </Form>
  );
}

function keyHint(hasKey: boolean, isMoved: boolean): string {
  if (isMoved) return t`Enter it again: a new address removes the stored key`;
  return hasKey ? t`Stored. Leave empty to keep it` : t`Stored encrypted and never shown again`;
}
