import fc from 'fast-check';
import { type Example, field, operation } from './operation.ts';
import { any, type Id, mostly, perhaps, Ref, ref, text } from './values.ts';

const assistant = ref('assistant');
const [known, unknown] = [assistant(0), assistant('unknown')] as unknown as [Id, Id];
const assistantId = field(
  fc.constantFrom<Id | undefined>(known, known, known, known, unknown, undefined),
  'smart_chat_assistant_id',
);

const feature = (name: string, fields: Parameters<typeof operation>[1], served: Example, refused: Example) =>
  operation(`post /ai/ai_extensions/ai_${name}`, { assistantId, ...fields })
    .served(...served)
    .refused(...refused);

export const ai = [
  feature(
    'answer_assist',
    {
      message: mostly(text),
      history: perhaps(
        fc.constantFrom<unknown>([{ role: 'user', message: 'before' }], [{ role: 'king', message: 'before' }], 'none'),
      ),
    },
    ['alice', { assistantId: known, message: 'hello' }],
    ['alice', { assistantId: known }],
  ),
  feature(
    'summarize',
    { dialogId: mostly(any('dialog')) },
    ['alice', { assistantId: known, dialogId: new Ref('dialog', 0) }],
    ['dave', { assistantId: known, dialogId: new Ref('dialog', 2) }],
  ),
  feature(
    'translate',
    { text: mostly(text), toLanguage: mostly(fc.constantFrom('de', 'German')) },
    ['key', { assistantId: known, text: 'hello', toLanguage: 'de' }],
    ['key', { assistantId: unknown, text: 'hello', toLanguage: 'de' }],
  ),
  feature(
    'gateway',
    {
      messages: mostly(
        fc.constantFrom<unknown>(
          [{ role: 'user', content: 'hello' }],
          [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }],
          [{ role: 'king', content: 'hello' }],
          [],
          'none',
        ),
      ),
    },
    ['key', { assistantId: known, messages: [{ role: 'user', content: 'hello' }] }],
    ['key', { assistantId: known, messages: [] }],
  ),
];
