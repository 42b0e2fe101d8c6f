import { t } from '@lingui/core/macro';
import { Button, Group, NumberInput, Select, TagsInput, Textarea, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { mutate } from '../../app/clients.ts';
import { useTags } from '../../app/tags.ts';
import { Form, textProps } from '../../ui/form.tsx';
import { UsersSelect } from '../../ui/user-select.tsx';
import { CHANNELS, CREATE_EVENTS } from './documents.ts';
import { encodeMessage } from './message.ts';

const ENVIRONMENTS = [
  { value: 'production', label: t`Production` },
  { value: 'development', label: t`Development` },
];

const NEW = {
  environment: 'production',
  channel: null as string | null,
  name: '',
  text: '',
  users: [] as string[],
  tags: [] as string[],
  excluded: [] as string[],
  date: '',
  minutes: '' as number | string,
};

const CREATED = 'push-created';

type Values = typeof NEW;

function inputOf({ environment, channel, name, text, users, tags, excluded, date, minutes }: Values) {
  return {
    environment,
    message: encodeMessage(text),
    ...(channel !== null && { pushType: channel }),
    ...(name !== '' && { name }),
    ...(users.length > 0 && { userIds: users.map(Number) }),
    ...(tags.length + excluded.length > 0 && { tags: { any: tags, exclude: excluded } }),
    ...(date !== '' && { date: Math.floor(new Date(date).getTime() / 1000) }),
    ...(minutes !== '' && { period: Number(minutes) * 60 }),
  };
}

export function CreatePush({ application, onDone }: { application: number; onDone: () => void }) {
  const [form, setForm] = useState(NEW);
  const set = (change: Partial<Values>) => setForm({ ...form, ...change });
  const queries = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: async () =>
      (await mutate({ application }, CREATE_EVENTS, { input: inputOf(form) })).createEvents.map(({ id }) => id),
    onSuccess: (ids) => {
      const open = (id: number) => {
        notifications.hide(CREATED);
        void navigate({ to: '/apps/$application/pushes/$event', params: { application, event: String(id) } });
      };
      // One event for each channel.
      notifications.show({
        id: CREATED,
        title: t`Push created`,
        message: ids.map((id) => (
          <Button key={id} size="compact-xs" variant="default" mr="xs" onClick={() => open(id)}>
            {t`Open push ${id}`}
          </Button>
        )),
      });
      onDone();
      return queries.invalidateQueries({ queryKey: [application, 'events'] });
    },
  });
  return (
    <Form
      onSubmit={() => create.mutate()}
      action={t`Create`}
      isPending={create.isPending}
      isDisabled={form.users.length + form.tags.length === 0}
      onCancel={onDone}
    >
      <Textarea
        label={t`Message`}
        description={t`A text, or JSON that the app evaluates`}
        {...textProps(form.text, (value) => set({ text: value }))}
        autosize
        minRows={2}
        maxRows={10}
        data-autofocus
        required
      />
      <Recipients application={application} form={form} set={set} />
      <Group grow align="flex-start">
        <Select
          label={t`Environment`}
          data={ENVIRONMENTS}
          value={form.environment}
          onChange={(environment) => environment && set({ environment })}
          allowDeselect={false}
        />
        <Select
          label={t`Channel`}
          placeholder={t`Apple and Android`}
          data={Object.entries(CHANNELS).map(([value, label]) => ({ value, label }))}
          value={form.channel}
          onChange={(channel) => set({ channel })}
          clearable
        />
      </Group>
      <TextInput
        label={t`Name`}
        description={t`Distinguishes pushes; the subject of emails`}
        {...textProps(form.name, (value) => set({ name: value }))}
        maxLength={255}
      />
      <Group grow align="flex-start">
        <TextInput
          label={t`Send at`}
          description={t`Empty: at once`}
          type="datetime-local"
          {...textProps(form.date, (value) => set({ date: value }))}
        />
        <NumberInput
          label={t`Repeat`}
          description={t`Every so many minutes; empty: once`}
          value={form.minutes}
          onChange={(minutes) => set({ minutes })}
          min={1}
          allowDecimal={false}
        />
      </Group>
    </Form>
  );
}

interface RecipientsProps {
  application: number;
  form: Values;
  set: (change: Partial<Values>) => void;
}

function Recipients({ application, form, set }: RecipientsProps) {
  const tags = useTags(application);
  return (
    <>
      <UsersSelect
        application={application}
        label={t`Users`}
        value={form.users}
        onChange={(users) => set({ users })}
        comboboxProps={{ zIndex: 500 }}
      />
      <Group grow align="flex-start">
        <TagsInput
          label={t`Tags`}
          description={t`Also users with one of these`}
          data={tags}
          value={form.tags}
          onChange={(chosen) => set({ tags: chosen })}
          comboboxProps={{ zIndex: 500 }}
          acceptValueOnBlur
        />
        <TagsInput
          label={t`Except tags`}
          description={t`Never users with one of these`}
          data={tags}
          value={form.excluded}
          onChange={(excluded) => set({ excluded })}
          comboboxProps={{ zIndex: 500 }}
          acceptValueOnBlur
        />
      </Group>
    </>
  );
}
