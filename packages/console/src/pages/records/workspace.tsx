import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Modal } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { hasRole, useMe } from '../../app/administrator.ts';
import { Empty, Loaded, Page } from '../../ui/page.tsx';
import { useOpenInAddress } from '../../ui/use-open-in-address.ts';
import { ClassList } from './class-list.tsx';
import { Designer } from './designer.tsx';
import { useClasses } from './use-class.ts';

interface WorkspaceProps {
  title: string;
  /** Of the class that is shown. */
  current?: string;
  more?: ReactNode;
  children: ReactNode;
}

/** The classes of an application, and one of them. */
export function Workspace({ title, current, more, children }: WorkspaceProps) {
  const { application } = useParams({ from: '/shell/apps/$application' });
  const [isOpen, { open, close }] = useOpenInAddress('define');
  const navigate = useNavigate();
  const classes = useClasses(application);
  const create = hasRole(useMe(), ['DEVELOPER'], application) ? open : undefined;
  return (
    <Page title={title} more={more}>
      <Loaded of={classes}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title={t`No classes yet`}>
              <Trans>
                A class is a table of your app, for example Task with the fields title and isDone. GraphQL gets typed
                operations for it at once.
              </Trans>
              {create && <Button onClick={create} mt="md">{t`Create class`}</Button>}
            </Empty>
          ) : (
            <div className="workspace">
              <ClassList
                application={application}
                names={rows.map(({ name }) => name)}
                current={current}
                onCreate={create}
              />
              <div className="workspace-content">{children}</div>
            </div>
          )
        }
      </Loaded>
      <Modal opened={isOpen} onClose={close} title={t`Create class`} size="xl" closeOnClickOutside={false}>
        <Designer
          application={application}
          onCancel={close}
          onDone={(name) =>
            void navigate({ to: '/apps/$application/data/$class', params: { application, class: name } })
          }
        />
      </Modal>
    </Page>
  );
}
