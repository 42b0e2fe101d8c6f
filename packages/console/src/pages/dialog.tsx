import { graphql } from '@atrium/client';
import { plural, t } from '@lingui/core/macro';
import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { mutate, query } from '../app/clients.ts';
import { nameOf, useUsers } from '../app/user-names.ts';
import { Deletion } from '../ui/confirm-button.tsx';
import { Loaded, Page } from '../ui/page.tsx';
import { Status } from '../ui/status.tsx';
import { titleOf } from './dialog-title.ts';
import { UserPicture } from './files/user-picture.tsx';
import { Thread } from './thread.tsx';

const DIALOG = graphql(`query ConsoleDialog($id: ID!) {
  dialog(id: $id) { id type name userId occupantIds adminIds createdAt }
  changes { cursor }
}`);

const DELETE_DIALOG = graphql(`mutation ConsoleDeleteDialog($id: ID!) { deleteDialog(id: $id, force: true) }`);

const MAX_SHOWN = 30;

/** Of a user who is not loaded or was deleted. */
const UNKNOWN = { login: null, fullName: null, email: null, blobId: null };

const from = '/shell/apps/$application/dialogs/$dialog';

export function DialogPage() {
  const { application, dialog: id } = useParams({ from });
  const found = useQuery({
    queryKey: [application, 'dialog', id],
    queryFn: async ({ signal }) => {
      const { dialog, changes } = await query({ application }, DIALOG, { id }, signal);
      return { ...dialog, cursor: changes.cursor };
    },
  });
  const users = useUsers(application, found.data?.occupantIds ?? []);
  const userOf = (user: number) => users?.get(user) ?? { ...UNKNOWN, id: user };
  const nameOfId = (user: number) => nameOf(userOf(user));
  const title = found.data ? titleOf(found.data, nameOfId) : t`Dialog`;
  return (
    <Page
      title={title}
      description={
        found.data && `${plural(found.data.occupantIds.length, { one: '# occupant', other: '# occupants' })}, ${id}`
      }
      more={<DeleteDialog application={application} id={id} />}
    >
      <Loaded of={found}>
        {({ occupantIds, userId, cursor }) => (
          <Stack>
            <ul className="occupants" aria-label={t`Occupants`}>
              {occupantIds.slice(0, MAX_SHOWN).map((occupant) => (
                <li key={occupant}>
                  <UserPicture application={application} user={userOf(occupant)} size={24} />
                  <Link
                    className="row-link"
                    to="/apps/$application/users/$user"
                    params={{ application, user: String(occupant) }}
                  >
                    {nameOfId(occupant)}
                  </Link>
                  {occupant === userId && <Status>{t`owner`}</Status>}
                </li>
              ))}
              {occupantIds.length > MAX_SHOWN && (
                <li className="soft">{t`and ${occupantIds.length - MAX_SHOWN} more`}</li>
              )}
            </ul>
            <Thread key={id} application={application} dialogId={id} since={cursor} userOf={userOf} />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

function DeleteDialog({ application, id }: { application: number; id: string }) {
  return (
    <Deletion
      label={t`Delete dialog`}
      question={t`The dialog and all its messages are deleted for all occupants. This cannot be undone.`}
      remove={() => mutate({ application }, DELETE_DIALOG, { id })}
      list={{ to: '/apps/$application/dialogs', params: { application } }}
      listKey={[application, 'dialogs']}
      done={t`The dialog was deleted`}
    />
  );
}
