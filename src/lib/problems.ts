import { REASONS } from './reasons.ts';

export type Reason = keyof typeof REASONS;

type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

type ParametersOf<Name extends Reason> = Record<NamesIn<(typeof REASONS)[Name]>, string | number>;

/** A reason whose sentence needs no parameters. */
type PlainReason = { [Name in Reason]: [NamesIn<(typeof REASONS)[Name]>] extends [never] ? Name : never }[Reason];

export interface DetailedProblem {
  reason: Reason;
  parameters: Readonly<Record<string, string | number>>;
  /** Number of the record in a request for several. */
  record?: number;
  /** Of the input; the sentence begins with its name. */
  field?: string;
}

export type Problem = PlainReason | DetailedProblem;

/** Problems by field: `{ login: ['TAKEN'] }`. */
export type FieldProblems = Record<string, Problem[]>;

export function problem<Name extends Exclude<Reason, PlainReason>>(
  reason: Name,
  parameters: ParametersOf<Name>,
): DetailedProblem {
  return { reason, parameters };
}

/** The problem in a list, or an empty list. */
export function when(isWrong: boolean, given: Problem): Problem[] {
  return isWrong ? [given] : [];
}

/** @param record undefined: the request has one record only */
export function inRecord(record: number | undefined, given: Problem): Problem {
  return record === undefined ? given : { ...detailsOf(given), record };
}

export function inFields(fields: FieldProblems): DetailedProblem[] {
  return Object.entries(fields).flatMap(([field, problems]) => problems.map((one) => ({ ...detailsOf(one), field })));
}

export function detailsOf(given: Problem): DetailedProblem {
  return typeof given === 'string' ? { reason: given, parameters: {} } : given;
}

/** @param texts other sentences by reason */
export function sentenceOf(given: Problem, texts: { readonly [Name in Reason]?: string } = {}): string {
  const { reason, parameters, record, field } = detailsOf(given);
  const text = texts[reason] ?? REASONS[reason];
  const filled = text.replace(/\{(\w+)\}/g, (all, name: string) => String(parameters[name] ?? all));
  const sentence = field === undefined ? filled : `${fieldWords(field)} ${filled}`;
  return record === undefined ? sentence : `Record ${record}: ${sentence}`;
}

/** `fullName` → `Full name`; `tags` uses the name of its legacy parameter. */
export function fieldWords(field: string): string {
  if (field === 'tags') return 'Tag list';
  const words = field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Without the fields that have no problem. */
export function compact(problems: FieldProblems): FieldProblems {
  return Object.fromEntries(Object.entries(problems).filter(([, ofField]) => ofField.length > 0));
}

export function distinct(problems: Iterable<Problem>): Problem[] {
  return [...new Map(Array.from(problems, (one) => [sentenceOf(one), one])).values()];
}

interface Issue {
  path: PropertyKey[];
  message: string;
  maximum?: number | bigint;
}

/** Of zod, whose messages may be reasons. */
export function problemOfIssue({ message, maximum }: Issue): Problem {
  if (message === 'TOO_LONG') return problem('TOO_LONG', { max: Number(maximum) });
  return isPlain(message) ? message : problem('SETTING_INVALID', { text: message });
}

export function problemsOfIssues(issues: Issue[]): FieldProblems {
  const problems: FieldProblems = {};
  for (const issue of issues) {
    const field = String(issue.path[0]);
    problems[field] = distinct([...(problems[field] ?? []), problemOfIssue(issue)]);
  }
  return problems;
}

function isPlain(text: string): text is PlainReason {
  return Object.hasOwn(REASONS, text) && !/\{\w+\}/.test(REASONS[text as Reason]);
}
