import { describe, expect, test } from 'vitest';
import { clock, useApp } from '../support/app/app.ts';
import { createTenant } from '../support/app/other-apps.ts';
import { fc } from '../support/app/properties.ts';
import { type Page, walk } from '../support/clients/pages.ts';
import { createDialog, errorOf, execute, type QuickUser, quickUsers, send } from '../support/fixtures/chat.ts';

useApp();

const PAGE_INFO = 'pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';
const MESSAGES = `query ($dialogId: ID!, $orderBy: MessageOrder, $filter: MessageFilter, $first: Int, $after: String,
    $last: Int, $before: String) {
  messages(dialogId: $dialogId, orderBy: $orderBy, filter: $filter, first: $first, after: $after, last: $last,
      before: $before) { totalCount edges { cursor node { id } } ${PAGE_INFO} }
}`;
const DIALOGS = `query ($orderBy: DialogOrder, $first: Int, $after: String, $last: Int, $before: String) {
  dialogs(orderBy: $orderBy, first: $first, after: $after, last: $last, before: $before) {
    totalCount edges { cursor node { id } } ${PAGE_INFO} }
}`;
const DELETE = 'mutation ($ids: [ID!]!, $force: Boolean!) { deleteMessages(ids: $ids, force: $force) { deletedIds } }';

const listed = ({ edges }: Page) => edges.map(({ node }) => node.id);
const direction = fc.constantFrom('ASC', 'DESC');
const way = fc.constantFrom('forward' as const, 'backward' as const);

/** Runs after each page, half the time on the item whose cursor is next. */
const change = fc.record({ kind: fc.constantFrom('send', 'delete', 'hide', 'none'), which: fc.nat(20) });
const changes = fc.array(change, { minLength: 12, maxLength: 12 });

describe('messages', () => {
  async function group(): Promise<{ alice: QuickUser; bob: QuickUser; dialogId: string; ids: string[] }> {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const dialogId = await createDialog(alice, [bob]);
    const ids: string[] = [];
    for (let nth = 0; nth < 10; nth++) {
      if (nth % 3 === 0) clock.advance(400);
      ids.push(await send(nth % 2 ? alice : bob, dialogId, String(nth)));
    }
    return { alice, bob, dialogId, ids };
  }

  test('paging returns each message once while others are sent, deleted and hidden', async () => {
    const field = fc.constantFrom('ID', 'DATE_SENT', 'CREATED_AT', 'UPDATED_AT');
    await fc.assert(
      fc.asyncProperty(field, direction, way, fc.integer({ min: 1, max: 4 }), changes, async (...given) => {
        const [field, direction, way, size, planned] = given;
        const { alice, bob, dialogId, ids } = await group();
        const orderBy = { field, direction };
        const page = (variables: object): Promise<Page> =>
          execute(MESSAGES, { dialogId, orderBy, ...variables }, alice).then(({ messages }) => messages);
        const gone = new Set<string>();
        const plan = [...planned];

        const walked = await walk(
          async (variables) => {
            const shown = await page(variables);
            const { kind, which } = plan.shift() ?? { kind: 'none', which: 0 };
            const at = way === 'forward' ? shown.edges.at(-1) : shown.edges.at(0);
            const id = ids[which] ?? at?.node.id ?? ids[0]!;
            clock.advance(100);
            if (kind === 'send') await send(bob, dialogId, 'more');
            if (['delete', 'hide'].includes(kind) && !gone.has(id)) {
              gone.add(id);
              await execute(DELETE, { ids: [id], force: kind === 'delete' }, alice);
            }
            return shown;
          },
          size,
          way,
        );

        expect(new Set(walked).size).toBe(walked.length);
        const stayed = ids.filter((id) => !gone.has(id));
        if (direction === 'DESC') stayed.reverse();
        expect(walked.filter((id) => stayed.includes(id))).toEqual(stayed);
        const now = await page({ first: 100 });
        expect(walked.filter((id) => listed(now).includes(id))).toEqual(
          listed(now).filter((id) => walked.includes(id)),
        );
      }),
      { numRuns: 15, seed: 20_261_120 },
    );
  });

  test('paging continues from the cursor of a deleted message', async () => {
    for (const field of ['ID', 'DATE_SENT', 'CREATED_AT', 'UPDATED_AT']) {
      const { alice, dialogId, ids } = await group();
      const orderBy = { field, direction: 'ASC' };
      const page = (variables: object) => execute(MESSAGES, { dialogId, orderBy, ...variables }, alice);
      const { edges } = (await page({})).messages as Page;
      await execute(DELETE, { ids: [ids[3], ids[5]], force: true }, alice);
      await execute(DELETE, { ids: [ids[6], ids[4]], force: false }, alice);
      for (const nth of [3, 4, 5, 6]) {
        const { cursor } = edges[nth]!;
        expect(listed((await page({ first: 2, after: cursor })).messages)).toEqual(ids.slice(7, 9));
        expect(listed((await page({ last: 2, before: cursor })).messages)).toEqual(ids.slice(1, 3));
      }
      expect((await page({})).messages.totalCount).toBe(6);
    }
  });

  test.each<[place: object, from: number, to: number, previous: boolean, next: boolean]>([
    [{}, 0, 10, false, false],
    [{ first: 10 }, 0, 10, false, false],
    [{ first: 9 }, 0, 9, false, true],
    [{ last: 10 }, 0, 10, false, false],
    [{ last: 9 }, 1, 10, true, false],
    [{ after: 4 }, 5, 10, true, false],
    [{ before: 4 }, 0, 4, false, false],
    [{ after: 9 }, 10, 10, true, false],
    [{ before: 0 }, 0, 0, false, false],
    [{ first: 3, after: 4 }, 5, 8, true, true],
    [{ first: 3, before: 4 }, 0, 3, false, true],
    [{ last: 3, before: 4 }, 1, 4, true, true],
    [{ last: 3, after: 4 }, 7, 10, true, false],
    [{ first: 2, after: 2, before: 8 }, 3, 5, true, true],
    [{ last: 2, after: 2, before: 8 }, 6, 8, true, true],
    [{ last: 9, after: 2, before: 8 }, 3, 8, false, true],
    [{ first: 9, after: 2, before: 8 }, 3, 8, true, false],
    [{ after: 4, before: 4 }, 0, 0, true, false],
    [{ after: 8, before: 2 }, 0, 0, true, false],
    [{ first: null, last: 1, after: null, before: null }, 9, 10, true, false],
  ])('%j returns the messages from %d to %d', async (place, from, to, hasPreviousPage, hasNextPage) => {
    const { alice, dialogId, ids } = await group();
    const { edges } = (await execute(MESSAGES, { dialogId }, alice)).messages as Page;
    const cursors = Object.fromEntries(
      Object.entries(place).map(([name, value]) =>
        ['after', 'before'].includes(name) && value !== null ? [name, edges[value as number]!.cursor] : [name, value],
      ),
    );
    const { messages } = await execute(MESSAGES, { dialogId, ...cursors }, alice);
    expect(listed(messages)).toEqual(ids.slice(from, to));
    expect(messages.pageInfo).toMatchObject({ hasPreviousPage, hasNextPage });
    expect(messages.totalCount).toBe(10);
  });

  test('cursors and offsets apply within the filter', async () => {
    const { alice, dialogId, ids } = await group();
    const filter = { senderId: { eq: alice.id } };
    const page = (variables: object): Promise<Page> =>
      execute(MESSAGES, { dialogId, filter, ...variables }, alice).then(({ messages }) => messages);
    const mine = ids.filter((_, nth) => nth % 2);
    for (const size of [1, 2, 5]) {
      expect(await walk(page, size, 'forward')).toEqual(mine);
      expect(await walk(page, size, 'backward')).toEqual(mine);
    }
    expect(await page({ first: 1 })).toMatchObject({ totalCount: 5 });
  });

  test('a cursor of another order is rejected or acts as a position', async () => {
    const { alice, dialogId } = await group();
    const fields = ['ID', 'DATE_SENT', 'CREATED_AT'];
    const cursors: Record<string, string> = {};
    for (const field of fields) {
      const orderBy = { field, direction: 'ASC' };
      cursors[field] = (await execute(MESSAGES, { dialogId, orderBy, first: 1 }, alice)).messages.pageInfo.endCursor;
    }
    for (const [field, from] of [
      ['DATE_SENT', 'ID'],
      ['DATE_SENT', 'CREATED_AT'],
      ['CREATED_AT', 'DATE_SENT'],
      ['CREATED_AT', 'ID'],
      ['ID', 'DATE_SENT'],
    ] as const) {
      const variables = { dialogId, orderBy: { field, direction: 'ASC' }, after: cursors[from] };
      expect(await errorOf(MESSAGES, variables, alice)).toEqual({
        message: 'Invalid cursor',
        code: 'BAD_USER_INPUT',
      });
    }
  });
});

describe('dialogs', () => {
  const LEAVE = 'mutation ($id: ID!) { deleteDialog(id: $id) }';

  async function manyDialogs(): Promise<{ alice: QuickUser; bob: QuickUser; ids: string[] }> {
    const [alice, bob, ...others] = (await createTenant(5)).users as [QuickUser, QuickUser, ...QuickUser[]];
    const ids: string[] = [];
    for (const name of ['a', 'b', 'a', 'b', 'c', 'a']) {
      ids.push(await createDialog(bob, [alice], 'GROUP', name));
      if (ids.length % 2) clock.advance(400);
    }
    for (const other of others) ids.push(await createDialog(other, [alice], 'PRIVATE'));
    ids.push(await createDialog(bob, [], 'PUBLIC_GROUP', 'b'));
    for (const id of [ids[0], ids[2], ids[3], ids[9]]) await send(bob, id!, 'hi');
    return { alice, bob, ids };
  }

  test('paging returns each dialog once while others are created, deleted and moved', async () => {
    const field = fc.constantFrom(
      ...[undefined, 'ID', 'TYPE', 'NAME', 'LAST_MESSAGE_DATE_SENT', 'CREATED_AT', 'UPDATED_AT'],
    );
    await fc.assert(
      fc.asyncProperty(field, direction, way, fc.integer({ min: 1, max: 4 }), changes, async (...given) => {
        const [field, direction, way, size, planned] = given;
        const { alice, bob, ids } = await manyDialogs();
        const orderBy = field && { field, direction };
        const page = (variables: object): Promise<Page> =>
          execute(DIALOGS, { orderBy, ...variables }, alice).then(({ dialogs }) => dialogs);
        const before = listed(await page({ first: 100 }));
        expect([...before].sort()).toEqual([...ids].sort());
        const changed = new Set<string>();
        const plan = [...planned];

        const walked = await walk(
          async (variables) => {
            const shown = await page(variables);
            const { kind, which } = plan.shift() ?? { kind: 'none', which: 0 };
            const at = way === 'forward' ? shown.edges.at(-1) : shown.edges.at(0);
            const id = ids[which] ?? at?.node.id ?? ids[0]!;
            clock.advance(100);
            if (kind === 'send') {
              await createDialog(bob, [alice], 'GROUP', 'b');
              if (ids.indexOf(id) < 6) {
                changed.add(id);
                await send(bob, id, 'more');
              }
            }
            if (['delete', 'hide'].includes(kind) && id !== ids[9] && !changed.has(id)) {
              changed.add(id);
              await execute(LEAVE, { id }, alice);
            }
            return shown;
          },
          size,
          way,
        );

        const stayed = before.filter((id) => !changed.has(id));
        expect(walked.filter((id) => stayed.includes(id))).toEqual(stayed);
        const keepsPlaces = ['ID', 'TYPE', 'NAME', 'CREATED_AT'].includes(field ?? '');
        if (keepsPlaces) expect(new Set(walked).size).toBe(walked.length);
      }),
      { numRuns: 15, seed: 20_261_120 },
    );
  });

  test('cursors of deleted or hidden dialogs remain valid positions', async () => {
    for (const field of [undefined, 'ID', 'TYPE', 'NAME', 'LAST_MESSAGE_DATE_SENT', 'CREATED_AT', 'UPDATED_AT']) {
      const { alice, ids } = await manyDialogs();
      const orderBy = field && { field, direction: 'DESC' };
      const page = (variables: object): Promise<Page> =>
        execute(DIALOGS, { orderBy, ...variables }, alice).then(({ dialogs }) => dialogs);
      const { edges } = await page({});
      const gone = [ids[3], ids[7]];
      for (const id of gone) await execute(LEAVE, { id }, alice);
      for (const [nth, { cursor, node }] of edges.entries()) {
        if (!gone.includes(node.id)) continue;
        const left = (some: Page['edges']) => some.map((edge) => edge.node.id).filter((id) => !gone.includes(id));
        expect(listed(await page({ after: cursor }))).toEqual(left(edges.slice(nth + 1)));
        expect(listed(await page({ last: 50, before: cursor }))).toEqual(left(edges.slice(0, nth)));
      }
    }
  });
});
