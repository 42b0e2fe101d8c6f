import { graphql, type ResultOf } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Card, Group, NumberInput, Select, Stack, Switch, Text, TextInput, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { applicationsQuery, hasRole, useMe } from '../app/administrator.ts';
import { mutate, query } from '../app/clients.ts';
import { usePolling } from '../app/polling.ts';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { type Change, changeOf, undone, useDraft } from '../ui/draft.ts';
import { submitting } from '../ui/form.tsx';
import { Loaded, Page } from '../ui/page.tsx';
import { showUndo } from '../ui/undo.tsx';
import { Copyable } from '../ui/values.tsx';
import { SETTING_NAMES } from './setting-names.ts';

const APPLICATION = graphql(`query ConsoleSettings {
  application {
    id name authKey signatureHash publicSignIn usersList groups filesByNumber passwordReset appUrl sessionMinutes
    strictCredentialChanges chatPushes phoneMatching phoneRegion answerAssist summarize translate gateway aiDailyTokens
  }
}`);
const UPDATE = graphql(`mutation ConsoleUpdateApplication($input: UpdateApplicationInput!) {
  updateApplication(input: $input) { id }
}`);
const ROTATE = graphql(`mutation ConsoleRotateSecret { rotateApplicationSecret }`);
const DELETE = graphql(`mutation ConsoleDeleteApplication { deleteApplication }`);

type Settings = ResultOf<typeof APPLICATION>['application'];

const from = '/shell/apps/$application/settings';

export function SettingsPage() {
  const { application } = useParams({ from });
  const me = useMe();
  const settings = useQuery({
    queryKey: [application, 'settings'],
    queryFn: async ({ signal }) => (await query({ application }, APPLICATION, {}, signal)).application,
    refetchInterval: usePolling(10_000),
  });
  return (
    <Page title={t`Settings`} description={t`Changes count from the next request of a client.`}>
      <Loaded of={settings}>
        {(loaded) => (
          <Stack gap="lg">
            <SettingsForm
              key={application}
              application={application}
              loaded={loaded}
              isReadOnly={!hasRole(me, ['DEVELOPER'], application)}
            />
            <Keys settings={loaded} />
            {hasRole(me, [], application) && <Danger application={application} name={loaded.name} />}
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

type Form = Omit<Settings, 'id' | 'authKey'>;

const SWITCHES: { field: keyof Form & keyof typeof SETTING_NAMES; description: string }[] = [
  {
    field: 'publicSignIn',
    description: t`Apps open sessions with the id of the application. Users still need their password.`,
  },
  { field: 'usersList', description: t`Sessions may list and search all users.` },
  { field: 'passwordReset', description: t`Users may request a link by mail.` },
  {
    field: 'strictCredentialChanges',
    description: t`Legacy clients need the password or a recent sign-in to change email address, phone or login.`,
  },
  { field: 'chatPushes', description: t`Offline occupants receive pushes.` },
  { field: 'answerAssist', description: t`Assistants may propose answers.` },
  { field: 'summarize', description: t`Assistants may summarize dialogs.` },
  { field: 'translate', description: t`Assistants may translate texts.` },
  { field: 'gateway', description: t`Clients may send conversations to assistants.` },
];

/** The address names the setting that gets the focus: `#chatPushes`. */
function named(field: keyof typeof SETTING_NAMES) {
  return { id: field, label: SETTING_NAMES[field], autoFocus: location.hash === `#${field}` };
}

function SettingsForm({
  application,
  loaded,
  isReadOnly,
}: {
  application: number;
  loaded: Settings;
  isReadOnly: boolean;
}) {
  const { id: _id, authKey: _authKey, ...stored } = loaded;
  const { form, changes, isChanged, set, clear } = useDraft<Form>(stored);
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: ({ input }: Change<Form>) => mutate({ application }, UPDATE, { input }),
    onSuccess: async (_saved, change) => {
      await queries.invalidateQueries({ queryKey: [application, 'settings'] });
      void queries.invalidateQueries({ queryKey: applicationsQuery.queryKey });
      clear();
      showUndo(t`Settings saved`, () => save.mutate(undone(change)));
    },
  });
  const submit = submitting(() => save.mutate(changeOf(changes, stored)));
  return (
    <Card withBorder component="form" onSubmit={submit}>
      <fieldset disabled={isReadOnly} style={{ border: 0, margin: 0, padding: 0 }}>
        <Stack maw={560}>
          <TextInput
            {...named('name')}
            value={form.name}
            onChange={(event) => set({ name: event.currentTarget.value })}
            maxLength={255}
            required
          />
          <NumberInput
            {...named('sessionMinutes')}
            description={t`Minutes after the last request; empty: the default of the server`}
            value={form.sessionMinutes ?? ''}
            onChange={(value) => set({ sessionMinutes: value === '' ? null : Number(value) })}
            min={1}
            allowDecimal={false}
          />
          <NumberInput
            {...named('aiDailyTokens')}
            value={form.aiDailyTokens}
            onChange={(value) => set({ aiDailyTokens: Number(value) })}
            min={0}
            allowDecimal={false}
          />
          <Choice
            {...named('signatureHash')}
            value={form.signatureHash}
            options={{ SHA1: t`SHA-1 (legacy clients)`, SHA256: t`SHA-256` }}
            onChange={(signatureHash) => set({ signatureHash })}
          />
          <Choice
            {...named('groups')}
            value={form.groups}
            options={{ GRANTED: t`Tags set by API keys`, SELF: t`All tags, also those that users set themselves` }}
            onChange={(groups) => set({ groups })}
          />
          <Choice
            {...named('filesByNumber')}
            value={form.filesByNumber}
            options={{ OWNER: t`Only their owner`, SESSION: t`Every session` }}
            onChange={(filesByNumber) => set({ filesByNumber })}
          />
          <Choice
            {...named('phoneMatching')}
            value={form.phoneMatching}
            options={{ IDENTICAL: t`Identical text`, E164: t`Same number in any notation` }}
            onChange={(phoneMatching) => set({ phoneMatching })}
          />
          <TextInput
            {...named('phoneRegion')}
            description={t`ISO code, for example GB`}
            value={form.phoneRegion ?? ''}
            onChange={({ currentTarget: { value } }) => set({ phoneRegion: value === '' ? null : value })}
            maxLength={2}
          />
          <TextInput
            {...named('appUrl')}
            description={t`The page of a password reset links back to it, for example https://shop.example.com or com.example.shop://sign-in`}
            value={form.appUrl ?? ''}
            onChange={({ currentTarget: { value } }) => set({ appUrl: value === '' ? null : value })}
            maxLength={2000}
          />
          {SWITCHES.map(({ field, description }) => (
            <Switch
              key={field}
              {...named(field)}
              description={description}
              checked={form[field] as boolean}
              onChange={(event) => set({ [field]: event.currentTarget.checked })}
            />
          ))}
          {!isReadOnly && (
            <Group>
              <Button type="submit" loading={save.isPending} disabled={!isChanged}>
                <Trans>Save</Trans>
              </Button>
            </Group>
          )}
        </Stack>
      </fieldset>
    </Card>
  );
}

function Choice<Value extends string>({
  value,
  options,
  onChange,
  ...field
}: ReturnType<typeof named> & {
  value: Value;
  options: Record<Value, string>;
  onChange: (value: Value) => void;
}) {
  const data = Object.entries(options).map(([value, label]) => ({ value, label: label as string }));
  return (
    <Select
      {...field}
      data={data}
      value={value}
      onChange={(chosen) => chosen && onChange(chosen as Value)}
      allowDeselect={false}
    />
  );
}

function Keys({ settings: { id, authKey } }: { settings: Settings }) {
  return (
    <Card withBorder>
      <Stack>
        <Title order={2} size="h4">
          <Trans>For clients</Trans>
        </Title>
        <Copyable label={t`Application id`} value={String(id)} />
        <Copyable label={t`Auth key`} value={authKey} />
      </Stack>
    </Card>
  );
}

function Danger({ application, name }: { application: number; name: string }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const rotate = useMutation({
    mutationFn: async () => (await mutate({ application }, ROTATE, {})).rotateApplicationSecret,
  });
  const remove = useMutation({
    mutationFn: () => mutate({ application }, DELETE, {}),
    onSuccess: async () => {
      await navigate({ to: '/' });
      await queries.invalidateQueries({ queryKey: applicationsQuery.queryKey });
      notifications.show({ message: t`${name} was deleted` });
    },
  });
  return (
    <Card withBorder>
      <Stack>
        <Title order={2} size="h4" id="secrets">
          <Trans>Secrets and deletion</Trans>
        </Title>
        <Group justify="space-between">
          <Text flex="1 1 20rem">
            <Trans>A new auth secret replaces the old one at once. Servers that sign requests need the new one.</Trans>
          </Text>
          <ConfirmButton
            label={t`Rotate auth secret`}
            question={t`Requests that are signed with the old secret will fail from now on. Open sessions remain valid.`}
            onConfirm={() => rotate.mutate()}
            isLoading={rotate.isPending}
          />
        </Group>
        {rotate.data && <Copyable label={t`New auth secret, shown only once`} value={rotate.data} />}
        <Group justify="space-between">
          <Text flex="1 1 20rem">
            <Trans>Deleting the application deletes its users, dialogs, records and files.</Trans>
          </Text>
          <ConfirmButton
            label={t`Delete application`}
            question={t`All data of the application is deleted. This cannot be undone.`}
            typed={name}
            onConfirm={() => remove.mutate()}
            isLoading={remove.isPending}
          />
        </Group>
      </Stack>
    </Card>
  );
}
