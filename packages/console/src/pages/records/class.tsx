import { t } from '@lingui/core/macro';
import { Tabs } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { hasRole, useMe } from '../../app/administrator.ts';
import { mutate } from '../../app/clients.ts';
import { Deletion } from '../../ui/confirm-button.tsx';
import { Empty, Loaded } from '../../ui/page.tsx';
import { Designer } from './designer.tsx';
import { DELETE_CLASS, type RecordClass } from './documents.ts';
import { RecordGrid } from './record-grid.tsx';
import { classesKey, useClass } from './use-class.ts';
import { Workspace } from './workspace.tsx';

const from = '/shell/apps/$application/data/$class';

export function ClassPage() {
  const { application, class: name } = useParams({ from });
  const found = useClass(application, name);
  return (
    <Workspace
      title={name}
      current={name}
      more={hasRole(useMe(), ['DEVELOPER'], application) && <DeleteClass application={application} name={name} />}
    >
      <Loaded of={found}>
        {(loaded) =>
          loaded ? (
            <ClassTabs key={name} application={application} loaded={loaded} />
          ) : (
            <Empty title={t`There is no class of this name`}>{t`It may have been deleted.`}</Empty>
          )
        }
      </Loaded>
    </Workspace>
  );
}

function ClassTabs({ application, loaded }: { application: number; loaded: RecordClass }) {
  const { tab = 'records' } = useSearch({ from });
  const navigate = useNavigate({ from: '/apps/$application/data/$class' });
  const [saved, setSaved] = useState(0);
  const onDone = () => {
    setSaved(saved + 1);
    notifications.show({ message: t`Class saved` });
  };
  return (
    <Tabs
      value={tab}
      onChange={(next) => void navigate({ search: (old) => ({ ...old, tab: next ?? undefined }), replace: true })}
      keepMounted={false}
    >
      <Tabs.List mb="md">
        <Tabs.Tab value="records">{t`Records`}</Tabs.Tab>
        <Tabs.Tab value="definition">{t`Fields and permissions`}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="records">
        <RecordGrid key={loaded.name} application={application} definition={loaded} />
      </Tabs.Panel>
      <Tabs.Panel value="definition">
        <Designer key={saved} application={application} existing={loaded} onDone={onDone} />
      </Tabs.Panel>
    </Tabs>
  );
}

function DeleteClass({ application, name }: { application: number; name: string }) {
  return (
    <Deletion
      label={t`Delete class`}
      question={t`The class and all its records are deleted. This cannot be undone.`}
      typed={name}
      remove={() => mutate({ application }, DELETE_CLASS, { name })}
      // The list leads to its first class.
      list={{ to: '/apps/$application/data', params: { application } }}
      listKey={classesKey(application)}
    />
  );
}
