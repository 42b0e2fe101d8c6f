import fc from 'fast-check';
import { expect } from 'vitest';
import { clock } from '../../support/app/app.ts';
import type { QuickUser } from '../../support/fixtures/chat.ts';
import type { ChatModel } from './chat-model.ts';
import { type Doer, ModelFixture, type Pick } from './fixture.ts';
import type { Kind, ModelDialog } from './records.ts';
import { type Answer, answerOf } from './transports.ts';
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
  overRest: fc.boolean(),
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
    const { model, transport, actor, caller, text } = fixture;
    const { id: dialogId } = fixture.dialog(dialog);
    const address = recipient === undefined ? { dialogId } : { recipientId: fixture.userIds([recipient])![0] };
    const key = clientId === undefined ? {} : { clientId: String(clientId) };
    const sending = { ...address, ...key, text: isBlank ? '' : text };
    const answer = await transport.send(caller, sending);
    agree(answer, (given) => model.send(actor, sending, given));
    const sentTo = 'value' in answer ? answer.value.dialogId : address.dialogId;
    return model.everyDialog.find(({ id }) => id === sentTo);
  },
);

const read = step(
  'read',
  { dialog, skip: fc.nat(3), limit: fc.integer({ min: 1, max: 5 }), newestFirst: fc.boolean(), marks: fc.boolean() },
  async (fixture, { dialog, ...page }) => {
    const { model, transport, actor, caller } = fixture;
    const target = fixture.dialog(dialog);
    const window = { dialogId: target.id, ...page };
    agree(await transport.read(caller, window), () =>
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
  const { model, transport, actor, caller } = fixture;
  const { ids, touched } = fixture.messages(args.messages);
  const dialogId = args.within ? fixture.dialog(args.within).id : touched?.id;
  const update = { read: args.read, delivered: args.delivered, dialogId };
  const answer = await transport.updateMessages(caller, ids, update);
  agree(answer, () => model.updateMessages(actor, ids, update));
  return touched;
});

const edit = step('edit', { message: pick(8), isOthers: rarely, read: flag }, async (fixture, args) => {
  const { model, transport, actor, caller, text } = fixture;
  const { ids, touched } = fixture.messages([args.message], !args.isOthers);
  const update = { text, read: args.read };
  const answer = await transport.updateMessages(caller, ids, update);
  agree(answer, () => model.updateMessages(actor, ids, update));
  return touched;
});

const markAll = step('mark all', { dialog, ...marking }, async (fixture, { dialog, read, delivered }) => {
  const { model, transport, actor, caller } = fixture;
  const target = fixture.dialog(dialog);
  const answer = await transport.markAll(caller, target.id, { read, delivered });
  agree(answer, () => model.markAll(actor, target.id, { read, delivered }));
  return target;
});

const deleteMessages = step('delete', { messages, force: fc.boolean() }, async (fixture, { messages, force }) => {
  const { model, transport, actor, caller } = fixture;
  const { ids, touched } = fixture.messages(messages);
  agree(await transport.deleteMessages(caller, ids, force), () => model.deleteMessages(actor, ids, force));
  return touched;
});

const react = step(
  'react',
  { message: pick(3), add: perhaps(reaction), remove: perhaps(perhaps(reaction)) },
  async (fixture, { message, add, remove }) => {
    const { model, transport, actor, caller } = fixture;
    const { ids, touched } = fixture.messages([message]);
    const [id] = ids as [string];
    const answer = await transport.changeReactions(caller, id, add, remove);
    agree(answer, () => model.changeReactions(actor, id, add, remove));
    return touched;
  },
);

const createDialog = step(
  'create dialog',
  { kind: fc.constantFrom<Kind>('PRIVATE', 'PRIVATE', 'GROUP'), others: fc.uniqueArray(user, { maxLength: 2 }) },
  async (fixture, { kind, others }) => {
    const { model, transport, actor, caller, text } = fixture;
    const ids = fixture.userIds(others)!;
    const answer = await transport.createDialog(caller, kind, ids, text);
    agree(answer, (given) => model.createDialog(actor, kind, ids, text, given));
    return model.everyDialog.find(({ id }) => 'value' in answer && id === answer.value);
  },
);

const nobody = fc.constant<number[] | undefined>(undefined);
const occupants = { addOccupants: nobody, removeOccupants: nobody };
const admins = { addAdmins: nobody, removeAdmins: nobody };

function change(name: string, fields: typeof occupants & typeof admins) {
  return step(name, { dialog, byOwner: fc.boolean(), isNamed: rarely, ...fields }, async (fixture, args) => {
    const target = fixture.dialog(args.dialog);
    const { model, transport, actor, caller, text } = args.byOwner ? fixture.as(target.owner) : fixture;
    const update = {
      name: args.isNamed ? text : undefined,
      addOccupants: fixture.userIds(args.addOccupants),
      removeOccupants: fixture.userIds(args.removeOccupants),
      addAdmins: fixture.userIds(args.addAdmins),
      removeAdmins: fixture.userIds(args.removeAdmins),
    };
    const answer = await transport.updateDialog(caller, target.id, update);
    agree(answer, () => model.updateDialog(actor, target.id, update));
    return target;
  });
}

const deleteDialog = step(
  'delete dialog',
  { dialog, another: perhaps(dialog), force: rarely },
  async (fixture, { dialog, another, force }) => {
    const { model, transport, actor, caller } = fixture;
    const target = fixture.dialog(dialog);
    const { id } = target;
    const ids = [id, ...(another ? [fixture.dialog(another).id] : [])];
    if (new Set(ids).size === 1) {
      agree(await transport.deleteDialog(caller, id, force), () => model.deleteDialog(actor, id, force));
    } else {
      agree(await transport.deleteDialogs(caller, ids, force), () => model.deleteDialogs(actor, ids, force));
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
  { weight: 2, arbitrary: change('add occupants', { ...occupants, ...admins, addOccupants: users }) },
  { weight: 1, arbitrary: change('remove occupants', { ...occupants, ...admins, removeOccupants: users }) },
  { weight: 1, arbitrary: change('name admins', { ...occupants, addAdmins: users, removeAdmins: perhaps(users) }) },
  {
    weight: 1,
    arbitrary: change('change', {
      addOccupants: perhaps(users),
      removeOccupants: perhaps(users),
      addAdmins: perhaps(users),
      removeAdmins: perhaps(users),
    }),
  },
  { weight: 1, arbitrary: deleteDialog },
);

function agree<Value>(answer: Answer<Value>, expected: (given: Value) => Value): void {
  expect(answer).toEqual(answerOf(() => expected((answer as { value: Value }).value)));
}
