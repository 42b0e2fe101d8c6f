import type { Caller } from '../fixtures/users.ts';
import { operationOn } from '../operations/index.ts';
import type { Args, Body } from '../operations/operation.ts';
import { type TransportName, Transports } from './transports.ts';

type Id = { id: number };
type Marks = { read?: boolean; delivered?: boolean };

interface DialogUpdate {
  name?: string;
  join?: Id[];
  leave?: Id[];
  admins?: Id[];
  noAdmins?: Id[];
}

const idsOf = (users: Id[] | undefined) => users?.map(({ id }) => id);
const transports = new Transports();

/** Changes over one transport; each throws when it is refused. */
function chatOver(transport: TransportName) {
  const ask = async (name: string, as: Caller, args: Args): Promise<Body> => {
    const operation = operationOn(name);
    const answer = await transports.run(transport, operation, operation.call(args), as);
    if (!('served' in answer)) throw new Error(`${name}: ${answer.refused} ${answer.text}`);
    return answer.served;
  };
  const idOf = async (answer: Promise<Body>): Promise<string> => (await answer)._id;
  return {
    send: (as: Caller, dialogId: string, text: string) => idOf(ask('post /chat/Message', as, { dialogId, text })),
    sendTo: (as: Caller, { id: recipientId }: Id, text: string) =>
      idOf(ask('post /chat/Message', as, { recipientId, text })),
    edit: (as: Caller, ids: string[], text: string) => ask('put /chat/Message/:ids', as, { ids, text }),
    deleteMessages: (as: Caller, ids: string[], force = false) => ask('delete /chat/Message/:ids', as, { ids, force }),
    mark: (as: Caller, ids: string[], marks: Marks) => ask('put /chat/Message/:ids', as, { ids, ...marks }),
    markDialog: (as: Caller, dialogId: string, marks: Marks) => ask('put /chat/Message', as, { dialogId, ...marks }),
    react: (as: Caller, messageId: string, name: string) =>
      ask('post /chat/Message/:id/reactions', as, { messageId, name }),
    unreact: (as: Caller, messageId: string, name: string) =>
      ask('delete /chat/Message/:id/reactions', as, { messageId, name }),
    changeReactions: (as: Caller, messageId: string, add: string, remove: string) =>
      ask('put /chat/Message/:id/reactions', as, { messageId, add, remove }),
    createGroup: (as: Caller, name: string, occupants: Id[]) =>
      idOf(ask('post /chat/Dialog', as, { type: 'GROUP', name, occupantIds: idsOf(occupants) })),
    createPrivate: (as: Caller, { id }: Id) =>
      idOf(ask('post /chat/Dialog', as, { type: 'PRIVATE', occupantIds: [id] })),
    update: (as: Caller, id: string, { name, join, leave, admins, noAdmins }: DialogUpdate) =>
      ask('put /chat/Dialog/:id', as, {
        id,
        name,
        addOccupantIds: idsOf(join),
        removeOccupantIds: idsOf(leave),
        addAdminIds: idsOf(admins),
        removeAdminIds: idsOf(noAdmins),
      }),
    deleteDialog: (as: Caller, id: string, force = false) => ask('delete /chat/Dialog/:id', as, { id, force }),
  };
}

export type ChatTransport = ReturnType<typeof chatOver>;
export const throughRest = chatOver('REST');
export const throughGraphQL = chatOver('GraphQL');
export const throughWebSocket = chatOver('WebSocket');
