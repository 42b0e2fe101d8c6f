import fc from 'fast-check';
import { operation } from './operation.ts';
import { flag, ref } from './values.ts';

const user = ref('user');
const dialog = ref('dialog');
const message = ref('message');
const externalUserId = fc.integer({ min: 1000, max: 1007 });

/** Deletions of what the examples of other operations need. */
export const deletions = [
  operation('delete /chat/Message/:ids', { force: flag })
    .with({ defaults: { ownOnly: false } })
    .served('alice', { ids: [message(0), message(2)], force: true })
    .refused('alice', { ids: [message('unknown'), message('malformed')], force: true }),
  operation('delete /chat/Dialog/:ids', { force: flag })
    .with({ isQuery: true })
    .served('bob', { ids: [dialog(2), dialog(3)], force: false })
    .refused('bob', { ids: [dialog('unknown'), dialog('malformed')], force: false }),
  operation('delete /chat/Dialog/:id', { force: flag })
    .served('alice', { id: dialog(0), force: true })
    .refused('alice', { id: dialog(1), force: false }),
  operation('delete /users/external/:externalUserId', { externalUserId })
    .with({ who: 'key', changesCredentials: true })
    .served('key', { externalUserId: 1003 })
    .refused('key', { externalUserId: 1003 }),
  operation('delete /users/:id')
    .with({ changesCredentials: true })
    .served('alice', { id: user(0) })
    .refused('bob', { id: user(2) }),
  operation('delete /session')
    .with({ who: 'session', changesCredentials: true })
    .served('session of bob')
    .refused('session of bob'),
];
