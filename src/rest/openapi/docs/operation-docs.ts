import type { ServiceError } from '../../../lib/errors.ts';
import type { ObjectSchema, Schema } from './schemas.ts';

export const TAGS = {
  Sessions: 'Application and user sessions, and their tokens.',
  Users: 'User accounts of the application.',
  Access: 'API keys, roles, sign-in providers, and what users may do. For API keys only.',
  Dialogs: 'Conversations: private dialogs, groups and public groups.',
  Messages: 'Messages in dialogs, with read and delivered marks.',
  Reactions: 'Reactions of users to messages.',
  Classes: 'Classes of custom objects: fields and permissions. For API keys only.',
  Records: 'Custom objects: records of the classes.',
  Content: 'Files. Create one, upload its bytes to the returned address, then complete the upload.',
  Subscriptions: 'Devices that receive pushes, and their push tokens.',
  Events: 'Pushes to users, sent immediately, at a given time, or repeatedly.',
  'Address book': 'Contacts of a user, and which of them are users of the application.',
  Geodata: 'Locations of users.',
  AI: 'Features that use a language model.',
  Settings: 'Addresses of the service.',
};

export interface RequestExample {
  /** Required if an operation has several examples. */
  summary?: string;
  path?: Record<string, string | number>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** What the parameters of a route do not say. */
export interface RouteDocs {
  tag: keyof typeof TAGS;
  /** Default: the GraphQL operation; required if several routes run it. */
  operationId?: string;
  /** Imperative, up to 8 words. */
  summary: string;
  description: string;
  headers?: ObjectSchema;
  status?: 200 | 201;
  /** Default: that of the shape of the route, else `nothing`. */
  answer?: Schema | 'nothing' | 'file' | 'xml';
  /** Without those of credentials, rate limits and malformed requests. */
  errors?: ServiceError[];
  examples: [RequestExample, ...RequestExample[]];
}

export interface OperationDocs extends RouteDocs {
  answer: NonNullable<RouteDocs['answer']>;
  path?: Record<string, Schema>;
  query?: ObjectSchema;
  /** The form with bracket keys is derived from it. */
  body?: ObjectSchema;
}

/** Of the endpoints with one tag. */
export function docsOf<Name extends string>(
  tag: RouteDocs['tag'],
  docs: Record<Name, Omit<RouteDocs, 'tag'>>,
): Record<Name, RouteDocs> {
  const tagged = Object.entries<Omit<RouteDocs, 'tag'>>(docs).map(([name, one]) => [name, { tag, ...one }]);
  return Object.fromEntries(tagged) as Record<Name, RouteDocs>;
}
