import { t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { Alert, Button, Card, Code, Drawer, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { hasRole, ownsAll, useMe } from '../../app/administrator.ts';
import { query, type Target } from '../../app/clients.ts';
import { bytesText } from '../../ui/bytes.ts';
import { Empty, Loaded } from '../../ui/page.tsx';
import { Copyable } from '../../ui/values.tsx';
import { CALLERS, callerOf, DETAILS, durationOf, type RequestDetails, TRANSPORTS, titleOf } from './documents.ts';
import { RequestStatus } from './status.tsx';

interface DetailsProps {
  target: Target;
  /** From the address, and therefore untrusted. */
  requestId: string | undefined;
  onClose: () => void;
}

/** Over the list, so that closing leads back to it. */
export function DetailsDrawer({ target, requestId, onClose }: DetailsProps) {
  return (
    <Drawer
      opened={requestId !== undefined}
      onClose={onClose}
      position="right"
      size="lg"
      title={t`Request`}
      closeButtonProps={{ 'aria-label': t`Close` }}
      transitionProps={{ duration: 0 }}
    >
      {requestId !== undefined && <Details target={target} requestId={requestId} />}
    </Drawer>
  );
}

function Details({ target, requestId }: { target: Target; requestId: string }) {
  const found = useQuery({
    queryKey: [target.application, 'request', requestId],
    queryFn: async ({ signal }) => (await query(target, DETAILS, { requestId }, signal)).requestLog,
  });
  return (
    <Stack>
      <Copyable label={t`Request id`} value={requestId} />
      <Loaded of={found}>
        {({ edges, pageInfo }) => (
          <>
            {edges.length === 0 && (
              <Empty title={t`No such request`}>
                <Trans>
                  Only failed and slow requests have an entry, for as long as the service keeps them. Look also in the
                  application to which the request belongs.
                </Trans>
              </Empty>
            )}
            {edges.length > 1 && (
              <Text size="sm" c="dimmed">
                {pageInfo.hasNextPage ? (
                  <Trans>The latest 20 entries have this id, for example operations of one socket.</Trans>
                ) : (
                  <Plural
                    value={edges.length}
                    one="# entry has this id."
                    other="# entries have this id, for example operations of one socket."
                  />
                )}
              </Text>
            )}
            {edges.map(({ node }) => (
              <Entry key={node.id} target={target} request={node} />
            ))}
          </>
        )}
      </Loaded>
    </Stack>
  );
}

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

function Entry({ target, request }: { target: Target; request: RequestDetails }) {
  const { at, transport, method, route, path, operation, fields, status, httpStatus, isSlow, isCutOff } = request;
  const { durationMs, responseBytes, network, userAgent, host, pid, errors, sessionId, className, missingIndex } =
    request;
  return (
    <Card withBorder component="section" aria-label={titleOf(request)}>
      <Group gap="sm" wrap="nowrap" align="flex-start" mb="sm">
        <RequestStatus of={status} isSlow={isSlow} />
        <Title order={3} size="h5" style={{ overflowWrap: 'anywhere' }}>
          {titleOf(request)}
        </Title>
      </Group>
      {errors.map(({ message, code, path: place }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
        <Alert key={index} color={status >= 500 ? 'red' : 'gray'} mb="xs" p="xs">
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {message}
          </Text>
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {[code, place && t`at ${place}`].filter(Boolean).join(', ')}
          </Text>
        </Alert>
      ))}
      <dl className="facts">
        <Fact name={t`Time`}>
          <time dateTime={at} title={at}>
            {exact.format(new Date(at))}
          </time>
        </Fact>
        <Fact name={t`Duration`}>{durationOf(durationMs)}</Fact>
        <Fact name={t`Caller`}>
          <Caller target={target} request={request} />
        </Fact>
        {sessionId !== null && <Fact name={t`Session`}>{sessionId}</Fact>}
        <Fact name={t`Address`}>{network}</Fact>
        <Fact name={t`Client`}>{userAgent}</Fact>
        <Fact name={t`Transport`}>{TRANSPORTS[transport]}</Fact>
        <Fact name={t`Route`}>
          <Code style={{ overflowWrap: 'anywhere' }}>{[method, path ?? route].filter(Boolean).join(' ')}</Code>
        </Fact>
        <Fact name={t`Operation`}>{operation}</Fact>
        <Fact name={t`Root fields`}>{fields.join(', ')}</Fact>
        {className !== null && (
          <Fact name={t`Records of`}>
            <ClassOfList target={target} name={className} missingIndex={missingIndex} />
          </Fact>
        )}
        <Fact name={t`Status as sent`}>
          {httpStatus === null ? t`none, over a socket` : httpStatus !== status ? httpStatus : null}
        </Fact>
        <Fact name={t`Response`}>{responseBytes === null ? null : bytesText(responseBytes)}</Fact>
        <Fact name={t`Cut off`}>{isCutOff ? t`the client disconnected before it had the response` : null}</Fact>
        <Fact name={t`Process`}>{`${host}, ${pid}`}</Fact>
      </dl>
    </Card>
  );
}

/** A link only for an application, whose classes these are. */
function ClassOfList({ target, name, missingIndex }: { target: Target; name: string; missingIndex: string[] }) {
  const { application } = target;
  if (application === 'none') return name;
  const index = missingIndex.join(', ');
  return (
    <>
      <Link to="/apps/$application/data/$class" params={{ application, class: name }}>
        {name}
      </Link>
      {index !== '' && <Text size="xs" c="dimmed">{t`An index on ${index} makes the list faster.`}</Text>}
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  if (children === null || children === '') return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** With links as far as the administrator may open the pages. */
function Caller({ target: { application }, request }: { target: Target; request: RequestDetails }) {
  const me = useMe();
  const { caller, userId, apiKeyId, administratorId } = request;
  if (application === 'none')
    return administratorId !== null && ownsAll(me) ? <People id={administratorId} /> : callerOf(request);
  const mayReadUsers = hasRole(me, ['DEVELOPER', 'SUPPORT'], application);
  return (
    <Group gap="xs">
      {caller === 'USER' ||
        ((caller !== 'ADMINISTRATOR' || administratorId === null) && <span>{CALLERS[caller]}</span>)}
      {administratorId !== null && (ownsAll(me) ? <People id={administratorId} /> : <span>{administratorId}</span>)}
      {apiKeyId !== null && <Link to="/apps/$application/keys" params={{ application }}>{t`Key ${apiKeyId}`}</Link>}
      {userId !== null && mayReadUsers && (
        <>
          <Link to="/apps/$application/users/$user" params={{ application, user: String(userId) }}>
            <Trans>User {userId}</Trans>
          </Link>
          <Button component={Link} to={`/apps/${application}/logs?user=${userId}`} size="compact-xs" variant="default">
            <Trans>All of this user</Trans>
          </Button>
        </>
      )}
    </Group>
  );
}

function People({ id }: { id: number }) {
  return <Link to="/administrators">{t`Administrator ${id}`}</Link>;
}
