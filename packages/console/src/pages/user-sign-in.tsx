import { graphql, type ResultOf } from '@atrium/client';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Group, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { mutate, query } from '../app/clients.ts';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { Loaded } from '../ui/page.tsx';
import { Status } from '../ui/status.tsx';
import { Time } from '../ui/values.tsx';

const METHODS = graphql(`query ConsoleUserSignInMethods($id: Int!) {
  userSignInMethods(userId: $id) {
    hasPassword needsSecondFactor isSecondFactorDemanded hasTotp recoveryCodesLeft
    passkeys { id name host createdAt lastUsedAt }
    identities { issuer subject createdAt }
  }
}`);
const RESET = graphql(`mutation ConsoleResetSecondFactor($id: Int!) { resetSecondFactor(userId: $id) }`);

type Methods = ResultOf<typeof METHODS>['userSignInMethods'];

export interface SignInUser {
  id: number;
  email: string | null;
  emailVerified: boolean | null;
}

/** How a user signs in. */
export function UserSignIn({ application, user }: { application: number; user: SignInUser }) {
  const { id } = user;
  const queries = useQueryClient();
  const queryKey = [application, 'user-sign-in', id];
  const methods = useQuery({
    queryKey,
    queryFn: async ({ signal }) => (await query({ application }, METHODS, { id }, signal)).userSignInMethods,
  });
  const reset = useMutation({
    mutationFn: () => mutate({ application }, RESET, { id }),
    onSuccess: () => {
      notifications.show({ message: t`Second factor removed; the user was notified` });
      return queries.invalidateQueries({ queryKey });
    },
  });
  return (
    <section aria-labelledby="user-sign-in">
      <Title order={3} size="h6" mb="xs" id="user-sign-in">{t`Sign-in`}</Title>
      <Loaded of={methods}>
        {(loaded) => (
          <>
            <Facts methods={loaded} user={user} />
            {(loaded.needsSecondFactor || loaded.passkeys.length > 0) && (
              <Group mt="sm">
                <ConfirmButton
                  label={t`Remove second factor`}
                  question={t`The password suffices afterwards, and passkeys are deleted. Check first who asks for it.`}
                  onConfirm={() => reset.mutate()}
                  isLoading={reset.isPending}
                />
              </Group>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}

function Facts({ methods, user: { email, emailVerified } }: { methods: Methods; user: SignInUser }) {
  const { hasPassword, passkeys, identities } = methods;
  return (
    <dl className="facts">
      <dt>{t`Password`}</dt>
      <dd>{hasPassword ? t`Set` : t`None`}</dd>
      <dt>{t`Email address`}</dt>
      <dd>{email === null ? t`None` : emailVerified ? t`${email}, verified` : t`${email}, not verified`}</dd>
      <dt>{t`Second factor`}</dt>
      <dd>
        <SecondFactor methods={methods} />
      </dd>
      <dt>{t`Passkeys`}</dt>
      <dd>
        {passkeys.length === 0 && t`None`}
        {passkeys.map(({ id, name, host, createdAt, lastUsedAt }) => (
          <div key={id}>
            {name}
            <Text size="xs" c="dimmed">
              {lastUsedAt === null ? (
                <Trans>
                  {host}, added <Time of={createdAt} />, never used
                </Trans>
              ) : (
                <Trans>
                  {host}, added <Time of={createdAt} />, last used <Time of={lastUsedAt} />
                </Trans>
              )}
            </Text>
          </div>
        ))}
      </dd>
      <dt>{t`Linked accounts`}</dt>
      <dd>
        {identities.length === 0 && t`None`}
        {identities.map(({ issuer, subject, createdAt }) => (
          <div key={`${issuer} ${subject}`}>
            {issuer}
            <Text size="xs" c="dimmed">
              <Trans>
                {subject}, linked <Time of={createdAt} />
              </Trans>
            </Text>
          </div>
        ))}
      </dd>
    </dl>
  );
}

function SecondFactor({ methods }: { methods: Methods }) {
  const { needsSecondFactor, isSecondFactorDemanded, hasTotp, recoveryCodesLeft: count } = methods;
  if (!needsSecondFactor)
    return isSecondFactorDemanded ? <Status tone="warn">{t`Demanded by a role, not set up`}</Status> : t`None`;
  return (
    <>
      {hasTotp ? t`Authenticator app` : t`Passkey`}
      <Text size="xs" c="dimmed">
        {plural(count, { one: '# recovery code left', other: '# recovery codes left' })}
      </Text>
    </>
  );
}
