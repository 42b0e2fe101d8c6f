import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Stack } from '@mantine/core';
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { Empty, Failure, Page } from '../ui/page.tsx';

export function NotFoundPage() {
  return (
    <Page title={t`Nothing here`}>
      <Empty title={t`This address has no page`}>
        <Button component={Link} to="/" mt="sm">
          <Trans>Go to the start page</Trans>
        </Button>
      </Empty>
    </Page>
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
