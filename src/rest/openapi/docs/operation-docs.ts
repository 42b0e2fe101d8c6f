import type { ServiceError } from '../../../lib/errors.ts';
import type { ObjectSchema, Schema } from './schemas.ts';

/** The groups of the documentation page, in its order. */
export const TAGS = {
  Sessions: 'Who calls: application and user sessions.',
  Users: 'Accounts of the application.',
  Dialogs: 'Conversations: public groups, groups, private dialogs.',
  Messages: 'What is said in dialogs.',
  Reactions: 'Likes and their like, on messages.',
  Classes: 'Definitions of custom objects.',
  Records: 'Custom objects.',
  Content: 'Files of the application: created, uploaded to the address that comes with them, then completed.',
  Subscriptions: 'Devices that get pushes.',
  Events: 'Pushes to users, at once or at a time.',
  'Address book': 'Phone numbers that users know, and the users behind them.',
  Geodata: 'Places of users.',
  AI: 'Helpers that ask a language model.',
  Settings: 'Where clients find the service.',
};

/** What goes into a request, so that it succeeds. */
export interface RequestExample {
  /** Said by name where an operation has several. */
  summary?: string;
  path?: Record<string, string | number>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** What people are told of a route beside what its document, its access and its errors say by themselves. */
export interface OperationDocs {
  tag: keyof typeof TAGS;
  /** Where several routes run one GraphQL operation, whose name it is otherwise. */
  operationId?: string;
  summary: string;
  /** Goes behind what the schema says of the operation. */
  description?: string;
  /** Parameters of the path, by their names in the route. */
  path?: Record<string, Schema>;
  query?: ObjectSchema;
  headers?: ObjectSchema;
  /** As JSON; the form with bracket keys follows from it. */
  body?: ObjectSchema;
  /** Of a success; default 200. */
  status?: 200 | 201;
  /** The JSON of a success, or what comes instead. */
  answer: Schema | 'nothing' | 'file' | 'xml';
  /** What can go wrong beside credentials, limits and the form of the request, which the door tells. */
  errors?: ServiceError[];
  examples: [RequestExample, ...RequestExample[]];
}
