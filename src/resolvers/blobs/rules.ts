import { compact, type FieldProblems, type Problem, problem } from '../../lib/problems.ts';
import { tagsOf } from '../../lib/tags.ts';

export interface BlobInput {
  contentType?: string | null;
  name?: string | null;
  public?: unknown;
  tags?: string[] | null;
}

export interface CheckedBlob {
  contentType: string;
  name: string;
  isPublic: boolean;
  tags: string[];
}

export const MAX_NAME = 100;
export const MAX_TYPE = 255;
/** Characters of all tags, including the separating commas. */
export const MAX_TAGS = 1_000;

const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
/** A media type such as `text/plain; charset=utf-8`. Excludes line breaks, so that it cannot inject headers. */
const MEDIA_TYPE = new RegExp(`^${TOKEN}/${TOKEN}(?: *; *${TOKEN}=(?:${TOKEN}|"[ !#-\\[\\]-~]*"))*$`);

export function newBlobProblems({ contentType, name, ...more }: BlobInput): FieldProblems {
  return changeProblems({ ...more, contentType: contentType ?? '', name: name ?? '' });
}

export function changeProblems({ contentType, name, tags, ...flags }: BlobInput): FieldProblems {
  return compact({
    contentType: contentType === undefined ? [] : typeProblems(text(contentType)),
    name: name === undefined ? [] : nameProblems(text(name)),
    public: ['boolean', 'undefined'].includes(typeof (flags.public ?? undefined)) ? [] : ['INVALID'],
    tags: tagsOf(tags).join().length > MAX_TAGS ? [problem('TOO_LONG', { max: MAX_TAGS })] : [],
  });
}

export function checkedBlob(input: BlobInput): CheckedBlob {
  return {
    contentType: text(input.contentType),
    name: text(input.name),
    isPublic: input.public === true,
    tags: tagsOf(input.tags),
  };
}

export function checkedChanges(input: BlobInput): Partial<CheckedBlob> {
  const { contentType, name, isPublic, tags } = checkedBlob(input);
  return {
    ...(input.contentType !== undefined && { contentType }),
    ...(input.name !== undefined && { name }),
    ...(input.public !== undefined && { isPublic }),
    ...(input.tags !== undefined && { tags }),
  };
}

function text(value: string | null | undefined): string {
  return value?.trimEnd() ?? '';
}

function typeProblems(contentType: string): Problem[] {
  return contentType.length <= MAX_TYPE && MEDIA_TYPE.test(contentType) ? [] : ['INVALID'];
}

function nameProblems(name: string): Problem[] {
  if (name === '') return ['BLANK'];
  return [...name].length > MAX_NAME ? [problem('TOO_LONG', { max: MAX_NAME })] : [];
}
