import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Center, Stack } from '@mantine/core';
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { Empty, Failure } from '../ui/page.tsx';

export function NotFoundPage() {
  return (
    <Center mih="70dvh" p="md">
      <Empty title={t`This address has no page`}>
        <Trans>It may be misspelled, or what it showed was deleted.</Trans>
        <div>
          <Button component={Link} to="/" mt="md">{t`Go to the start page`}</Button>
        </div>
      </Empty>
    </Center>
  );
}

export function PageFailure({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  return (
    <Stack p="md">
      <Failure
        error={error}
        retry={() => {
          reset();
          void router.invalidate();
        }}
      />
    </Stack>
  );
}
