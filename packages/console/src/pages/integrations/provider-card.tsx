import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Card, Group, PasswordInput, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Problem, submitting } from '../../ui/form.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/values.tsx';

export interface ProviderField {
  name: string;
  label: string;
  description?: string;
  kind?: 'secret' | 'file';
}

interface ProviderCardProps {
  name: string;
  description: string;
  fields: readonly ProviderField[];
  /** Undefined: not set up. */
  stored: { publicId: string; updatedAt: string } | undefined;
  onSave: (values: Record<string, string>) => Promise<unknown>;
  onDelete: () => Promise<unknown>;
  deletion: string;
}

export const MONOSPACE = { input: { fontFamily: 'monospace' } };

/** A service with credentials, which are entered again for each change because they cannot be read. */
export function ProviderCard({ name, description, fields, stored, onSave, onDelete, deletion }: ProviderCardProps) {
  const [isOpen, { toggle, close }] = useDisclosure();
  const remove = useMutation({ mutationFn: onDelete, onSuccess: close });
  return (
    <Card withBorder>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start">
          <div>
            <Group gap="xs">
              <Title order={2} size="h5">
                {name}
              </Title>
              {stored ? <Status tone="good">{t`Set up`}</Status> : <Status>{t`Not set up`}</Status>}
            </Group>
            <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {stored ? (
                <Trans>
                  {stored.publicId}, changed <Time of={stored.updatedAt} />
                </Trans>
              ) : (
                description
              )}
            </Text>
          </div>
          <Group gap="xs">
            <Button
              size="xs"
              variant="default"
              onClick={toggle}
              aria-expanded={isOpen}
              aria-label={isOpen ? t`Cancel changes of ${name}` : stored ? t`Edit ${name}` : t`Set up ${name}`}
            >
              {isOpen ? t`Cancel` : stored ? t`Edit` : t`Set up`}
            </Button>
            {stored && (
              <ConfirmButton
                label={t`Delete`}
                question={deletion}
                onConfirm={() => remove.mutate()}
                isLoading={remove.isPending}
              />
            )}
          </Group>
        </Group>
        {isOpen && <Fields fields={fields} onSave={onSave} onSaved={close} />}
      </Stack>
    </Card>
  );
}

function Fields({ fields, onSave, onSaved }: Pick<ProviderCardProps, 'fields' | 'onSave'> & { onSaved: () => void }) {
  const [values, setValues] = useState<Record<string, string>>({});
  const save = useMutation({ mutationFn: () => onSave(values), onSuccess: onSaved, meta: { showsErrors: true } });
  return (
    <form onSubmit={submitting(() => save.mutate())}>
      <Stack maw={560}>
        {fields.map(({ name, label, description, kind }) => {
          const common = {
            label,
            description,
            required: true,
            autoComplete: 'off',
            value: values[name] ?? '',
            onChange: (event: { currentTarget: { value: string } }) =>
              setValues({ ...values, [name]: event.currentTarget.value }),
          };
          if (kind === 'secret') return <PasswordInput key={name} {...common} autoComplete="new-password" />;
          if (kind === 'file')
            return <Textarea key={name} {...common} rows={5} styles={MONOSPACE} spellCheck={false} />;
          return <TextInput key={name} {...common} />;
        })}
        <Problem of={save.error} />
        <Group>
          <Button type="submit" loading={save.isPending}>{t`Save`}</Button>
        </Group>
      </Stack>
    </form>
  );
}
