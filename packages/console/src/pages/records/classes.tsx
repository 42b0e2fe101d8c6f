import { t } from '@lingui/core/macro';
import { Navigate, useParams } from '@tanstack/react-router';
import { Empty } from '../../ui/page.tsx';
import { useClasses } from './use-class.ts';
import { Workspace } from './workspace.tsx';

/** Leads to the first class. */
export function ClassesPage() {
  const { application } = useParams({ from: '/shell/apps/$application/data' });
  const { data: [first] = [] } = useClasses(application);
  return (
    <Workspace title={t`Data`}>
      <Empty title={t`Choose a class`}>{t`Its records appear here.`}</Empty>
      {first && (
        <Navigate to="/apps/$application/data/$class" params={{ application, class: first.name }} search replace />
      )}
    </Workspace>
  );
}
