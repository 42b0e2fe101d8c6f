import { describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
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
  inviteAdministrator(input: $input) { url isMailed administrator { id email isActive roles { applicationId role } } }
}`;
const UPDATE = `mutation ($id: Int!, $input: UpdateAdministratorInput!) {
  updateAdministrator(id: $id, input: $input) { name roles { applicationId role } }
}`;
const DELETE = 'mutation ($id: Int!) { deleteAdministrator(id: $id) }';
const ACCEPT = `mutation ($token: String!, $password: String!) {
  acceptAdministratorLink(token: $token, input: { password: $password }) { email isActive }
}`;
const OF_ALL = { applicationId: null, role: 'owner' } as const;

const ownerOfAll = async () => withoutApplication(await signedInAdministrator(OF_ALL));

describe('invitations', () => {
  test('are mailed, and accepting one signs in with its roles', async () => {
    const owner = await ownerOfAll();
    const roles = [{ applicationId: APPLICATION.id, role: 'SUPPORT' }];
    const input = { email: 'Grace@example.com', name: 'Grace', roles };
    const { data } = await graphql(INVITE, { input }, owner);
    expect(data.inviteAdministrator).toMatchObject({
      isMailed: true,
      administrator: { email: 'grace@example.com', isActive: false, roles },
    });
    const [mail] = await mailsTo('grace@example.com');
    expect(linkIn(mail!)).toBe(data.inviteAdministrator.url);
    const token = linkIn(mail!).split('#')[1];
    const accepted = await fromConsole(ACCEPT, { token, password: PASSWORD });
    expect(accepted.data.acceptAdministratorLink).toEqual({ email: 'grace@example.com', isActive: true });
    const grace = inConsole(cookieOf(accepted));
    expect((await graphql('{ users { totalCount } }', {}, grace)).errors).toBeUndefined();
    expect(errorIn(await fromConsole(ACCEPT, { token, password: PASSWORD }))).toMatchObject({ code: 'UNPROCESSABLE' });
    expect(errorIn(await graphql(INVITE, { input }, owner))).toEqual({
      message: 'Email has already been taken',
      code: 'UNPROCESSABLE',
    });
  });

  test('replace earlier ones of the same person', async () => {
    const owner = await ownerOfAll();
    const invite = async (role: string) => {
      const input = { email: 'hedy@example.com', name: 'Hedy', roles: [{ applicationId: APPLICATION.id, role }] };
      return (await graphql(INVITE, { input }, owner)).data.inviteAdministrator.url.split('#')[1];
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
    const link = await fromConsole('query ($token: String!) { administratorLink(token: $token) { email } }', {
      token: url.split('#')[1],
    });
    expect(link.data.administratorLink).toBeNull();
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
    expect(await db.administrator.count({ where: { email: 'x@example.com' } })).toBe(0);
  });
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

  test('may not replace the roles of an invited person in other applications', async () => {
    const other = await createTenant(0);
    const roles = [{ applicationId: other.applicationId, role: 'DEVELOPER' }];
    const input = { email: 'ida@example.com', name: 'Ida', roles };
    expect(errorIn(await graphql(INVITE, { input }, await ownerOfAll()))).toBeUndefined();
    const owner = withoutApplication(await signedInAdministrator('owner'));
    const own = { ...input, roles: [{ applicationId: APPLICATION.id, role: 'VIEWER' }] };
    expect(errorIn(await graphql(INVITE, { input: own }, owner))).toEqual({
      message: 'Only an owner may assign or remove these roles',
      code: 'FORBIDDEN',
    });
    const kept = await db.administratorRole.findMany({ where: { administrator: { email: input.email } } });
    expect(kept).toMatchObject([{ applicationId: other.applicationId, role: 'developer' }]);
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
