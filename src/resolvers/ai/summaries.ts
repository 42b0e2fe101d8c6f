import type { ActingContext } from '../../context.ts';
import { columns, columnsOf } from '../../db/columns.ts';
import { query } from '../../db/query.ts';
import type { LiveQueue } from '../../realtime/live-queue.ts';
import { requireReadableDialog } from '../dialogs/access.ts';
import { visibleTo } from '../dialogs/hidden-messages.ts';
import { userLoader } from '../users/loader.ts';
import { ask, type ChosenAssistant, streamAnswerParts } from './ask.ts';
import { requireAssistant } from './features.ts';
import { type AnswerPart, live } from './live.ts';
import {
  dialogParts,
  joinedSummaryPrompt,
  MAX_QUOTE,
  type PromptText,
  type QuotedMessage,
  summaryPrompt,
} from './prompts.ts';
import { textProblems } from './rules.ts';

export interface SummaryRequest {
  assistantId?: string | null;
  dialogId?: string | null;
}

const LATEST = 1000;

const AT_ONCE = 3;

const MAX_KIND = 50;

const EMPTY = 'Chat is empty.';

/** An empty dialog needs no model request. */
export async function summarizeDialog(request: SummaryRequest, context: ActingContext): Promise<string> {
  const { chosen, parts } = await readDialog(request, context);
  if (parts.length === 0) return EMPTY;
  return ask(chosen, await lastPrompt(chosen, parts, context), context);
}

export async function streamSummary(request: SummaryRequest, context: ActingContext): Promise<LiveQueue<AnswerPart>> {
  const { chosen, parts } = await readDialog(request, context);
  return live(async function* (signal) {
    if (parts.length === 0) yield EMPTY;
    else yield* streamAnswerParts(chosen, await lastPrompt(chosen, parts, context), context, signal);
  });
}

async function readDialog(
  { assistantId, dialogId }: SummaryRequest,
  context: ActingContext,
): Promise<{ chosen: ChosenAssistant; parts: string[] }> {
  const problems = [...textProblems('assistantId', assistantId), ...textProblems('dialogId', dialogId)];
  const chosen = await requireAssistant('summarize', assistantId, problems, context);
  const dialog = await requireReadableDialog(dialogId!.trim(), context.viewer);
  return { chosen, parts: dialogParts(await latestMessages(dialog.id, context)) };
}

async function lastPrompt(
  { assistant, quota }: ChosenAssistant,
  parts: string[],
  context: ActingContext,
): Promise<PromptText> {
  const { instructions } = assistant;
  if (parts.length === 1) return summaryPrompt(instructions, parts[0]!);
  const summaries: string[] = [];
  for (let start = 0; start < parts.length; start += AT_ONCE) {
    const together = parts.slice(start, start + AT_ONCE).map((part) => summaryPrompt(instructions, part));
    summaries.push(...(await Promise.all(together.map((prompt) => ask({ assistant, quota }, prompt, context)))));
  }
  return joinedSummaryPrompt(instructions, summaries);
}

const QUOTED = columnsOf('Message', 'm', ['senderId', 'createdAt']);
const EXCERPT = columns({
  text: ['text', `left(m.text, ${MAX_QUOTE + 1}::int)`],
  kinds: [
    'text[]',
    `ARRAY(SELECT left(a ->> 'type', ${MAX_KIND}::int) FROM json_array_elements(m.attachments) a
      WHERE a ->> 'type' IS NOT NULL)`,
  ],
});

async function latestMessages(dialogId: string, { viewer, loaders }: ActingContext): Promise<QuotedMessage[]> {
  const { applicationId } = viewer;
  const messages = await query`
    SELECT ${QUOTED}, ${EXCERPT} FROM messages m
    WHERE m.application_id = ${applicationId} AND m.dialog_id = ${dialogId} AND ${visibleTo(viewer)}
    ORDER BY m.seq DESC LIMIT ${LATEST}`;
  const senders = [...new Set(messages.map(({ senderId }) => senderId))];
  const users = await Promise.all(senders.map((id) => loaders.of(userLoader).load({ applicationId, id })));
  const names = new Map(users.flatMap((user) => (user ? [[user.id, user.fullName ?? user.login]] : [])));
  return messages.reverse().map(({ senderId, text, kinds, createdAt }) => ({
    from: names.get(senderId) ?? `User ${senderId}`,
    at: createdAt.toISOString(),
    text,
    ...(kinds.length > 0 && { attachments: kinds }),
  }));
}
