import { t } from '@lingui/core/macro';
import { Alert, Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { sentenceOf } from '../app/query-client.ts';
import { addressOf, recentPlaces } from '../app/recent.ts';
import { Breadcrumb } from './breadcrumb.tsx';

interface PageProps {
  title: string;
  description?: string;
  /** Before and after the title. */
  icon?: ReactNode;
  state?: ReactNode;
  actions?: ReactNode;
  /** A `RareAction`. */
  more?: ReactNode;
  children: ReactNode;
}

export function Page({ title, description, icon, state, actions, more, children }: PageProps) {
  const router = useRouter();
  useEffect(() => {
    document.title = t`${title} – Atrium console`;
    recentPlaces.add({ name: title, address: addressOf(router) });
  }, [title, router]);
  return (
    <Stack gap="lg">
      <div className="page-head">
        <div className="page-title">
          <Breadcrumb />
          <Group gap="sm" wrap="nowrap">
            {icon}
            <div>
              <Group gap="xs">
                <Title order={1} size="h2">
                  {title}
                </Title>
                {state}
              </Group>
              {description && <Text c="dimmed">{description}</Text>}
            </div>
          </Group>
        </div>
        {actions && (
          <Group className="page-actions" gap="xs">
            {actions}
          </Group>
        )}
        {more}
      </div>
      {children}
    </Stack>
  );
}

/** Content, or why there is none. */
export function Loaded<Data>({
  of: { data, error, refetch },
  children,
}: {
  of: { data: Data | undefined; error: Error | null; refetch: () => unknown };
  children: (data: Data) => ReactNode;
}) {
  if (data !== undefined) return children(data);
  if (error) return <Failure error={error} retry={refetch} />;
  return <Loading />;
}

const LINES = Array.from({ length: 6 }, (_, line) => line);

/** Lines where the content will be. */
export function Loading({ height = 14 }: { height?: number }) {
  return (
    <Stack gap="md" py="xs" role="status" aria-label={t`Loading`}>
      {LINES.map((line) => (
        <Skeleton key={line} height={height} width={`${92 - ((line * 17) % 40)}%`} radius="sm" />
      ))}
    </Stack>
  );
}

export function Failure({ error, retry }: { error: unknown; retry?: () => unknown }) {
  return (
    <Alert color="red" title={t`This could not be loaded`} role="alert">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{sentenceOf(error)}</Text>
        {retry && <Button size="xs" variant="default" onClick={() => void retry()}>{t`Try again`}</Button>}
      </Stack>
    </Alert>
  );
}

/** Says what belongs here and how it gets here. */
export function Empty({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack align="center" gap="xs" py="xl" ta="center" maw={520} mx="auto">
      <Text fw={600} size="lg">
        {title}
      </Text>
      <Text c="dimmed" component="div">
        {children}
      </Text>
    </Stack>
  );
}
