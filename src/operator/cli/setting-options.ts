import { Option } from 'commander';
import {
  type ApplicationChanges,
  NULLABLE_SETTINGS,
  SETTINGS,
  type SettingName,
} from '../../resolvers/applications/rules.ts';
import { switchOption, wholeNumber } from './options.ts';

type Value =
  | 'switch'
  | { choices: readonly string[]; named: string }
  | { number: string }
  | { text: string }
  /** Separated by commas; an empty text is none. */
  | { list: string };

/** Of all settings, so that a new one does not compile without its option. `without` is the meaning of `--no-…`. */
const SETTING_OPTIONS: Record<SettingName, { value: Value; description: string; without?: string }> = {
  name: { value: { text: 'name' }, description: 'at most 255 characters' },
  signatureHash: {
    value: { choices: ['sha1', 'sha256'], named: 'hash' },
    description: 'hash algorithm of session signatures',
  },
  publicSignIn: {
    value: 'switch',
    description: 'clients may open sessions with the id of the application, unsigned',
  },
  usersList: { value: 'switch', description: 'sessions may list the users' },
  groups: {
    value: { choices: ['granted', 'self'], named: 'tags' },
    description: 'user tags that count in permissions: granted (set by an API key) or self (all)',
  },
  filesByNumber: {
    value: { choices: ['owner', 'session'], named: 'readers' },
    description: 'who may read a private file by its number',
  },
  passwordReset: { value: 'switch', description: 'users may request mails to reset their password' },
  appUrl: {
    value: { text: 'url' },
    description: 'address of the app, to which the page of a password reset links back',
    without: 'show no link to the app',
  },
  strictCredentialChanges: {
    value: 'switch',
    description:
      'REST clients must send the old password, or have signed in within 10 minutes, to change e-mail, phone or login',
  },
  emailSignIn: {
    value: { choices: ['off', 'users', 'signUp'], named: 'who' },
    description: 'who signs in with mailed codes: users with the address, or also new users (signUp)',
  },
  verifyEmails: { value: 'switch', description: 'users are sent a code and a link that verify their address' },
  verifiedEmailRequired: {
    value: 'switch',
    description: 'users need a verified address to send messages and create records',
  },
  deviceMails: { value: 'switch', description: 'users are sent a mail about a sign-in on a new device' },
  maxSessionMinutes: {
    value: { number: 'minutes' },
    description: 'minutes after the sign-in at which a session expires in any case',
    without: 'sessions that are used do not expire',
  },
  guestDays: {
    value: { number: 'days' },
    description: 'days without a request after which guests are deleted',
    without: 'refuse guests',
  },
  secondFactors: { value: 'switch', description: 'users may set up a second factor' },
  secondFactorRoles: { value: { list: 'roles' }, description: 'roles whose users need a second factor' },
  passkeyOrigins: { value: { list: 'origins' }, description: 'pages and apps where users create and use passkeys' },
  strictPasswords: { value: 'switch', description: 'new passwords must be longer, and must not be common' },
  dialogCreators: { value: { list: 'roles' }, description: 'roles whose users may create dialogs; none: every user' },
  chatPushes: { value: 'switch', description: 'send pushes of messages to offline occupants' },
  sessionMinutes: {
    value: { number: 'minutes' },
    description: 'lifetime of sessions, including open ones',
    without: 'use the lifetime of the service (SESSION_MINUTES)',
  },
  phoneMatching: {
    value: { choices: ['identical', 'e164'], named: 'how' },
    description: 'how contacts match users: identical text, or the same number (e164)',
  },
  phoneRegion: {
    value: { text: 'country' },
    description: 'ISO country of phone numbers without country code, for example GB',
    without: 'phone numbers without country code match only identical text',
  },
  answerAssist: { value: 'switch', description: 'assistants may suggest answers' },
  summarize: { value: 'switch', description: 'assistants may summarize dialogs' },
  translate: { value: 'switch', description: 'assistants may translate' },
  gateway: { value: 'switch', description: 'clients may pass conversations to assistants unchanged' },
  aiDailyTokens: { value: { number: 'count' }, description: 'model tokens per user and day' },
};

export function settingOptions(): Option[] {
  return SETTINGS.flatMap((name) => {
    const { value, description, without } = SETTING_OPTIONS[name];
    const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const option = optionOf(flag, value, description);
    return without === undefined ? [option] : [option, new Option(`--no-${flag}`, without)];
  });
}

function optionOf(flag: string, value: Value, description: string): Option {
  if (value === 'switch') return switchOption(flag, description);
  if ('choices' in value) return new Option(`--${flag} <${value.named}>`, description).choices(value.choices);
  if ('number' in value) return new Option(`--${flag} <${value.number}>`, description).argParser(wholeNumber);
  if ('text' in value) return new Option(`--${flag} <${value.text}>`, description);
  return new Option(`--${flag} <${value.list}>`, description).argParser((text) =>
    text.split(',').flatMap((item) => item.trim() || []),
  );
}

/** @param options as commander reads them: `false` is the value of a `--no-…` option */
export function changesOf(options: Record<string, unknown>): ApplicationChanges {
  const isNone = (name: string, value: unknown) => value === false && NULLABLE_SETTINGS.includes(name as SettingName);
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [name, isNone(name, value) ? null : value]));
}
