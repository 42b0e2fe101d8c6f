import { presentError } from '../graphql/presented-errors.ts';
import type { ErrorCode } from '../lib/errors.ts';
import type { XmppStream } from './stream.ts';
import { NS } from './xml/element.ts';
import { escaped, tag, type Xml } from './xml/writer.ts';

export interface StanzaError {
  code: number;
  condition: string;
  type: 'cancel' | 'modify' | 'auth' | 'wait';
  text: string;
}

export const UNAVAILABLE: StanzaError = {
  code: 503,
  condition: 'service-unavailable',
  type: 'cancel',
  text: 'Service not available.',
};
export const CONFLICT: StanzaError = {
  code: 409,
  condition: 'conflict',
  type: 'cancel',
  text: 'The id belongs to another message.',
};
export const NOT_ACCEPTABLE: StanzaError = {
  code: 406,
  condition: 'not-acceptable',
  type: 'modify',
  text: 'The message is not acceptable.',
};
export const NOT_JOINED: StanzaError = { ...NOT_ACCEPTABLE, text: 'You have not joined the room.' };
export const FORBIDDEN: StanzaError = {
  code: 403,
  condition: 'forbidden',
  type: 'auth',
  text: 'You are not an occupant',
};
export const NO_ITEM: StanzaError = {
  code: 404,
  condition: 'item-not-found',
  type: 'cancel',
  text: 'There is no such item.',
};
export const BAD_REQUEST: StanzaError = {
  code: 400,
  condition: 'bad-request',
  type: 'modify',
  text: 'The stanza is malformed.',
};
export const OVERLOADED: StanzaError = {
  code: 500,
  condition: 'resource-constraint',
  type: 'wait',
  text: 'Try again later.',
};

export function errorElement({ code, condition, type, text }: StanzaError): Xml {
  return tag(
    'error',
    { code, type },
    tag(condition, { xmlns: NS.stanzas }),
    tag('text', { xmlns: NS.stanzas }, escaped(text)),
  );
}

const OF_CODE: Partial<Record<ErrorCode, StanzaError>> = {
  BAD_USER_INPUT: NOT_ACCEPTABLE,
  FORBIDDEN,
  NOT_FOUND: UNAVAILABLE,
  UNPROCESSABLE: NOT_ACCEPTABLE,
};

/** Logs errors that are bugs. */
export function stanzaErrorOf(error: unknown, stream: XmppStream): StanzaError {
  const { extensions, message } = presentError(error, stream.log);
  if (extensions.reason === 'MESSAGE_ID_TAKEN') return CONFLICT;
  const known = OF_CODE[extensions.code as ErrorCode] ?? OVERLOADED;
  return known === NOT_ACCEPTABLE ? { ...known, text: message } : known;
}
