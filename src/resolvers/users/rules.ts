import { InvalidFieldsError } from '../../lib/errors.ts';
import { hasMailAddressForm, isMailAddress } from '../../lib/mail-address.ts';
import { compact, type FieldProblems, type Problem, problem, when } from '../../lib/problems.ts';
import { tagsOf } from '../../lib/tags.ts';

/** Unvalidated. Numbers are text, so that each format has its own rule. */
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

export const MAX_TAGS = 5;
export const MAX_TAG = 50;

/** Characters. */
export const USER_LENGTHS = {
  login: { min: 3, max: 40 },
  email: { min: 1, max: 255 },
  password: { min: 8, max: 40 },
  fullName: { min: 0, max: 255 },
  website: { min: 0, max: 255 },
  customData: { min: 0, max: 5000 },
  parentsContacts: { min: 0, max: 255 },
};

/** Undefined leaves a field unchanged; null clears it. */
export interface UserChanges extends UserInput {
  oldPassword?: string | null;
}

export function newUserProblems(input: UserInput, taken: FieldProblems = {}): FieldProblems {
  const problems = fieldProblems(input, { password: passwordProblems(input.password ?? ''), ...taken });
  return isNamed(input) || problems.password ? problems : { ...NAMELESS, ...problems };
}

/** @param known messages of taken fields and `oldPassword` @param before may not lose the last of these names */
export function changeProblems(input: UserChanges, known: FieldProblems = {}, before: UserNames = {}): FieldProblems {
  const password = input.password === undefined ? [] : (known.password ?? passwordProblems(input.password ?? ''));
  const problems = fieldProblems(input, { ...known, password }, before);
  const losesNames = isNamed(before) && !isNamed({ ...before, ...definedFields(input) });
  return losesNames && !problems.password && !problems.oldPassword ? { ...NAMELESS, ...problems } : problems;
}

/** At least one is set. */
export type UserNames = Pick<UserInput, 'login' | 'email' | 'phone'>;

const NAMELESS: FieldProblems = { login: ['BLANK'], email: ['BLANK'] };

function isNamed({ login, email, phone }: UserNames): boolean {
  return Boolean(text(login) || text(email) || text(phone));
}

function fieldProblems(input: UserInput, known: FieldProblems, before: UserNames = {}): FieldProblems {
  return compact({
    login: [...loginProblems(text(input.login)), ...(known.login ?? [])],
    email: [...emailProblems(text(input.email), before.email), ...(known.email ?? [])],
    password: known.password ?? [],
    passwordHash: known.passwordHash ?? [],
    oldPassword: known.oldPassword ?? [],
    fullName: tooLong(text(input.fullName), USER_LENGTHS.fullName.max),
    phone: phoneProblems(text(input.phone)),
    website: tooLong(text(input.website), USER_LENGTHS.website.max),
    facebookId: [...providerIdProblems(text(input.facebookId)), ...(known.facebookId ?? [])],
    twitterId: [...providerIdProblems(text(input.twitterId)), ...(known.twitterId ?? [])],
    externalUserId: [...positive(input.externalUserId, Number.MAX_SAFE_INTEGER), ...(known.externalUserId ?? [])],
    blobId: positive(input.blobId, 2_147_483_647),
    customData: tooLong(text(input.customData), USER_LENGTHS.customData.max),
    parentsContacts: tooLong(text(input.parentsContacts), USER_LENGTHS.parentsContacts.max),
    tags: tagProblems(tagsOf(input.tags)),
    ageOver16: flagProblems(input.ageOver16),
    allowStatisticsAnalysis: flagProblems(input.allowStatisticsAnalysis),
    allowSalesActivities: flagProblems(input.allowSalesActivities),
  });
}

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

export function checkedChanges(input: UserChanges): Partial<CheckedUser> {
  const changed = new Set(Object.keys(definedFields(input)));
  if (changed.has('login')) changed.add('loginKey');
  return Object.fromEntries(Object.entries(checkedUser(input)).filter(([field]) => changed.has(field)));
}

function definedFields<Input extends object>(input: Input): Partial<Input> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as Partial<Input>;
}

/** Trims the end; empty text clears a field. */
function text(value: string | null | undefined): string | null {
  return value?.trimEnd() || null;
}

function loginProblems(login: string | null): Problem[] {
  if (login === null) return [];
  const { min, max } = USER_LENGTHS.login;
  return [
    ...tooShort(login, min),
    ...tooLong(login, max),
    ...when(!/^[A-Za-z0-9._@+-]*$/.test(login), 'NOT_PRINTABLE'),
  ];
}

/** @param before a stored address may predate the rule that mail can be sent to it */
export function emailProblems(email: string | null, before?: string | null): Problem[] {
  if (email === null) return [];
  const looksRight =
    email.length <= USER_LENGTHS.email.max &&
    /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(email) &&
    (hasMailAddressForm(email) || email.toLowerCase() === before);
  return looksRight ? [] : ['EMAIL_INVALID'];
}

/** User rules plus the length limit of SMTP, 254 bytes. */
export function requireAddress(email: string): string {
  const address = email.trimEnd().toLowerCase();
  if (isMailAddress(address) && emailProblems(address).length === 0) return address;
  throw new InvalidFieldsError({ email: ['EMAIL_INVALID'] });
}

export function passwordProblems(password: string): Problem[] {
  const { min, max } = USER_LENGTHS.password;
  return [...when(!/^[!-~]+$/.test(password), 'NOT_PRINTABLE'), ...tooShort(password, min), ...tooLong(password, max)];
}

function phoneProblems(phone: string | null): Problem[] {
  return phone === null || /^[0-9 +().-]{4,20}$/.test(phone) ? [] : ['INVALID'];
}

function providerIdProblems(id: string | null): Problem[] {
  return id === null || /^[0-9]{1,20}$/.test(id) ? [] : ['INVALID'];
}

function positive(value: string | null | undefined, max: number): Problem[] {
  const digits = text(value);
  if (digits === null) return [];
  return /^[0-9]{1,16}$/.test(digits) && Number(digits) >= 1 && Number(digits) <= max ? [] : ['NOT_POSITIVE'];
}

function tagProblems(tags: string[]): Problem[] {
  return [
    ...(tags.length > MAX_TAGS ? [problem('TOO_MANY_TAGS', { max: MAX_TAGS })] : []),
    ...(tags.some((tag) => [...tag].length > MAX_TAG) ? [problem('TAG_TOO_LONG', { max: MAX_TAG })] : []),
  ];
}

function flagProblems(value: unknown): Problem[] {
  return value === undefined || value === null || typeof value === 'boolean' ? [] : ['INVALID'];
}

function tooShort(value: string, min: number): Problem[] {
  return [...value].length < min ? [problem('TOO_SHORT', { min })] : [];
}

function tooLong(value: string | null, max: number): Problem[] {
  return value !== null && [...value].length > max ? [problem('TOO_LONG', { max })] : [];
}
