import fc from 'fast-check';
import { expect } from 'vitest';
import { clock } from '../../support/app/app.ts';
import type { QuickUser } from '../../support/fixtures/chat.ts';
import type { Body } from '../../support/operations/operation.ts';
import { TRANSPORTS } from './ask.ts';
import type { ChatModel } from './chat-model.ts';
import { type Doer, ModelFixture, type Outcome, outcomeOf, type Pick } from './fixture.ts';
import type { Deleted, Kind, ModelDialog } from './records.ts';
import { ascending, expectViews } from './views.ts';

export interface Real {
  users: QuickUser[];
  viewers: number;
}

type Deed<Args> = (fixture: ModelFixture, args: Args) => Promise<ModelDialog | undefined>;

class Step<Args extends Doer> implements fc.AsyncCommand<ChatModel, Real> {
  readonly #name: string;
  readonly #args: Args;
  readonly #deed: Deed<Args>;

  constructor(name: string, args: Args, deed: Deed<Args>) {
    this.#name = name;
    this.#args = args;
    this.#deed = deed;
  }

  check(): boolean {
    return true;
  }

  async run(model: ChatModel, { users, viewers }: Real): Promise<void> {
    model.now += 1_000;
    clock.set(new Date(model.now));
    const touched = await this.#deed(new ModelFixture(model, users, this.#args), this.#args);
    const place = this.#args.actor % users.length;
    await expectViews(model, users.slice(place).concat(users).slice(0, viewers), touched);
  }

  toString(): string {
    return `${this.#name}(${fc.stringify(this.#args)})`;
  }
}

// Two of the users and one of the dialogs are more likely, so that steps affect each other.
const USERS = 4;
const doer = {
  actor: fc.oneof(
    { weight: 10, arbitrary: fc.nat(USERS - 1) },
    { weight: 10, arbitrary: fc.nat(1) },
    { weight: 1, arbitrary: fc.constant(USERS) },
  ),
  // More often, because it is possible for few steps.
  transport: fc.constantFrom(...TRANSPORTS, ...Array<'XMPP'>(3).fill('XMPP')),
};
const rarely = fc.integer({ min: 0, max: 4 }).map((number) => number === 4);
const flag = fc.oneof(fc.constant(true), fc.constant(false), fc.constant(undefined));
const perhaps = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
const pick = (max: number): fc.Arbitrary<Pick> => fc.record({ nth: fc.nat(max), anywhere: rarely });
const dialog = fc.oneof(pick(0), pick(20));
const user = fc.nat(USERS - 1);
const users = fc.uniqueArray(user, { minLength: 1, maxLength: 2 });
const messages = fc.array(pick(8), { minLength: 1, maxLength: 3 });
const marking = { read: flag, delivered: flag };
const reaction = fc.constantFrom('like', 'love');

function step<Args>(name: string, fields: { [Key in keyof Args]: fc.Arbitrary<Args[Key]> }, deed: Deed<Args & Doer>) {
  return fc
    .record({ ...doer, ...fields } as { [Key in keyof (Args & Doer)]: fc.Arbitrary<(Args & Doer)[Key]> })
    .map((args) => new Step(name, args as Args & Doer, deed));
}

const send = step(
  'send',
  {
    dialog,
    recipient: perhaps(perhaps(user)),
    clientId: perhaps(fc.nat(3)),
    isBlank: rarely.chain((it) => (it ? rarely : fc.constant(false))),
  },
  async (fixture, { dialog, recipient, clientId, isBlank }) => {
    const { model, actor, text } = fixture;
    const { id: dialogId } = fixture.dialog(dialog);
    const address = recipient === undefined ? { dialogId } : { recipientId: fixture.userIds([recipient])![0] };
    const key = clientId === undefined ? {} : { clientId: String(clientId) };
    const sending = { ...address, ...key, text: isBlank ? '' : text };
    const answer = await fixture.ask('post /chat/Message', sending, ({ _id, chat_dialog_id }) => ({
      id: _id,
      dialogId: chat_dialog_id,
    }));
    agree(answer, (given) => model.send(actor, sending, given));
    const sentTo = 'value' in answer ? answer.value.dialogId : address.dialogId;
    return model.everyDialog.find(({ id }) => id === sentTo);
  },
);

const read = step(
  'read',
  {
    dialog,
    skip: fc.nat(3),
    limit: fc.integer({ min: 1, max: 5 }),
    direction: fc.constantFrom('desc' as const, undefined),
    markAsRead: fc.boolean(),
  },
  async (fixture, { dialog, ...page }) => {
    const { model, actor } = fixture;
    const target = fixture.dialog(dialog);
    const window = { dialogId: target.id, ...page };
    const answer = await fixture.ask('get /chat/Message', window, ({ items }) => items.map(readOf));
    agree(answer, () =>
      model.read(actor, window).map(({ id, text, readers, receivers }) => ({
        id,
        text,
        readIds: ascending(readers),
        deliveredIds: ascending(receivers),
      })),
    );
    return target;
  },
);

const mark = step('mark', { messages, within: perhaps(perhaps(dialog)), ...marking }, async (fixture, args) => {
  const { model, actor } = fixture;
  const { ids, touched } = fixture.messages(args.messages);
  const dialogId = args.within ? fixture.dialog(args.within).id : touched?.id;
  const update = { read: args.read, delivered: args.delivered, dialogId };
  const answer = await fixture.ask('put /chat/Message/:ids', { ids, ...update }, nothing);
  agree(answer, () => model.updateMessages(actor, ids, update));
  return touched;
});

const edit = step('edit', { message: pick(8), isOthers: rarely, read: flag }, async (fixture, args) => {
  const { model, actor, text } = fixture;
  const { ids, touched } = fixture.messages([args.message], !args.isOthers);
  const update = { text, read: args.read };
  const answer = await fixture.ask('put /chat/Message/:ids', { ids, ...update }, nothing);
  agree(answer, () => model.updateMessages(actor, ids, update));
  return touched;
});

const markAll = step('mark all', { dialog, ...marking }, async (fixture, { dialog, read, delivered }) => {
  const { model, actor } = fixture;
  const target = fixture.dialog(dialog);
  const answer = await fixture.ask('put /chat/Message', { dialogId: target.id, read, delivered }, nothing);
  agree(answer, () => model.markAll(actor, target.id, { read, delivered }));
  return target;
});

const deleteMessages = step('delete', { messages, force: fc.boolean() }, async (fixture, { messages, force }) => {
  const { model, actor } = fixture;
  const { ids, touched } = fixture.messages(messages);
  const answer = await fixture.ask('delete /chat/Message/:ids', { ids, force }, deletedOf);
  agree(answer, () => model.deleteMessages(actor, ids, force));
  return touched;
});

const react = step(
  'react',
  { message: pick(3), add: perhaps(reaction), remove: perhaps(perhaps(reaction)) },
  async (fixture, { message, add, remove }) => {
    const { model, actor } = fixture;
    const { ids, touched } = fixture.messages([message]);
    const [messageId] = ids as [string];
    const isOne = (add === undefined) !== (remove === undefined);
    const method = !isOne ? 'put' : add === undefined ? 'delete' : 'post';
    const args = isOne ? { messageId, name: add ?? remove } : { messageId, add, remove };
    const answer = await fixture.ask(`${method} /chat/Message/:id/reactions`, args, nothing);
    agree(answer, () => model.changeReactions(actor, messageId, add, remove));
    return touched;
  },
);

const createDialog = step(
  'create dialog',
  { kind: fc.constantFrom<Kind>('PRIVATE', 'PRIVATE', 'GROUP'), others: fc.uniqueArray(user, { maxLength: 2 }) },
  async (fixture, { kind, others }) => {
    const { model, actor, text } = fixture;
    const ids = fixture.userIds(others)!;
    const answer = await fixture.ask(
      'post /chat/Dialog',
      { type: kind, occupantIds: ids, name: text },
      ({ _id }) => _id,
    );
    agree(answer, (given) => model.createDialog(actor, kind, ids, text, given));
    return model.everyDialog.find(({ id }) => 'value' in answer && id === answer.value);
  },
);

const noUsers = fc.constant<number[] | undefined>(undefined);
const occupants = { addOccupantIds: noUsers, removeOccupantIds: noUsers };
const admins = { addAdminIds: noUsers, removeAdminIds: noUsers };

function change(name: string, fields: typeof occupants & typeof admins) {
  return step(name, { dialog, byOwner: fc.boolean(), isNamed: rarely, ...fields }, async (fixture, args) => {
    const target = fixture.dialog(args.dialog);
    const doing = args.byOwner ? fixture.as(target.owner) : fixture;
    const { model, actor, text } = doing;
    const update = {
      name: args.isNamed ? text : undefined,
      addOccupantIds: fixture.userIds(args.addOccupantIds),
      removeOccupantIds: fixture.userIds(args.removeOccupantIds),
      addAdminIds: fixture.userIds(args.addAdminIds),
      removeAdminIds: fixture.userIds(args.removeAdminIds),
    };
    const answer = await doing.ask('put /chat/Dialog/:id', { id: target.id, ...update }, nothing);
    agree(answer, () => model.updateDialog(actor, target.id, update));
    return target;
  });
}

const deleteDialog = step(
  'delete dialog',
  { dialog, another: perhaps(dialog), force: rarely },
  async (fixture, { dialog, another, force }) => {
    const { model, actor } = fixture;
    const target = fixture.dialog(dialog);
    const { id } = target;
    const ids = [id, ...(another ? [fixture.dialog(another).id] : [])];
    if (new Set(ids).size === 1) {
      const answer = await fixture.ask('delete /chat/Dialog/:id', { id, force }, nothing);
      agree(answer, () => model.deleteDialog(actor, id, force));
    } else {
      const answer = await fixture.ask('delete /chat/Dialog/:ids', { ids, force }, deletedOf);
      agree(answer, () => model.deleteDialogs(actor, ids, force));
    }
    return target;
  },
);

export const anyStep: fc.Arbitrary<fc.AsyncCommand<ChatModel, Real>> = fc.oneof(
  { weight: 9, arbitrary: send },
  { weight: 3, arbitrary: read },
  { weight: 5, arbitrary: mark },
  { weight: 2, arbitrary: edit },
  { weight: 3, arbitrary: markAll },
  { weight: 4, arbitrary: deleteMessages },
  { weight: 4, arbitrary: react },
  { weight: 1, arbitrary: createDialog },
  { weight: 2, arbitrary: change('add occupants', { ...occupants, ...admins, addOccupantIds: users }) },
  { weight: 1, arbitrary: change('remove occupants', { ...occupants, ...admins, removeOccupantIds: users }) },
  { weight: 1, arbitrary: change('name admins', { ...occupants, addAdminIds: users, removeAdminIds: perhaps(users) }) },
  {
    weight: 1,
    arbitrary: change('change', {
      addOccupantIds: perhaps(users),
      removeOccupantIds: perhaps(users),
      addAdminIds: perhaps(users),
      removeAdminIds: perhaps(users),
    }),
  },
  { weight: 1, arbitrary: deleteDialog },
);

function agree<Value>(answer: Outcome<Value>, expected: (given: Value) => Value): void {
  if ('isSilent' in answer) return void outcomeOf(() => expected(undefined as Value));
  expect(answer).toEqual(outcomeOf(() => expected((answer as { value: Value }).value)));
}

function nothing(): undefined {
  return undefined;
}

function deletedOf({ SuccessfullyDeleted, NotFound, WrongPermissions }: Body): Deleted {
  return {
    deleted: SuccessfullyDeleted.ids,
    notFound: NotFound.ids,
    wrongPermissions: WrongPermissions?.ids ?? [],
  };
}

function readOf({ _id: id, message: text, read_ids: readIds, delivered_ids: deliveredIds }: Body) {
  return { id, text, readIds, deliveredIds };
}
