import { t } from '@lingui/core/macro';
import { Button, Fieldset, Radio, SimpleGrid, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { mutate } from '../../app/clients.ts';
import { Form, textProps } from '../../ui/form.tsx';
import { RoleSelect } from '../../ui/role-select.tsx';
import { UsersSelect } from '../../ui/user-select.tsx';
import { Copyable } from '../../ui/values.tsx';
import { type ApiKey, CREATE, UPDATE } from './documents.ts';
import { EVERYTHING, joinScopes, ScopeInputs, splitScopes } from './scopes.tsx';

interface Values {
  name: string;
  isUnrestricted: boolean;
  scopes: string[];
  actsForAll: boolean;
  users: string[];
  roles: string[];
  networks: string[];
  /** Last day, in the time zone of the browser. */
  expiry: string;
}

const EMPTY: Values = {
  name: '',
  isUnrestricted: false,
  scopes: [],
  actsForAll: true,
  users: [],
  roles: [],
  networks: [],
  expiry: '',
};

function formOf({ name, scopes, onBehalfOf, onBehalfOfRoles, networks, expiresAt }: ApiKey): Values {
  return {
    name,
    isUnrestricted: scopes.includes(EVERYTHING),
    scopes: splitScopes(scopes),
    actsForAll: onBehalfOf === null,
    users: (onBehalfOf ?? []).map(String),
    roles: onBehalfOfRoles,
    networks,
    expiry: expiresAt === null ? '' : dayOf(new Date(expiresAt)),
  };
}

const dayOf = (date: Date) =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('-');

function inputOf(
  { name, isUnrestricted, scopes, actsForAll, users, roles, networks, expiry }: Values,
  stored?: ApiKey,
) {
  const isSameDay = stored?.expiresAt && dayOf(new Date(stored.expiresAt)) === expiry;
  return {
    name,
    restrictions: {
      scopes: isUnrestricted ? [EVERYTHING] : joinScopes(scopes),
      onBehalfOf: actsForAll ? null : users.map(Number),
      onBehalfOfRoles: actsForAll ? [] : roles,
      networks,
      // An hour that was set elsewhere remains.
      ...(!isSameDay && { expiresAt: expiry === '' ? null : new Date(`${expiry}T23:59:59`).toISOString() }),
    },
  };
}

interface KeyFormProps {
  application: number;
  /** The key to change; otherwise one is created. */
  stored?: ApiKey;
  onClose: () => void;
}

export function KeyForm({ application, stored, onClose }: KeyFormProps) {
  const [form, setForm] = useState(stored ? formOf(stored) : EMPTY);
  const set = (change: Partial<Values>) => setForm((old) => ({ ...old, ...change }));
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: async () => {
      const { name, restrictions } = inputOf(form, stored);
      if (!stored) return (await mutate({ application }, CREATE, { name, restrictions })).createApiKey.key;
      await mutate({ application }, UPDATE, { id: stored.id, input: { name, ...restrictions } });
      return null;
    },
    onSuccess: (secret) => {
      if (secret === null) onClose();
      return queries.invalidateQueries({ queryKey: [application, 'keys'] });
    },
    meta: { showsErrors: true },
  });
  if (save.data) return <Secret value={save.data} onClose={onClose} />;
  return (
    <Form
      onSubmit={() => save.mutate()}
      action={stored ? t`Save` : t`Create`}
      isPending={save.isPending}
      isDisabled={!form.isUnrestricted && form.scopes.length === 0}
      error={save.error}
      onCancel={onClose}
    >
      <TextInput
        label={t`Name`}
        placeholder={t`For example the server that will use it`}
        {...textProps(form.name, (value) => set({ name: value }))}
        maxLength={255}
        data-autofocus
        required
      />
      <Fieldset legend={t`What it may do`}>
        <Stack>
          <Radio.Group
            aria-label={t`What it may do`}
            value={String(form.isUnrestricted)}
            onChange={(value) => set({ isUnrestricted: value === 'true' })}
          >
            <Stack gap="xs">
              <Radio value="false" label={t`Chosen scopes`} />
              <Radio
                value="true"
                label={t`Everything`}
                description={t`Also what later versions add, and the management of API keys.`}
              />
            </Stack>
          </Radio.Group>
          {!form.isUnrestricted && (
            <ScopeInputs application={application} value={form.scopes} onChange={(scopes) => set({ scopes })} />
          )}
        </Stack>
      </Fieldset>
      <Fieldset legend={t`As whom it may act`}>
        <Stack>
          <Radio.Group
            aria-label={t`As whom it may act`}
            value={String(form.actsForAll)}
            onChange={(value) => set({ actsForAll: value === 'true' })}
          >
            <Stack gap="xs">
              <Radio value="true" label={t`As the application and on behalf of all users`} />
              <Radio value="false" label={t`As the application and on behalf of chosen users only`} />
            </Stack>
          </Radio.Group>
          {!form.actsForAll && (
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <UsersSelect
                application={application}
                label={t`Users`}
                value={form.users}
                onChange={(users) => set({ users })}
              />
              <RoleSelect
                application={application}
                label={t`Users with a role`}
                value={form.roles}
                onChange={(roles) => set({ roles })}
              />
            </SimpleGrid>
          )}
          {!form.actsForAll && form.users.length + form.roles.length === 0 && (
            <Text size="sm" c="dimmed">{t`Without users and roles, it acts on behalf of no user.`}</Text>
          )}
        </Stack>
      </Fieldset>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TagsInput
          label={t`Networks`}
          description={t`For example 203.0.113.0/24; empty: from anywhere`}
          value={form.networks}
          onChange={(networks) => set({ networks })}
          acceptValueOnBlur
          clearable
        />
        <TextInput
          label={t`Last day`}
          description={t`Expires at its end; empty: never`}
          type="date"
          min={dayOf(new Date())}
          {...textProps(form.expiry, (value) => set({ expiry: value }))}
        />
      </SimpleGrid>
    </Form>
  );
}

/** Of a new key or a rotated one. */
export function Secret({ value, onClose }: { value: string; onClose: () => void }) {
  return (
    <Stack>
      <Text size="sm">{t`Store the key now: the server keeps only a hash and cannot show it again.`}</Text>
      <Copyable label={t`API key`} value={value} />
      <Button onClick={onClose}>{t`I have stored it`}</Button>
    </Stack>
  );
}
