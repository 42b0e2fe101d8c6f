import { graphql, type ResultOf } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import {
  Anchor,
  Button,
  Card,
  Group,
  NumberInput,
  Select,
  Stack,
  Switch,
  TagsInput,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { applicationsQuery, hasRole, useMe } from '../app/administrator.ts';
import { mutate, query } from '../app/clients.ts';
import { usePolling } from '../app/polling.ts';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { type Change, changeOf, type Draft, undone, useDraft } from '../ui/draft.ts';
import { submitting } from '../ui/form.tsx';
import { Loaded, Page } from '../ui/page.tsx';
import { RoleSelect } from '../ui/role-select.tsx';
import { showUndo } from '../ui/undo.tsx';
import { Copyable } from '../ui/values.tsx';
import { SETTING_NAMES } from './setting-names.ts';
import { CHOICES, DESCRIPTIONS, LENGTHS, NUMBERS } from './setting-values.ts';

const APPLICATION = graphql(`query ConsoleSettings {
  application {
    id name authKey signatureHash publicSignIn usersList groups filesByNumber passwordReset appUrl sessionMinutes
    strictCredentialChanges emailSignIn verifyEmails verifiedEmailRequired deviceMails maxSessionMinutes guestDays
    secondFactors secondFactorRoles passkeyOrigins strictPasswords dialogCreators chatPushes phoneMatching phoneRegion answerAssist summarize translate gateway aiDailyTokens
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
    <Page title={t`Settings`} description={t`Changes apply to new requests.`}>
      <Loaded of={settings}>
        {(loaded) => (
          <div className="with-contents">
            <nav className="contents" aria-label={t`Sections`}>
              {[...SECTIONS, { id: 'clients', title: t`For clients` }].map(({ id, title }) => (
                <Anchor key={id} href={`#${id}`} size="sm">
                  {title}
                </Anchor>
              ))}
            </nav>
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
          </div>
        )}
      </Loaded>
    </Page>
  );
}

type Form = Omit<Settings, 'id' | 'authKey'>;

const SECTIONS: { id: string; title: string; fields: (keyof Form)[] }[] = [
  { id: 'general', title: t`General`, fields: ['name', 'appUrl'] },
  {
    id: 'sign-in',
    title: t`Sign-in`,
    fields: [
      ...([
        'publicSignIn',
        'signatureHash',
        'emailSignIn',
        'guestDays',
        'sessionMinutes',
        'maxSessionMinutes',
      ] as const),
      ...(['passwordReset', 'strictPasswords', 'strictCredentialChanges'] as const),
    ],
  },
  {
    id: 'second-factors',
    title: t`Second factors and passkeys`,
    fields: ['secondFactors', 'secondFactorRoles', 'passkeyOrigins'],
  },
  { id: 'addresses', title: t`Email addresses`, fields: ['verifyEmails', 'verifiedEmailRequired', 'deviceMails'] },
  { id: 'access', title: t`Users, permissions and files`, fields: ['usersList', 'groups', 'filesByNumber'] },
  { id: 'chat', title: t`Chat and contacts`, fields: ['dialogCreators', 'chatPushes', 'phoneMatching', 'phoneRegion'] },
  { id: 'models', title: t`Models`, fields: ['answerAssist', 'summarize', 'translate', 'gateway', 'aiDailyTokens'] },
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
    <form onSubmit={submit}>
      <fieldset disabled={isReadOnly} className="plain">
        <Stack gap="lg">
          {SECTIONS.map(({ id, title, fields }) => (
            <Card key={id} withBorder id={id} component="section" aria-labelledby={`${id}-title`}>
              <Title order={2} size="h4" mb="md" id={`${id}-title`}>
                {title}
              </Title>
              <Stack maw={560}>
                {fields.map((field) => (
                  <Setting key={field} application={application} field={field} form={form} set={set} />
                ))}
              </Stack>
            </Card>
          ))}
        </Stack>
      </fieldset>
      {isChanged && (
        <Card withBorder shadow="md" className="save-bar" role="region" aria-label={t`Unsaved changes`}>
          <Group justify="space-between">
            <Text size="sm">{t`You have unsaved changes.`}</Text>
            <Group gap="xs">
              <Button variant="default" onClick={clear}>{t`Discard`}</Button>
              <Button type="submit" loading={save.isPending}>{t`Save`}</Button>
            </Group>
          </Group>
        </Card>
      )}
    </form>
  );
}

interface SettingProps extends Pick<Draft<Form>, 'form' | 'set'> {
  application: number;
  field: keyof Form;
}

/** The input that fits the values of a setting. */
function Setting({ application, field, form, set }: SettingProps) {
  const value = form[field];
  const options = CHOICES[field];
  const min = NUMBERS[field];
  const common = { ...named(field), description: DESCRIPTIONS[field] };
  const store = (next: unknown) => set({ [field]: next });
  if (typeof value === 'boolean')
    return <Switch {...common} checked={value} onChange={({ currentTarget: { checked } }) => store(checked)} />;
  if (field === 'passkeyOrigins')
    return <TagsInput {...common} value={value as string[]} onChange={store} placeholder="https://" />;
  if (Array.isArray(value)) return <RoleSelect {...common} application={application} value={value} onChange={store} />;
  if (options) {
    const data = Object.entries(options).map(([option, label]) => ({ value: option, label }));
    return (
      <Select
        {...common}
        data={data}
        value={value as string}
        onChange={(chosen) => chosen && store(chosen)}
        allowDeselect={false}
      />
    );
  }
  if (min !== undefined)
    return (
      <NumberInput
        {...common}
        value={value ?? ''}
        onChange={(typed) => store(typed === '' ? null : Number(typed))}
        min={min}
        allowDecimal={false}
      />
    );
  return (
    <TextInput
      {...common}
      value={value ?? ''}
      onChange={({ currentTarget: { value: typed } }) => store(typed === '' && field !== 'name' ? null : typed)}
      maxLength={LENGTHS[field]!}
      required={field === 'name'}
    />
  );
}

function Keys({ settings: { id, authKey } }: { settings: Settings }) {
  return (
    <Card withBorder id="clients">
      <Stack>
        <Title order={2} size="h4">{t`For clients`}</Title>
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
        <Title order={2} size="h4" id="secrets">{t`Secrets and deletion`}</Title>
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
          <Text flex="1 1 20rem">{t`Deleting the application deletes its users, dialogs, records and files.`}</Text>
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
