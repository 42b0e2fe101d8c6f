import type { FieldErrors } from './errors.ts';

/** What may be given of a user, before it is checked. Numbers come as text, so that each text has its own rule. */
export interface UserInput {
  login?: string | null;
  email?: string | null;
  password?: string | null;
  fullName?: string | null;
  phone?: string | null;
  website?: string | null;
  facebookId?: string | null;
  twitterId?: string | null;
  externalUserId?: string | null;
  blobId?: string | null;
  customData?: string | null;
  parentsContacts?: string | null;
  ageOver16?: unknown;
  allowStatisticsAnalysis?: unknown;
  allowSalesActivities?: unknown;
  tags?: string[] | null;
}

/** A user's own fields, checked and in the form in which they are stored. */
export interface CheckedUser {
  login: string | null;
  loginKey: string | null;
  email: string | null;
  fullName: string | null;
  phone: string | null;
  website: string | null;
  facebookId: string | null;
  twitterId: string | null;
  externalUserId: bigint | null;
  blobId: number | null;
  customData: string | null;
  parentsContacts: string;
  ageOver16: boolean;
  allowStatisticsAnalysis: boolean;
  allowSalesActivities: boolean;
  tags: string[];
}

const NOT_PRINTABLE = 'should contain alphanumeric and punctuation characters only';
const NO_POSITIVE = 'should be a positive integer';
const MAX_TAGS = 5;
const MAX_TAG = 50;

/**
 * Texts of every rule of gaps §4.1 that a new user breaks, by field in the order of the record; empty when none.
 * @param taken what only the database knows: texts of the fields that another user has
 */
export function newUserProblems(input: UserInput, taken: FieldErrors = {}): FieldErrors {
  const problems = compact({
    login: [...loginProblems(text(input.login)), ...(taken.login ?? [])],
    email: [...emailProblems(text(input.email)), ...(taken.email ?? [])],
    password: passwordProblems(input.password ?? ''),
    fullName: tooLong(text(input.fullName), 255),
    phone: phoneProblems(text(input.phone)),
    website: tooLong(text(input.website), 255),
    facebookId: [...providerIdProblems(text(input.facebookId)), ...(taken.facebookId ?? [])],
    twitterId: [...providerIdProblems(text(input.twitterId)), ...(taken.twitterId ?? [])],
    externalUserId: [...positive(input.externalUserId, Number.MAX_SAFE_INTEGER), ...(taken.externalUserId ?? [])],
    blobId: positive(input.blobId, 2_147_483_647),
    customData: tooLong(text(input.customData), 5000),
    parentsContacts: tooLong(text(input.parentsContacts), 255),
    tags: tagProblems(tagsOf(input.tags)),
    ageOver16: flagProblems(input.ageOver16),
    allowStatisticsAnalysis: flagProblems(input.allowStatisticsAnalysis),
    allowSalesActivities: flagProblems(input.allowSalesActivities),
  });
  const isNameless = !text(input.login) && !text(input.email) && !text(input.phone);
  if (isNameless && !problems.password) return { login: ["can't be blank"], email: ["can't be blank"], ...problems };
  return problems;
}

/** The fields as they are stored; call it only when there are no problems. */
export function checkedUser(input: UserInput): CheckedUser {
  const login = text(input.login);
  const externalUserId = text(input.externalUserId);
  const blobId = text(input.blobId);
  return {
    login,
    loginKey: login?.toLowerCase() ?? null,
    email: text(input.email)?.toLowerCase() ?? null,
    fullName: text(input.fullName),
    phone: text(input.phone),
    website: text(input.website),
    facebookId: text(input.facebookId),
    twitterId: text(input.twitterId),
    externalUserId: externalUserId === null ? null : BigInt(externalUserId),
    blobId: blobId === null ? null : Number(blobId),
    customData: text(input.customData),
    parentsContacts: text(input.parentsContacts) ?? '',
    ageOver16: input.ageOver16 === true,
    allowStatisticsAnalysis: input.allowStatisticsAnalysis === true,
    allowSalesActivities: input.allowSalesActivities === true,
    tags: tagsOf(input.tags),
  };
}

/** User texts are trimmed at the end; the empty text clears a field. */
function text(value: string | null | undefined): string | null {
  return value?.trimEnd() || null;
}

function tagsOf(tags: string[] | null | undefined): string[] {
  return [...new Set((tags ?? []).map((tag) => tag.trim()).filter((tag) => tag !== ''))];
}

function loginProblems(login: string | null): string[] {
  if (login === null) return [];
  return [...tooShort(login, 3), ...tooLong(login, 40), ...(/^[A-Za-z0-9._@+-]*$/.test(login) ? [] : [NOT_PRINTABLE])];
}

function emailProblems(email: string | null): string[] {
  if (email === null) return [];
  const looksRight = email.length <= 255 && /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(email);
  return looksRight ? [] : ['should look like an email address.'];
}

function passwordProblems(password: string): string[] {
  return [...(/^[!-~]+$/.test(password) ? [] : [NOT_PRINTABLE]), ...tooShort(password, 8), ...tooLong(password, 40)];
}

function phoneProblems(phone: string | null): string[] {
  return phone === null || /^[0-9 +().-]{4,20}$/.test(phone) ? [] : ['is invalid'];
}

function providerIdProblems(id: string | null): string[] {
  return id === null || /^[0-9]{1,20}$/.test(id) ? [] : ['is invalid'];
}

function positive(value: string | null | undefined, max: number): string[] {
  const digits = text(value);
  if (digits === null) return [];
  return /^[0-9]{1,16}$/.test(digits) && Number(digits) >= 1 && Number(digits) <= max ? [] : [NO_POSITIVE];
}

function tagProblems(tags: string[]): string[] {
  return [
    ...(tags.length > MAX_TAGS ? [`is too long (maximum is ${MAX_TAGS} tags)`] : []),
    ...(tags.some((tag) => [...tag].length > MAX_TAG)
      ? [`contains a tag that is too long (maximum is ${MAX_TAG} characters)`]
      : []),
  ];
}

function flagProblems(value: unknown): string[] {
  return value === undefined || value === null || typeof value === 'boolean' ? [] : ['is invalid'];
}

function tooShort(value: string, min: number): string[] {
  return [...value].length < min ? [`is too short (minimum is ${min} characters)`] : [];
}

function tooLong(value: string | null, max: number): string[] {
  return value !== null && [...value].length > max ? [`is too long (maximum is ${max} characters)`] : [];
}

function compact(problems: FieldErrors): FieldErrors {
  return Object.fromEntries(Object.entries(problems).filter(([, texts]) => texts.length > 0));
}
