import type { SettingName } from '../resolvers/applications/rules.ts';
import { builder } from './builder.ts';

const SignatureHash = builder.enumType('SignatureHash', {
  description: 'Hash function of the HMAC that signs a request for a session.',
  values: {
    SHA1: { value: 'sha1', description: 'HMAC-SHA1, 40 hex digits. The default, because legacy clients use it.' },
    SHA256: { value: 'sha256', description: 'HMAC-SHA256, 64 hex digits. Recommended for new clients.' },
  } as const,
});

const PhoneMatching = builder.enumType('PhoneMatching', {
  description: 'How contacts in address books are matched with the phone numbers of users.',
  values: {
    IDENTICAL: { value: 'identical', description: 'Both texts must be identical. The default.' },
    E164: {
      value: 'e164',
      description:
        'Both texts must denote the same number, in any notation. Uses `phoneRegion` for numbers without country ' +
        'code.',
    },
  } as const,
});

const GroupTags = builder.enumType('GroupTags', {
  description: 'Which tags make a user a member of a group in permissions of classes and records.',
  values: {
    GRANTED: { value: 'granted', description: 'Only tags set by an API key. The default for new applications.' },
    SELF: {
      value: 'self',
      description: 'All tags, including those that users set themselves, so that any user can join any group.',
    },
  } as const,
});

const FilesByNumber = builder.enumType('FilesByNumber', {
  description: 'Who may read a non-public file by its numeric id.',
  values: {
    OWNER: {
      value: 'owner',
      description: 'Only its owner and API keys; other sessions need its `uid`. The default for new applications.',
    },
    SESSION: { value: 'session', description: 'Every session of the application. Numeric ids are easy to guess.' },
  } as const,
});

const EmailSignIn = builder.enumType('EmailSignIn', {
  description: 'Who signs in with mailed codes.',
  values: {
    OFF: { value: 'off', description: 'No one. The default.' },
    USERS: { value: 'users', description: 'Users with the address. Other addresses receive no mail.' },
    SIGN_UP: { value: 'signUp', description: 'Users with the address; other addresses sign up a new user.' },
  } as const,
});

/** Types and descriptions of the settings. */
const TYPES: Record<Exclude<SettingName, 'name'>, { type: SettingType; description: string }> = {
  signatureHash: {
    type: SignatureHash,
    description: 'The only hash function accepted in signatures of session requests.',
  },
  publicSignIn: {
    type: 'Boolean',
    description:
      'Whether clients may open sessions with the id of the application alone, without a signature. The first start of ' +
      'the service creates its application with this setting; otherwise it is off.',
  },
  usersList: {
    type: 'Boolean',
    description: 'Whether sessions may list and search the users of the application. API keys always may.',
  },
  groups: {
    type: GroupTags,
    description: 'Which tags make a user a member of a group. Changing the setting deletes no tags.',
  },
  filesByNumber: {
    type: FilesByNumber,
    description: 'Who may read a non-public file by its numeric id.',
  },
  passwordReset: {
    type: 'Boolean',
    description: 'Whether users may request a password reset by mail.',
  },
  strictCredentialChanges: {
    type: 'Boolean',
    description:
      'Whether legacy clients, like all others, need the current password or a recent sign-in to change email ' +
      'address, phone or login.',
  },
  appUrl: {
    type: 'String',
    description:
      'Address of the app, to which the page of a password reset links back: `http`, `https` or a scheme of the app with ' +
      '`://`, at most 2,000 characters. Null shows no link.',
  },
  emailSignIn: {
    type: EmailSignIn,
    description: 'Whether users sign in with a code that is mailed to them (`requestSignInCode`).',
  },
  verifyEmails: {
    type: 'Boolean',
    description:
      'Whether users who sign up with an email address, or change theirs, are sent a code and a link that verify it.',
  },
  verifiedEmailRequired: {
    type: 'Boolean',
    description:
      'Whether users need a verified email address before they send messages or create records. Others fail with ' +
      '`FORBIDDEN`. API keys on behalf of users do not need it.',
  },
  deviceMails: {
    type: 'Boolean',
    description: 'Whether users with a verified address are sent a mail when they sign in on a new device.',
  },
  maxSessionMinutes: {
    type: 'Int',
    description:
      'Minutes after the sign-in at which a session expires in any case, at least 1; also applies to existing sessions. ' +
      'Null: sessions that are used do not expire.',
  },
  guestDays: {
    type: 'Int',
    description:
      'Days without a request after which guests are deleted, at least 1. Null: `createGuestSession` is turned off, and ' +
      'no guest is deleted.',
  },
  secondFactors: {
    type: 'Boolean',
    description:
      'Whether users may set up a second factor: an authenticator app or a passkey. Those who have one need it ' +
      'in any case.',
  },
  secondFactorRoles: {
    type: ['String'],
    description:
      'Roles whose users need a second factor: without one, their sessions fail with `FORBIDDEN` except to set one up.',
  },
  passkeyOrigins: {
    type: ['String'],
    description:
      'Origins where users create and use passkeys: first a page such as `https://app.example.com`, whose domain the ' +
      'passkeys belong to, then pages of the same domain and Android apps as `android:apk-key-hash:…`. None: no passkeys.',
  },
  strictPasswords: {
    type: 'Boolean',
    description:
      'Whether new passwords need at least 10 characters, may be 128 long with any characters, and must neither be common ' +
      'nor contain the login or the address. Otherwise they have 8 to 40 characters.',
  },
  dialogCreators: {
    type: ['String'],
    description: 'Roles whose users may create dialogs. With an empty list, every user may. API keys always may.',
  },
  chatPushes: {
    type: 'Boolean',
    description: 'Whether offline occupants receive pushes for new messages.',
  },
  sessionMinutes: {
    type: 'Int',
    description:
      'Minutes after the last request until a session expires, at least 1; also applies to existing sessions. ' +
      'Null selects the default of the server.',
  },
  phoneMatching: {
    type: PhoneMatching,
    description: 'How contacts in address books are matched with users.',
  },
  phoneRegion: {
    type: 'String',
    description:
      'ISO country code of phone numbers without country code, for example `GB`. With null, such numbers match ' +
      'only identical text.',
  },
  answerAssist: {
    type: 'Boolean',
    description: 'Whether `assistAnswer` and `answerStream` are enabled.',
  },
  summarize: {
    type: 'Boolean',
    description: 'Whether `summarizeDialog` and `summaryStream` are enabled.',
  },
  translate: {
    type: 'Boolean',
    description: 'Whether `translateText` is enabled.',
  },
  gateway: {
    type: 'Boolean',
    description: 'Whether `askGateway` is enabled.',
  },
  aiDailyTokens: {
    type: 'Int',
    description: 'Number of model tokens each user may use per day (UTC); 0 or more.',
  },
};

type SettingType =
  | 'Boolean'
  | 'Int'
  | 'String'
  | ['String']
  | typeof SignatureHash
  | typeof PhoneMatching
  | typeof GroupTags
  | typeof EmailSignIn
  | typeof FilesByNumber;

/** In the order in which the schema shows them. */
export const NAMED_SETTINGS = Object.entries(TYPES) as [Exclude<SettingName, 'name'>, (typeof TYPES)['groups']][];
