import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { SegmentedControl, Stack, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { Copyable } from '../../ui/values.tsx';
import type { Sample } from './requests.ts';

const TITLES: Record<string, string> = {
  list: t`List these records`,
  read: t`Read the record`,
  change: t`Change the record`,
  delete: t`Delete the record`,
};

/** Requests to copy, in the form that the person has chosen last. */
export function Requests({ of: samples }: { of: Sample[] }) {
  const forms = Object.keys(samples[0]!.forms) as (keyof Sample['forms'])[];
  const [form, setForm] = useLocalStorage<keyof Sample['forms']>({
    key: 'atrium.console.request-form',
    defaultValue: 'curl',
    getInitialValueInEffect: false,
  });
  return (
    <Stack>
      <SegmentedControl
        data={forms.map((value) => ({ value, label: value }))}
        value={form}
        onChange={(value) => setForm(value as keyof Sample['forms'])}
      />
      <Text size="sm" c="dimmed">
        <Trans>
          Set ATRIUM_API_KEY to an API key of the application first. An API key may do everything: keep it on a server.
        </Trans>
      </Text>
      {samples.map(({ title, forms }) => (
        <Copyable key={title} label={TITLES[title]!} value={forms[form]} />
      ))}
    </Stack>
  );
}
