import { t } from '@lingui/core/macro';
import { SegmentedControl } from '@mantine/core';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { idOf } from '../../app/user-search.ts';
import { Empty, Page } from '../../ui/page.tsx';
import { Deliveries, STATES } from './deliveries.tsx';
import type { Delivery } from './documents.ts';

const from = '/shell/apps/$application/pushes/sends/$send';

const readStatus = (text: string | undefined): Delivery['status'] | null =>
  text !== undefined && text in STATES ? (text as Delivery['status']) : null;

/** The outcome of one send, per device. */
export function SendPage() {
  const { application, send } = useParams({ from });
  const { user, status: text } = useSearch({ from });
  const navigate = useNavigate({ from: '/apps/$application/pushes/sends/$send' });
  const status = readStatus(text);
  return (
    <Page
      title={t`Deliveries`}
      description={t`Acceptance by the provider does not prove that the device received the push.`}
      actions={
        <SegmentedControl
          aria-label={t`State`}
          data={[{ value: '', label: t`All` }, ...Object.entries(STATES).map(([value, label]) => ({ value, label }))]}
          value={status ?? ''}
          onChange={(next) =>
            void navigate({ search: (old) => ({ ...old, status: next === '' ? undefined : next }), replace: true })
          }
        />
      }
    >
      <Deliveries
        target={{ application, onBehalfOf: idOf(user) }}
        sendId={send}
        status={status}
        empty={
          <Empty title={t`No deliveries`}>
            {status === null
              ? t`No recipient had a device on this channel and environment, or the send has not begun.`
              : t`No delivery is in this state.`}
          </Empty>
        }
      />
    </Page>
  );
}
