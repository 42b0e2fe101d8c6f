import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Modal, Table, Text } from '@mantine/core';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { hasRole, useMe } from '../../app/administrator.ts';
import { Empty, Loaded, Page } from '../../ui/page.tsx';
import { useOpenInAddress } from '../../ui/use-open-in-address.ts';
import { Time } from '../../ui/values.tsx';
import { Designer } from './designer.tsx';
import { useClasses } from './use-class.ts';

export function ClassesPage() {
  const { application } = useParams({ from: '/shell/apps/$application/data' });
  const [isOpen, { open, close }] = useOpenInAddress('create');
  const navigate = useNavigate();
  const mayCreate = hasRole(useMe(), ['DEVELOPER'], application);
  const classes = useClasses(application);
  const created = (name: string) => {
    close();
    void navigate({ to: '/apps/$application/data/$class', params: { application, class: name } });
  };
  return (
    <Page
      title={t`Data`}
      description={t`Classes of records with fields and permissions.`}
      actions={
        mayCreate && (
          <Button onClick={open}>
            <Trans>Create class</Trans>
          </Button>
        )
      }
    >
      <Loaded of={classes}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title={t`No classes yet`}>
              <Trans>
                A class is a table of your app, for example Task with the fields title and isDone. GraphQL gets typed
                operations for it at once.
              </Trans>
            </Empty>
          ) : (
            <Table.ScrollContainer minWidth={480}>
              <Table verticalSpacing="sm">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>
                      <Trans>Class</Trans>
                    </Table.Th>
                    <Table.Th>
                      <Trans>Fields</Trans>
                    </Table.Th>
                    <Table.Th>
                      <Trans>Created</Trans>
                    </Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {rows.map(({ id, name, fields, createdAt }) => (
                    <Table.Tr key={id}>
                      <Table.Td>
                        <Link
                          className="row-link"
                          to="/apps/$application/data/$class"
                          params={{ application, class: name }}
                        >
                          {name}
                        </Link>
                      </Table.Td>
                      <Table.Td>
                        <Text size="sm">{fields.map((field) => field.name).join(', ') || '–'}</Text>
                      </Table.Td>
                      <Table.Td>
                        <Time of={createdAt} />
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Table.ScrollContainer>
          )
        }
      </Loaded>
      <Modal opened={isOpen} onClose={close} title={t`Create class`} size="xl" closeOnClickOutside={false}>
        <Designer application={application} onDone={created} />
      </Modal>
    </Page>
  );
}
