import { describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { DELETED } from '../../../src/resolvers/applications/delete.ts';
import { APPLICATION, clock, running, useApp } from '../../support/app/app.ts';
import { createTenant } from '../../support/app/other-apps.ts';
import { graphql } from '../../support/clients/graphql.ts';
import {
  cookieOf,
  errorIn,
  fromConsole,
  inConsole,
  PASSWORD,
  signedInAdministrator,
  withoutApplication,
} from '../../support/fixtures/administrators.ts';
import { linkIn, mailsTo } from '../../support/fixtures/mails.ts';

useApp();

const INVITE = `mutation ($input: InviteAdministratorInput!) {
  inviteAdministrator(input: $input) { url isMailed invitation { id email name roles { applicationId role } } }
}`;
const INVITED = '{ administratorInvitations { id email name roles { applicationId role } } }';
const REVOKE = 'mutation ($id: Int!) { deleteAdministratorInvitation(id: $id) }';
const LINK = 'query ($token: String!) { administratorLink(token: $token) { email name hasAccount hasTotp } }';
const UPDATE = `mutation ($id: Int!, $input: UpdateAdministratorInput!) {
  updateAdministrator(id: $id, input: $input) { name roles { applicationId role } }
}`;
const DELETE = 'mutation ($id: Int!) { deleteAdministrator(id: $id) }';
const ACCEPT = `mutation ($token: String!, $password: String) {
  acceptAdministratorLink(token: $token, input: { password: $password }) { email name roles { applicationId role } }
}`;
const OF_ALL = { applicationId: null, role: 'owner' } as const;

const tokenOf = (url: string) => url.split('#')[1];

const ownerOfAll = async () => withoutApplication(await signedInAdministrator(OF_ALL));

describe('invitations', () => {
  test('are mailed, and accepting one signs in with its roles', async () => {
    const owner = await ownerOfAll();
    const roles = [{ applicationId: APPLICATION.id, role: 'SUPPORT' }];
    const input = { email: 'Grace@example.com', name: 'Grace', roles };
    const { data } = await graphql(INVITE, { input }, owner);
    const invitation = { id: expect.any(Number), email: 'grace@example.com', name: 'Grace', roles };
    expect(data.inviteAdministrator).toMatchObject({ isMailed: true, invitation });
    expect((await graphql(INVITED, {}, owner)).data.administratorInvitations).toEqual([invitation]);
    const [mail] = await mailsTo('grace@example.com');
    expect(linkIn(mail!)).toBe(data.inviteAdministrator.url);
    const token = tokenOf(linkIn(mail!));
    const accepted = await fromConsole(ACCEPT, { token, password: PASSWORD });
    expect(accepted.data.acceptAdministratorLink).toEqual({ email: 'grace@example.com', name: 'Grace', roles });
    const grace = inConsole(cookieOf(accepted));
    expect((await graphql('{ users { totalCount } }', {}, grace)).errors).toBeUndefined();
    expect(errorIn(await fromConsole(ACCEPT, { token, password: PASSWORD }))).toMatchObject({ code: 'UNPROCESSABLE' });
    expect((await graphql(INVITED, {}, owner)).data.administratorInvitations).toEqual([]);
  });

  test('add roles to an account, whose password or session proves who accepts', async () => {
    const owner = await ownerOfAll();
    const other = await createTenant(0);
    const invite = async (email: string, applicationId: number) => {
      const input = { email, name: 'Other name', roles: [{ applicationId, role: 'VIEWER' }] };
      return tokenOf((await graphql(INVITE, { input }, owner)).data.inviteAdministrator.url);
    };
    const first = await invite('joan@example.com', APPLICATION.id);
    await fromConsole(ACCEPT, { token: first, password: PASSWORD });
    const roles = [APPLICATION.id, other.applicationId].map((applicationId) => ({ applicationId, role: 'VIEWER' }));

    const second = await invite('joan@example.com', other.applicationId);
    expect((await fromConsole(LINK, { token: second })).data.administratorLink).toMatchObject({
      name: 'Other name',
      hasAccount: true,
    });
    for (const password of [`${PASSWORD}!`, null]) {
      expect(errorIn(await fromConsole(ACCEPT, { token: second, password }))).toEqual({
        message: 'Wrong email address, password or code',
        code: 'UNAUTHENTICATED',
      });
    }
    const accepted = await fromConsole(ACCEPT, { token: second, password: PASSWORD });
    expect(accepted.data.acceptAdministratorLink).toEqual({ email: 'joan@example.com', name: 'Other name', roles });
    expect(accepted.setCookie).toHaveLength(1);

    const signedIn = await signedInAdministrator('viewer');
    const third = await invite(signedIn.email, other.applicationId);
    const as = withoutApplication(signedIn);
    expect((await fromConsole(ACCEPT, { token: third }, as)).data.acceptAdministratorLink).toMatchObject({ roles });
  });

  test('can be revoked', async () => {
    const owner = await ownerOfAll();
    const input = { email: 'kay@example.com', name: 'Kay', roles: [{ role: 'VIEWER' }] };
    const { url, invitation } = (await graphql(INVITE, { input }, owner)).data.inviteAdministrator;
    expect((await graphql(REVOKE, { id: invitation.id }, owner)).data).toEqual({ deleteAdministratorInvitation: true });
    expect((await fromConsole(LINK, { token: tokenOf(url) })).data.administratorLink).toBeNull();
    expect(errorIn(await graphql(REVOKE, { id: invitation.id }, owner))).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('grant nothing in an application that was deleted since', async () => {
    const owner = await ownerOfAll();
    const gone = (await createTenant(0)).applicationId;
    const roles = [gone, APPLICATION.id].map((applicationId) => ({ applicationId, role: 'SUPPORT' }));
    const input = { email: 'mary@example.com', name: 'Mary', roles };
    const { url } = (await graphql(INVITE, { input }, owner)).data.inviteAdministrator;
    await db.administratorLink.updateMany({
      where: { email: input.email },
      data: {
        roles: [
          { applicationId: 2_000_000_000, role: 'support' },
          { applicationId: APPLICATION.id, role: 'support' },
        ],
      },
    });
    const accepted = await fromConsole(ACCEPT, { token: tokenOf(url), password: PASSWORD });
    expect(accepted.data.acceptAdministratorLink.roles).toEqual([roles[1]]);
  });

  test('replace earlier ones of the same person', async () => {
    const owner = await ownerOfAll();
    const invite = async (role: string) => {
      const input = { email: 'hedy@example.com', name: 'Hedy', roles: [{ applicationId: APPLICATION.id, role }] };
      return tokenOf((await graphql(INVITE, { input }, owner)).data.inviteAdministrator.url);
    };
    const [first, second] = [await invite('VIEWER'), await invite('DEVELOPER')];
    expect(errorIn(await fromConsole(ACCEPT, { token: first, password: PASSWORD }))).toBeDefined();
    expect(errorIn(await fromConsole(ACCEPT, { token: second, password: PASSWORD }))).toBeUndefined();
    const { roles } = await db.administrator.findUniqueOrThrow({
      where: { email: 'hedy@example.com' },
      include: { roles: true },
    });
    expect(roles.map(({ role }) => role)).toEqual(['developer']);
  });

  test('expire after seven days', async () => {
    const owner = await ownerOfAll();
    const roles = [{ applicationId: null, role: 'VIEWER' }];
    const input = { email: 'late@example.com', name: 'Late', roles };
    const { url } = (await graphql(INVITE, { input }, owner)).data.inviteAdministrator;
    clock.advance(7 * 24 * 60 * 60_000);
    expect((await fromConsole(LINK, { token: tokenOf(url) })).data.administratorLink).toBeNull();
    expect((await graphql(INVITED, {}, await ownerOfAll())).data.administratorInvitations).toEqual([]);
  });

  test.each([
    ['no roles', { roles: [] }, 'Roles should have 1 to 100 entries'],
    [
      'an unknown application',
      { roles: [{ applicationId: 4711, role: 'VIEWER' }] },
      'Roles should name existing applications',
    ],
    ['no address', { email: 'x' }, 'Email should look like an email address'],
    ['a blank name', { name: ' ' }, "Name can't be blank"],
  ])('with %s are refused', async (_name, part, message) => {
    const input = { email: 'x@example.com', name: 'X', roles: [{ role: 'VIEWER' }], ...part };
    expect(errorIn(await graphql(INVITE, { input }, await ownerOfAll()))).toEqual({ message, code: 'UNPROCESSABLE' });
    expect(await db.administratorLink.count({ where: { email: 'x@example.com' } })).toBe(0);
  });
});

test('a role in an application that is being deleted is refused, so that no role outlives the application', async () => {
  const { applicationId } = await createTenant(0);
  await db.application.update({ where: { id: applicationId }, data: { importId: DELETED, importedEntries: -1 } });
  const input = { email: 'late@example.com', name: 'Late', roles: [{ applicationId, role: 'VIEWER' }] };
  const refusal = errorIn(await graphql(INVITE, { input }, await ownerOfAll()));
  expect(refusal).toEqual({ message: 'Roles should name existing applications', code: 'UNPROCESSABLE' });
});

describe('an owner of one application', () => {
  const refused = { message: 'Only an owner may assign or remove these roles', code: 'FORBIDDEN' };

  test('may assign and remove roles of that application only', async () => {
    const other = await createTenant(0);
    const owner = withoutApplication(await signedInAdministrator('owner'));
    const person = await signedInAdministrator('viewer', { applicationId: other.applicationId, role: 'viewer' });
    const [here, there] = [APPLICATION.id, other.applicationId].map((id) => ({ applicationId: id, role: 'SUPPORT' }));
    const set = async (roles: object[]) => graphql(UPDATE, { id: person.id, input: { roles } }, owner);
    expect(errorIn(await set([here!]))).toBeUndefined();
    expect(errorIn(await set([here!, there!]))).toEqual(refused);
    expect(errorIn(await set([{ applicationId: other.applicationId, role: 'OWNER' }]))).toEqual(refused);
    expect(errorIn(await set([here!, { role: 'VIEWER' }]))).toEqual(refused);
    expect(errorIn(await set([]))).toBeUndefined();
    const left = await db.administratorRole.findMany({ where: { administratorId: person.id } });
    expect(left).toMatchObject([{ applicationId: other.applicationId, role: 'viewer' }]);
  });

  test('may not delete administrators or create applications', async () => {
    const person = await signedInAdministrator('viewer');
    const owner = withoutApplication(await signedInAdministrator('owner'));
    const forbidden = { message: 'Only an owner of all applications may do this', code: 'FORBIDDEN' };
    expect(errorIn(await graphql(DELETE, { id: person.id }, owner))).toEqual(forbidden);
    const create = 'mutation { createApplication(name: "x") { applicationId } }';
    expect(errorIn(await graphql(create, {}, owner))).toEqual(forbidden);
  });

  test('sees the administrators of that application', async () => {
    const other = await createTenant(0);
    const stranger = await signedInAdministrator({ applicationId: other.applicationId, role: 'viewer' });
    const colleague = await signedInAdministrator('viewer');
    const owner = withoutApplication(await signedInAdministrator('owner'));
    const { data } = await graphql('{ administrators { id } }', {}, owner);
    const ids = data.administrators.map(({ id }: { id: number }) => id);
    expect(ids).toContain(colleague.id);
    expect(ids).not.toContain(stranger.id);
  });
});

test('invitations of an administrator end once they could no longer send them', async () => {
  const owner = await ownerOfAll();
  const other = (await createTenant(0)).applicationId;
  const [here, there] = [APPLICATION.id, other].map((applicationId) => ({ applicationId, role: 'OWNER' }));
  const person = await signedInAdministrator('owner', { applicationId: other, role: 'owner' });
  for (const role of [here, there]) {
    const input = { email: `of${role!.applicationId}@example.com`, name: 'x', roles: [role] };
    expect(errorIn(await graphql(INVITE, { input }, withoutApplication(person)))).toBeUndefined();
  }
  const set = (...roles: unknown[]) => graphql(UPDATE, { id: person.id, input: { roles } }, owner);
  const sent = async () =>
    (await db.administratorLink.findMany({ where: { inviterId: person.id } })).map(({ email }) => email);
  await set(here, there, { applicationId: null, role: 'VIEWER' });
  expect(await sent()).toHaveLength(2);
  await set(there);
  expect(await sent()).toEqual([`of${other}@example.com`]);
});

test('changed roles count from the next request, and a deleted administrator is signed out', async () => {
  const owner = await ownerOfAll();
  const person = await signedInAdministrator('support');
  const read = async () => errorIn(await graphql('{ users { totalCount } }', {}, person));
  expect(await read()).toBeUndefined();
  await graphql(
    UPDATE,
    { id: person.id, input: { roles: [{ applicationId: APPLICATION.id, role: 'VIEWER' }] } },
    owner,
  );
  expect(await read()).toMatchObject({ code: 'FORBIDDEN' });
  expect((await graphql(DELETE, { id: person.id }, owner)).data).toEqual({ deleteAdministrator: true });
  expect(await read()).toEqual({ message: 'Sign in to the console', code: 'UNAUTHENTICATED' });
});

test('the last owner of all applications cannot be removed, even by concurrent requests', async () => {
  await db.administrator.deleteMany();
  const [one, two] = [await signedInAdministrator(OF_ALL), await signedInAdministrator(OF_ALL)];
  const removals = await Promise.all([
    graphql(DELETE, { id: two.id }, withoutApplication(one)),
    graphql(UPDATE, { id: one.id, input: { roles: [{ role: 'VIEWER' }] } }, withoutApplication(two)),
  ]);
  expect(removals.filter(({ data }) => data).length).toBe(1);
  const owners = await db.administratorRole.count({ where: { role: 'owner', applicationId: null } });
  expect(owners).toBe(1);
});

test('a console that is turned off refuses to sign in', async () => {
  const { services } = running.app;
  const administrator = await signedInAdministrator(OF_ALL);
  services.isConsoleOn = false;
  try {
    expect(errorIn(await graphql('{ applications { id } }', {}, withoutApplication(administrator)))).toEqual({
      message: 'The console is turned off',
      code: 'DISABLED',
    });
    const signIn = 'mutation { signInAdministrator(email: "x@example.com", password: "x") { id } }';
    expect(errorIn(await fromConsole(signIn))).toMatchObject({ code: 'BAD_USER_INPUT' });
  } finally {
    services.isConsoleOn = true;
  }
});
