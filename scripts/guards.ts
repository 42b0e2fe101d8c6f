/** A line of the sources that keeps an attack out, and the test that fails without it (`npm run prove:guards`). */
export interface Guard {
  /** Of the table in docs/security.md. */
  row: number;
  file: string;
  /** Found there exactly once. */
  text: string;
  /** What a careless hand might leave in its place. */
  instead: string;
  testFile: string;
  /** How the names of its tests begin, from `describe` on. */
  test: string;
  /** The one of them that is enough. */
  only?: string;
}

type Line = [row: number, file: string, text: string, instead: string];

const guardsOf = (testFile: string, test: string, lines: Line[], only?: string): Guard[] =>
  lines.map(([row, file, text, instead]) => ({
    row,
    file,
    text,
    instead,
    testFile: `test/proof/attacks/${testFile}`,
    test,
    ...(only === undefined ? {} : { only }),
  }));

// Built from parts, so that no file of ours holds what looks like a key.
const FORGOTTEN_KEY = ['const KEY = "AKIA', 'ABCDEFGHIJKLMNOP";'].join('');

export const GUARDS: Guard[] = [
  ...guardsOf(
    'live.test.ts',
    '#1 check on one path only',
    [
      [
        1,
        'src/resolvers/records/live.ts',
        'if (ownerId === viewer.userId || isGranted(readers, viewer.userId, [])) return true;',
        'return true;',
      ],
    ],
    'record events show only what the subscriber may read at delivery',
  ),
  ...guardsOf('documents.test.ts', '#2 a WebSocket bypasses no check', [
    [2, 'src/graphql/websocket/operations.ts', 'if (read.errors) return read.errors;', ''],
  ]),
  ...guardsOf(
    'live.test.ts',
    '#3 a revoked or expired session stops streaming',
    [[3, 'src/graphql/follow-credentials.ts', '      this.#onEnd();', '']],
    'logout closes the sockets and streams of the session',
  ),
  ...guardsOf('live.test.ts', '#4 filters reveal unreadable values', [
    [
      4,
      'src/resolvers/records/access.ts',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is text of a source
      'const own = Prisma.sql`r.is_open = false AND r.user_id = ${viewer.userId}`;',
      'const own = Prisma.sql`r.is_open = false`;',
    ],
  ]),
  ...guardsOf('rights.test.ts', '#4 updates of unreadable records', [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is text of a source
    [4, 'src/resolvers/records/write.ts', '${isReadable(known, viewer)}', 'true AS "isReadable"'],
    [
      4,
      'src/resolvers/records/rows.ts',
      'record.isHidden ? null : resolve(record, context as IdentifiedContext)',
      'resolve(record, context as IdentifiedContext)',
    ],
    [4, 'src/resolvers/records/changed-rows.ts', 'if (mentionsUnique(known.fields, update)) throw forbidden();', ''],
    [
      4,
      'src/resolvers/records/changed-rows.ts',
      'row.isReadable ? changed.problems : changed.inputProblems',
      'changed.problems',
    ],
  ]),
  ...guardsOf('documents.test.ts', '#5 alias and batch amplification', [
    [5, 'src/graphql/document-limits.ts', 'aliases: 50,', 'aliases: 5_000,'],
  ]),
  ...guardsOf('documents.test.ts', '#6 unbounded depth', [
    [6, 'src/graphql/document-limits.ts', 'depth: 12,', 'depth: 1_200,'],
  ]),
  ...guardsOf('documents.test.ts', '#7 introspection', [
    [
      7,
      'src/graphql/read-request.ts',
      'const schema = await schemaFor(viewer, log);',
      "const schema = await schemaFor({ kind: 'key', applicationId: 92, catalogueVersion: 1, apiKeyId: 1 }, log);",
    ],
  ]),
  ...guardsOf('inputs.test.ts', '#8 mass assignment', [
    [8, 'src/resolvers/messages/rules.ts', 'withoutReservedKeys(customFields) as', 'customFields as'],
  ]),
  ...guardsOf('inputs.test.ts', '#9 objects in place of text', [
    [
      9,
      'src/lib/parameter-values.ts',
      "return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;",
      "return typeof value === 'object' ? Object.values(value).join() : value === undefined ? value : String(value);",
    ],
    [9, 'src/rest/http/handler.ts', 'refuseWrongTypes(endpoint, parameters);', ''],
  ]),
  ...guardsOf('names.test.ts', '#10 prototype pollution', [
    [
      10,
      'src/lib/bracket-keys.ts',
      "return segment === '__proto__' || segment === 'constructor' || segment === 'prototype';",
      'return false;',
    ],
  ]),
  ...guardsOf('names.test.ts', '#11 SQL injection through identifiers', [
    [
      11,
      'src/resolvers/records/order.ts',
      "if (!field || field.isArray || field.type === 'Location' || field.type === 'File') {",
      'if (name === undefined) {',
    ],
  ]),
  ...guardsOf('inputs.test.ts', '#12 dotted keys', [
    [
      12,
      'src/resolvers/records/changed-rows.ts',
      'if (!mayChangePermissions(row, context.viewer) && !isSame(row, grants)) throw forbidden();',
      '',
    ],
  ]),
  ...guardsOf('inputs.test.ts', '#13 nesting', [
    [
      13,
      'src/rest/record-forms.ts',
      '...readMembers(parameters, source), parentId',
      "permissions: { read: { access: 'OPEN' as const } }, parentId",
    ],
  ]),
  ...guardsOf('names.test.ts', '#14 catastrophic filters', [
    [14, 'src/db/conditions.ts', String.raw`.replace(/[\\%_]/g, '\\$&')`, ''],
    [14, 'src/lib/parameter-values.ts', ' && value.length <= MAX_VALUE_LENGTH', ''],
    [14, 'src/db/client.ts', 'statement_timeout: STATEMENT_TIMEOUT_MS, ', ''],
  ]),
  ...guardsOf('callers.test.ts', '#15 internal classes', [
    [
      15,
      'src/resolvers/classes/catalogue.ts',
      "if (!found) throw new ForbiddenError('Undefined class');",
      'if (!found) return [...byName.values()][0]!;',
    ],
  ]),
  ...guardsOf('callers.test.ts', '#16 restricted credentials', [
    [
      16,
      'src/lib/access.ts',
      "return viewer.kind === 'user' || viewer.kind === 'key';",
      "return viewer.kind !== 'anonymous';",
    ],
  ]),
  ...guardsOf('callers.test.ts', '#17 application sessions', [
    [
      17,
      'src/resolvers/users/listing.ts',
      "if (viewer.kind === 'key') return Prisma.sql`true`;",
      'if (viewer.kind) return Prisma.sql`true`;',
    ],
  ]),
  ...guardsOf('rights.test.ts', '#17 a disabled users list', [
    [17, 'src/resolvers/geodata/list.ts', 'if (listing.userName != null) await requireListing(context);', ''],
    [
      17,
      'src/resolvers/users/listing.ts',
      "return (viewer.kind === 'user' && viewer.userId === userId) || mayListUsers({ viewer });",
      'return true;',
    ],
    [
      17,
      'src/schema/geodata.ts',
      'authScopes: ({ userId }, _args, context) => maySeeListed(userId, context),',
      'authScopes: () => true,',
    ],
    [17, 'src/resolvers/address-book/list.ts', 'users : users.map(compactUser);', 'users : users;'],
  ]),
  ...guardsOf('sign-in-identities.test.ts', '#18 account takeover through provider adapters', [
    [18, 'src/gateways/firebase-phone.ts', '        audience: projectId,\n', ''],
    [
      18,
      'src/gateways/firebase-phone.ts',
      "if (keys.projectId !== this.#settings.projectId) throw new IdentityRefusedError('the project id does not match');",
      '',
    ],
  ]),
  ...guardsOf('sign-in-identities.test.ts', '#19 pre-hijacking', [
    [
      19,
      'src/resolvers/sessions/prove.ts',
      'const provenId = rows.find(({ isProven }) => isProven)?.id;',
      'const provenId = rows[0]?.id;',
    ],
    [19, 'src/resolvers/users/identities.ts', "if (viewer.kind === 'key') return", 'if (viewer.kind) return'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is text of a source
    [19, 'src/resolvers/sessions/signed-in.ts', ' AND ${isAsChecked} FOR SHARE', ' FOR SHARE'],
  ]),
  ...guardsOf(
    'callers.test.ts',
    '#20 state shared between requests or applications',
    [
      [
        20,
        'src/resolvers/sessions/credential-rows.ts',
        'return hashes.map((hash) => byHash.get(hash));',
        'return hashes.map(() => [...byHash.values()][0]);',
      ],
    ],
    'concurrent callers of several applications each receive only their own data',
  ),
  ...guardsOf(
    'sessions.test.ts',
    '#21 single-use race',
    [[21, 'src/resolvers/sessions/password-resets.ts', 'AND used_at IS NULL AND created_at', 'AND created_at']],
    'of 50 concurrent uses of a reset link, one sets a password',
  ),
  ...guardsOf('sessions.test.ts', '#22 enumeration', [
    [
      22,
      'src/resolvers/users/passwords.ts',
      'const matches = await signIns.run(',
      'if (passwordHash == null) return false;\n  const matches = await signIns.run(',
    ],
  ]),
  ...guardsOf('outside.test.ts', '#23 reset-mail host poisoning', [
    [
      23,
      'src/rest/http/handler.ts',
      'return createContext(this.#services, viewer, { network, facts, isCounted: true, isLegacy: true, callerLeft });',
      "const resetPageUrl = () => 'http://' + call.request.headers['x-forwarded-host'];\n    return createContext({ ...this.#services, resetPageUrl }, viewer, { network, facts, isCounted: true, isLegacy: true, callerLeft });",
    ],
  ]),
  ...guardsOf('outside.test.ts', '#24 secrets in URLs', [
    [24, 'src/rest/http/handler.ts', "(call.isXml && rules.access !== 'anyone')", "rules.access !== 'anyone'"],
    [24, 'src/server/pages/reset-password.ts', "'Referrer-Policy': 'no-referrer',", ''],
  ]),
  ...guardsOf('sessions.test.ts', '#25 signatures', [
    [
      25,
      'src/resolvers/sessions/create.ts',
      'const isUnambiguous = parameters.size === pairs.length;',
      'const isUnambiguous = true;',
    ],
    [25, 'src/resolvers/sessions/create.ts', 'application.signatureHash)', "'sha1')"],
  ]),
  ...guardsOf('sessions.test.ts', '#26 replay', [
    [26, 'src/resolvers/sessions/create.ts', "if (count === 0) throw new UnprocessableError('Bad nonce');", ''],
  ]),
  ...guardsOf('outside.test.ts', '#27 SSRF', [
    [27, 'src/gateways/model-transport.ts', 'agents({ lookup: lookupPublic })', 'agents({})'],
    [27, 'src/resolvers/ai/images.ts', 'if (isPlain && isPublicHost(parsed))', 'if (isPlain && parsed)'],
    [27, 'src/resolvers/ai/assistants.ts', 'requirePublic(input);\n  const', 'const'],
    [
      27,
      'src/gateways/push/web.ts',
      'endpointProblem(endpoint.trim(), allowsPrivate) === undefined && ',
      'URL.canParse(endpoint) && ',
    ],
  ]),
  ...guardsOf('files.test.ts', '#28 stored XSS by upload', [
    [28, 'src/rest/http/downloads.ts', "'Content-Security-Policy': 'sandbox',", ''],
    [28, 'src/rest/http/content-disposition.ts', String.raw` && !/^image\/svg|xml$/.test(type)`, ''],
  ]),
  ...guardsOf('files.test.ts', '#29 path traversal', [
    [
      29,
      'src/gateways/storage.ts',
      "if (!STORAGE_KEY.test(key) && !BACKUP_KEY.test(key)) throw new Error('invalid storage key');",
      '',
    ],
  ]),
  ...guardsOf(
    'crawlers.test.ts',
    '#30 IDOR',
    [[30, 'src/resolvers/dialogs/access.ts', 'if (!isReadable) throw new ForbiddenError();', '']],
    'another user of the same application can neither read nor change private data',
  ),
  ...guardsOf(
    'crawlers.test.ts',
    '#30 IDOR',
    [
      [
        30,
        'src/resolvers/users/rows.ts',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: quotes a template
        'ON u.application_id = ${applicationId} AND u.id = wanted.id`;',
        'ON u.id = wanted.id`;',
      ],
    ],
    'callers of another application can neither read nor change anything, through any operation or path',
  ),
  ...guardsOf('rights.test.ts', '#30 files by number', [
    [
      30,
      'src/resolvers/content/find.ts',
      '  await requireReadableByNumber(blob, viewer);\n  return blob;',
      '  return blob;',
    ],
    [30, 'src/resolvers/content/find.ts', '  if (isByNumber) await requireReadableByNumber(blob, viewer);\n', ''],
    [
      30,
      'src/resolvers/content/attached.ts',
      'return blob && (name === blob.uid || (await isReadableByNumber(blob, senderId))) ? blob : null;',
      'return blob;',
    ],
  ]),
  ...guardsOf('limits.test.ts', '#31 rate-limit bypass', [
    [31, 'src/server/limits/client-address.ts', '.slice(0, 4)', '.slice(0, 8)'],
    [
      31,
      'src/server/limits/definitions.ts',
      "return viewer.kind === 'user' ?",
      "if (viewer.kind === 'application') return 'session:' + viewer.session.id;\n  return viewer.kind === 'user' ?",
    ],
    [
      31,
      'src/resolvers/users/update.ts',
      "await context.meter?.count('oldPassword');\n  const isRight",
      'const isRight',
    ],
    [
      31,
      'src/schema/rate-limits.ts',
      'return meter.count(rateLimit).then(() => resolver(parent, args, context, info));',
      'return resolver(parent, args, context, info);',
    ],
  ]),
  ...guardsOf('crawlers.test.ts', '#32 differences of 403 and 404', [
    [
      32,
      'src/resolvers/dialogs/access.ts',
      'if (!isReadable) throw new ForbiddenError();',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is text of a source
      'if (!isReadable) throw new ForbiddenError(`Dialog ${dialogId} has other occupants`);',
    ],
    [
      32,
      'src/resolvers/records/find.ts',
      'if (!row.isReadable || (ownOnly && !isOwn)) throw forbidden();',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is text of a source
      'if (!row.isReadable || (ownOnly && !isOwn)) throw Object.assign(forbidden(), { message: `Record of user ${row.userId}` });',
    ],
  ]),
  ...guardsOf('faults.test.ts', '#33 details of internal errors', [
    [
      33,
      'src/graphql/presented-errors.ts',
      "return withExtensions(presented, 'Internal server error', { code: 'INTERNAL_SERVER_ERROR' });",
      'return presented;',
    ],
  ]),
  ...guardsOf('outside.test.ts', '#34 header injection', [
    [
      34,
      'src/rest/http/content-disposition.ts',
      "const plain = exact.replaceAll(/[^ -~]|[\"%]/gu, '_');",
      'const plain = exact;',
    ],
    [
      34,
      'src/rest/http/headers.ts',
      String.raw`requested !== undefined && /^[\w\-, ]*$/.test(requested)`,
      'requested !== undefined',
    ],
  ]),
  ...guardsOf(
    'limits.test.ts',
    '#35 exhaustion by sockets',
    [
      [
        35,
        'src/graphql/websocket/operations.ts',
        'if (connection.operations.size >= MAX_OPERATIONS) {',
        'if (connection.operations.size < 0) {',
      ],
    ],
    'a socket accepts at most 100 operations',
  ),
  ...guardsOf(
    'limits.test.ts',
    '#35 exhaustion by sockets',
    [
      [
        35,
        'src/server/limits/connection-limit.ts',
        'isUnlimited ? MAX_PER_PROCESS : MAX_PER_CALLER',
        'MAX_PER_PROCESS',
      ],
    ],
    'a user may open 100 sockets; silent sockets and sockets with oversized frames are closed',
  ),
  ...guardsOf('documents.test.ts', '#36 CSRF', [
    [
      36,
      'src/graphql/http/request-shape.ts',
      "if (method === 'POST' && !isJson(headers['content-type'])) throw new BadInputError('Unsupported content type', 415);",
      '',
    ],
  ]),
  ...guardsOf('outside.test.ts', '#37 XML', [
    [
      37,
      'src/rest/http/parameters.ts',
      '    default:\n      throw unsupported();',
      '    default:\n      return parseForm(decodeUtf8(body), maxKeys);',
    ],
  ]),
  ...guardsOf('outside.test.ts', '#38 AI helpers', [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is text of a source
    [38, 'src/resolvers/ai/summaries.ts', ' AND ${visibleTo(viewer)}', ''],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is text of a source
    [38, 'src/resolvers/users/daily-usage.ts', '    WHERE daily_usage.used + excluded.used <= ${quota}::int', ''],
  ]),
  ...guardsOf('limits.test.ts', '#39 phone scraping', [
    [39, 'src/resolvers/address-book/upload.ts', 'await takeDailyShare(transaction, book, share, context);', ''],
  ]),
  ...guardsOf(
    'names.test.ts',
    '#40 edge cases of numbers and texts',
    [
      [
        40,
        'src/lib/clean-text.ts',
        String.raw`if (value.includes('\0')) throw new BadInputError('Malformed request body');`,
        '',
      ],
    ],
    'no value of an id or a text causes an internal error, on any transport',
  ),
  ...guardsOf(
    'names.test.ts',
    '#40 edge cases of numbers and texts',
    [
      [
        40,
        'src/resolvers/classes/grants.ts',
        "kind === 'g' && !(names as readonly string[]).every(isGroupName)",
        'false',
      ],
    ],
    'group names must have 1 to 50 characters, so that they fit into their index',
  ),
  ...guardsOf('sessions.test.ts', '#41 denial by expensive logins', [
    [41, 'src/lib/semaphore.ts', 'if (isRefusable && path.some(isFull)) {', 'if (path.length === 0) {'],
  ]),
  ...guardsOf('sessions.test.ts', '#41 denial by expensive sign-ups', [
    [41, 'src/resolvers/users/passwords.ts', '  maxWaitingPerOwner: [80, 50],\n', ''],
    [41, 'src/resolvers/users/passwords.ts', 'return signUps.run(', 'return signIns.run('],
  ]),
  ...guardsOf('sign-in-identities.test.ts', '#42 an unconfigured provider', [
    [
      42,
      'src/resolvers/sessions/social.ts',
      'if (!isIdentityProvider(provider)) throw new SignInRefusedError();',
      "if (!isIdentityProvider(provider)) provider = 'facebook';",
    ],
  ]),
  ...guardsOf('sessions.test.ts', '#43 expiry is checked on every request', [
    [
      43,
      'src/resolvers/sessions/authenticate.ts',
      'if (sessionClock.isExpired(session, at)) throw new SessionMissingError();',
      '',
    ],
  ]),
  ...guardsOf(
    'faults.test.ts',
    '#44 inputs that could crash the process',
    [[44, 'src/graphql/websocket/protocol.ts', "socket.on('error', onError);", '']],
    'the service survives connections that break off during a request, an upgrade or a frame',
  ),
  ...guardsOf('callers.test.ts', '#46 client-chosen ids', [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is text of a source
    [46, 'src/resolvers/classes/grants.ts', '.map((name) => `${kind}:${name}`);', '.map(String);'],
  ]),
  ...guardsOf('rights.test.ts', '#46 self-assigned groups', [
    [46, 'src/resolvers/users/granted-tags.ts', "grantedTags: kind === 'key' ? tags :", 'grantedTags: true ? tags :'],
    [
      46,
      'src/resolvers/users/granted-tags.ts',
      "CASE a.groups WHEN 'self' THEN u.tags ELSE u.granted_tags END",
      'u.tags',
    ],
  ]),
  ...guardsOf('repository.test.ts', '#47 hard-coded credentials', [
    [47, 'src/config.ts', '/** Longer periods could yield dates that cannot be represented. */', FORGOTTEN_KEY],
  ]),
  ...guardsOf(
    'amplification.test.ts',
    '#48 introspection amplification',
    [[48, 'src/server/http/unread-responses.ts', 'while (total > MAX_UNREAD_BYTES) {', 'while (total < 0) {']],
    'unread responses hold a bounded amount of memory, and other requests are served',
  ),
  ...guardsOf(
    'amplification.test.ts',
    '#48 introspection amplification',
    [[48, 'src/graphql/document-limits.ts', "'__Type.fields': 10,", "'__Type.fields': 1,"]],
    'limits apply to introspection on every transport',
  ),
  ...guardsOf(
    'amplification.test.ts',
    '#48 introspection amplification',
    [[48, 'src/graphql/variables.ts', ', { maxErrors: 1 }', '']],
    'invalid variables yield one short error on every transport',
  ),
  ...guardsOf(
    'amplification.test.ts',
    '#48 introspection amplification',
    [
      [
        48,
        'src/graphql/variables.ts',
        'isTooHeavy(coerced, document, operation) ? tooComplex() : undefined',
        'undefined',
      ],
    ],
    'the complexity limit counts the values of variables at every use, on every transport',
  ),
  ...guardsOf(
    'amplification.test.ts',
    '#48 introspection amplification',
    [[48, 'src/schema/response-size.ts', 'if (!size.addField(String(info.path.key))) return null;', '']],
    'the service rejects a response above 16 MiB on every transport',
  ),
  ...guardsOf(
    'amplification.test.ts',
    '#48 multipart amplification',
    [
      [
        48,
        'src/rest/http/parameters.ts',
        'isAuthenticated ? maxKeys : Math.min(maxKeys, MAX_UNAUTHENTICATED_PARTS)',
        'maxKeys',
      ],
      [48, 'src/rest/http/parameters.ts', '      busboy.destroy();\n', ''],
    ],
    'parts above the limit for callers without credentials are not parsed',
  ),
  ...guardsOf(
    'amplification.test.ts',
    '#48 multipart amplification',
    [[48, 'src/rest/http/parameters.ts', 'openBusboy(contentType, { parts: maxParts })', 'openBusboy(contentType)']],
    'parts above the limit of keys are not parsed, even without names',
  ),
  ...guardsOf(
    'amplification.test.ts',
    '#49 cache exhaustion',
    [[49, 'src/lib/weighted-cache.ts', 'if (this.#weight <= this.#maxWeight) break;', 'break;']],
    'the document cache has a limit in bytes',
  ),
  ...guardsOf(
    'amplification.test.ts',
    '#49 cache exhaustion',
    [[49, 'src/graphql/documents.ts', 'if (!prepared.errors || keepsRefused) kept.set', 'kept.set']],
    'rejected documents of callers without valid credentials are not cached',
  ),
  ...guardsOf(
    'amplification.test.ts',
    '#49 cache exhaustion',
    [
      [
        49,
        'src/graphql/read-request.ts',
        "if (!knownDocument(query, serviceSchema)) await meter?.requireCapacity('default');",
        '',
      ],
    ],
    'documents of a caller over the quota are not parsed, on any transport',
  ),
  ...guardsOf(
    'amplification.test.ts',
    '#49 cache exhaustion',
    [[49, 'src/server/http/unauthenticated-body.ts', 'pendingBytes > MAX_PENDING_BYTES', 'pendingBytes < 0']],
    'slow large bodies without credentials hold a bounded amount of memory',
  ),
  ...guardsOf(
    'shared-statements.test.ts',
    '#50 poison in coalesced statements',
    [[50, 'src/db/coalesce.ts', 'if (jobs.length === 1 || isDatabaseUnavailable(error)) {', 'if (jobs.length > 0) {']],
    'a message that fails with 54000 does not affect others in the same statement, across applications',
  ),
  ...guardsOf('starvation.test.ts', '#51 starvation of connections', [
    [51, 'src/db/transact.ts', '  concurrencyPerOwner: [PER_APPLICATION, PER_CALLER],', ''],
    [51, 'src/db/long-work.ts', '  maxWaitingPerOwner: [200, 50],', ''],
    [51, 'src/rest/http/downloads.ts', 'concurrencyPerOwner: [200, 100, 50]', 'concurrencyPerOwner: [200, 400, 50]'],
    [51, 'src/server/http/in-turn.ts', 'if (response.socket) return', 'if (response) return'],
    [51, 'src/resolvers/files/staged.ts', 'removeAfter: { not: REMOVING }', ''],
  ]),
  ...guardsOf(
    'searches.test.ts',
    '#51 starvation of connections',
    [[51, 'src/db/search-turns.ts', '  concurrencyPerOwner: [PER_APPLICATION, PER_CALLER],', '']],
    'blocked searches do not delay other callers, and excess searches are rejected',
  ),
  ...guardsOf(
    'searches.test.ts',
    '#51 starvation of connections',
    [
      [51, 'src/db/conditions.ts', 'if (!isSearchText(text)) throw', 'if (text.length < 0) throw'],
      [51, 'src/resolvers/records/filter.ts', '  if (!isSearchText(String(text))) throw incorrect(key);\n', ''],
    ],
    'a search text has at most 256 characters',
  ),
  ...guardsOf(
    'searches.test.ts',
    '#51 starvation of connections',
    [
      [
        51,
        'src/resolvers/records/live.ts',
        'if (!hub.hasRecordFilter(known, textOf(where))) throw new NotFoundError();',
        '',
      ],
    ],
    'a closed subscription runs no further statement',
  ),
  ...guardsOf(
    'searches.test.ts',
    '#51 starvation of connections',
    [[51, 'src/realtime/record-filters.ts', 'valueCount > MAX_VALUES_PER_CALLER', 'valueCount < 0']],
    "the filters of a caller's record subscriptions name at most 1,000 values together",
  ),
  ...guardsOf(
    'large-records.test.ts',
    '#51 large records',
    [
      [
        51,
        'src/resolvers/records/batches.ts',
        'found.slice(0, fittingCount(found.map(({ bytes }) => bytes + addedBytes)))',
        'found',
      ],
    ],
    'an update by criteria is split into steps of bounded size: a value',
  ),
  ...guardsOf(
    'large-records.test.ts',
    '#51 large records',
    [[51, 'src/resolvers/records/batches.ts', 'bytes + addedBytes', 'bytes']],
    'records that become large through the update count with their new size',
  ),
  ...guardsOf(
    'large-records.test.ts',
    '#51 large records',
    [[51, 'src/resolvers/records/sizes.ts', 'if (sliceBytes > MAX_SLICE_BYTES) {', 'if (sliceBytes < 0) {']],
    'an update by criteria yields to the event loop between records',
  ),
  ...guardsOf(
    'large-records.test.ts',
    '#51 large records',
    [
      [
        51,
        'src/resolvers/records/update.ts',
        'of batchesOf(changes, ({ locked, update }) => locked.bytes + addedBytes(update.bytes))',
        'of [changes]',
      ],
    ],
    'an update of several records is split into several statements and remains atomic',
  ),
  ...guardsOf(
    'large-records.test.ts',
    '#51 large records',
    [[51, 'src/db/coalesce.ts', 'jobs.splice(0, nextCount(jobs))', 'jobs.splice(0, max)']],
    'coalesce limits the total size of a batch',
  ),
  ...guardsOf(
    'large-records.test.ts',
    '#51 large records',
    [
      [
        51,
        'src/resolvers/records/rows.ts',
        'pg_column_compression(r.fields) IS NULL AND pg_column_size(r.fields) <= 8192',
        'true',
      ],
    ],
    'large fields are not read unless they are requested: records',
  ),
  ...guardsOf(
    'large-records.test.ts',
    '#51 large records',
    [[51, 'src/resolvers/records/large-fields.ts', 'if (names === null)', 'if (names !== undefined)']],
    'large fields are not read unless they are requested: one field',
  ),
  ...guardsOf(
    'large-records.test.ts',
    '#51 large records',
    [[51, 'src/db/search-turns.ts', 'return runSoon(largeReads, owner, read);', 'return read();']],
    'reads of large records take turns per caller, and other lists do not wait',
  ),
  ...guardsOf(
    'large-records.test.ts',
    '#51 large records',
    [[51, 'src/resolvers/records/large-fields.ts', '!context.responseSize?.problem && ', '']],
    'the service stops reading once the response exceeds its limit',
  ),
  ...guardsOf(
    'large-records.test.ts',
    '#51 large records',
    [[51, 'src/resolvers/records/large-fields.ts', ' && !callerLeft?.aborted', '']],
    'the service reads nothing for a caller who disconnected while waiting',
  ),
  ...guardsOf('locks.test.ts', '#51 starvation of connections', [
    [
      51,
      'src/resolvers/messages/send.ts',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is text of a source
      'FOR NO KEY UPDATE ${isShared ? SKIP_LOCKED : Prisma.empty}',
      'FOR NO KEY UPDATE',
    ],
    [51, 'src/db/lock-turns.ts', '  concurrencyPerOwner: [2, 1],', ''],
  ]),
  ...guardsOf('sign-in-identities.test.ts', '#52 trojan identities', [
    [52, 'src/resolvers/sessions/password-resets.ts', 'if (before.email !== link.email) throw deadLink();', ''],
    [52, 'src/resolvers/sessions/password-resets.ts', '...(isFirstProof && othersClaims(before)), ', ''],
    [52, 'src/resolvers/sessions/password-resets.ts', '    await removeDevices(transaction, user);\n', ''],
    [52, 'src/resolvers/sessions/password-resets.ts', 'isFirstProof ? revokeUploads(transaction, user, at) : []', '[]'],
    [52, 'src/resolvers/sessions/password-resets.ts', "!isProven('email', before)", 'before.verifiedEmail === null'],
    [52, 'src/resolvers/sessions/prove.ts', '  await requireSession(transaction, viewer);\n', ''],
    [52, 'src/resolvers/subscriptions/lock.ts', '  if (sessions === 0) throw new SessionMissingError();\n', ''],
  ]),
  ...guardsOf(
    'archives.test.ts',
    '#53 trust in archives',
    [
      [53, 'src/operator/archive/trust.ts', '    return stored;\n  });', '    return value;\n  });'],
      [53, 'src/operator/archive/trust.ts', '  return stored;\n}', '  return secret;\n}'],
    ],
    'an untrusted import drops settings reserved for the operator and reports the affected rows',
  ),
  ...guardsOf(
    'pushes.test.ts',
    '#54 starvation of pushes',
    [
      [54, 'src/resolvers/events/rules.ts', 'if (ids > max)', 'if (ids < 0)'],
      [54, 'src/resolvers/events/rules.ts', 'count > MAX_EVENT_TAGS ?', 'count < 0 ?'],
      [54, 'src/resolvers/events/rules.ts', "tag.trim() === '' || isLonger(tag, MAX_TAG)", "tag.trim() === ''"],
      [54, 'src/resolvers/events/rules.ts', '> MAX_TAG_QUERY_BYTES', '< 0'],
    ],
    'an event with too many recipients or tags is rejected and not stored, on any transport',
  ),
  ...guardsOf(
    'pushes.test.ts',
    '#54 starvation of pushes',
    [
      [54, 'src/resolvers/events/list.ts', '...selection, ', ''],
      [54, 'src/resolvers/events/find.ts', '{ omit: RECIPIENTS }', '{}'],
      [54, 'src/resolvers/events/lock.ts', '    omit: RECIPIENTS,\n', ''],
      [54, 'src/resolvers/events/update.ts', '      ...selection,\n', ''],
    ],
    'events are listed, read and changed without reading their recipients',
  ),
  ...guardsOf(
    'pushes.test.ts',
    '#54 starvation of pushes',
    [[54, 'src/gateways/push/traffic.ts', '  concurrencyPerOwner: [1_536, 256, 32, 8],', '']],
    'one user has at most 8 sends in flight',
  ),
  ...guardsOf(
    'pushes.test.ts',
    '#54 starvation of pushes',
    [
      [
        54,
        'src/gateways/push/traffic.ts',
        '{ ...BREAKER, owners: 5, probes: 8 }',
        '{ ...BREAKER, owners: 1, probes: 8 }',
      ],
      [54, 'src/gateways/push/traffic.ts', 'return waitMs > 0', 'return waitMs < 0'],
    ],
    'failures of many users open the circuit breaker of a host; failures of one user do not',
  ),
  ...guardsOf('console.test.ts', '#55 cookies of the console', [
    [55, 'src/graphql/console-cookie.ts', '|| origin === undefined || !isConsoleOrigin(origin, host)', ''],
    [55, 'src/graphql/http/handler.ts', "method === 'POST' && headers.application", 'headers.application'],
    [55, 'src/graphql/http/handler.ts', "method === 'POST' && headers.application", "method === 'POST'"],
    [55, 'src/server/entrances.ts', '{ ...services, isConsoleOn: false }', 'services'],
  ]),
  ...guardsOf('console.test.ts', '#56 escape from a role', [
    [56, 'src/resolvers/administrators/rights.ts', 'if (!isRole) throw', 'if (false) throw'],
    [56, 'src/resolvers/administrators/rights.ts', 'if (right.needsReason && !administrator.reason)', 'if (false)'],
    [
      56,
      'src/resolvers/administrators/rights.ts',
      'confirmedMembers ? hasMember(args, confirmedMembers) : right.isConfirmed',
      'false',
    ],
  ]),
  ...guardsOf('console.test.ts', '#57 reuse of one-time links and codes', [
    [57, 'src/resolvers/administrators/totp.ts', 'totpStep: { lt: step }', 'totpStep: { gte: 0n }'],
  ]),
  ...guardsOf('audit.test.ts', '#58 tampering with the audit log', [
    [58, 'src/resolvers/audit/verify.ts', 'if (!isSame(ends.signature, signer.signatureOf(ends)))', 'if (false)'],
    [
      58,
      'src/resolvers/audit/verify.ts',
      'if (!isSame(entry.hash, signer.hashOf(applicationId, seq, hash, entry)))',
      'if (false)',
    ],
    [58, 'src/schema/audit.ts', 'administrator: { roles: OWNER }', "administrator: { roles: [...OWNER, 'viewer'] }"],
  ]),
  ...guardsOf('passkeys.test.ts', '#59 forged, stolen and copied passkeys', [
    [
      59,
      'src/resolvers/administrators/passkey-assertions.ts',
      'requireUserVerification: true',
      'requireUserVerification: false',
    ],
    [59, 'src/resolvers/administrators/passkeys.ts', 'requireUserVerification: true', 'requireUserVerification: false'],
    [
      59,
      'src/resolvers/administrators/passkey-assertions.ts',
      'administratorId, relyingPartyId: relyingParty.id',
      'relyingPartyId: relyingParty.id',
    ],
    [
      59,
      'src/resolvers/administrators/passkey-assertions.ts',
      'administratorId, relyingPartyId: relyingParty.id',
      'administratorId',
    ],
    [59, 'src/resolvers/administrators/passkey-assertions.ts', '|| handle !== passkey.administrator.passkeyHandle', ''],
    [59, 'src/resolvers/administrators/passkey-assertions.ts', 'isCounted ? { lt: newCounter } : 0n', 'undefined'],
    [
      59,
      'src/resolvers/administrators/passkey-assertions.ts',
      'return verified ? authenticationInfo : undefined',
      'return authenticationInfo',
    ],
    [59, 'src/resolvers/administrators/challenges.ts', '...binding, createdAt', 'createdAt'],
    [59, 'src/resolvers/administrators/challenges.ts', '...binding, createdAt', '...binding'],
    [
      59,
      'src/resolvers/administrators/challenges.ts',
      'const { count } = await db.passkeyChallenge.deleteMany({\n    where: { challengeHash',
      'const count = await db.passkeyChallenge.count({\n    where: { challengeHash',
    ],
  ]),
  ...guardsOf('backups.test.ts', '#60 theft of archives', [
    [60, 'src/resolvers/jobs/downloads.ts', 'AND d.used_at IS NULL', ''],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is text of a source
    [60, 'src/resolvers/jobs/downloads.ts', 'AND d.expires_at > ${at}', ''],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is text of a source
    [60, 'src/resolvers/jobs/downloads.ts', 'AND d.session_id = ${identity.sessionId}', ''],
    [60, 'src/resolvers/jobs/downloads.ts', "|| !hasRole(identity, ['owner'], applicationId)", ''],
    [60, 'src/server/pages/backups.ts', "request.method !== 'GET'", 'false'],
    [60, 'src/server/pages/backups.ts', 'isOfConsole ? cookieToken(headers) : undefined', 'cookieToken(headers)'],
    [
      60,
      'src/schema/jobs.ts',
      't.withAuth({ administrator: true }).connection({\n    administrator: { roles: OWNER }',
      "t.withAuth({ administrator: true }).connection({\n    administrator: { roles: [...OWNER, 'viewer'] }",
    ],
  ]),
  ...guardsOf('request-log.test.ts', '#61 the request log', [
    [61, 'src/schema/request-log.ts', '  requireOwnerOfAll(viewer);', ''],
    [61, 'src/server/observability/request-errors.ts', 'return redactText(withoutValues)', 'return (withoutValues)'],
    [61, 'src/server/observability/unknown-paths.ts', 'every(isKnown)', 'every(() => true)'],
    [61, 'src/server/observability/request-samples.ts', 'const isAdmitted = tokens >= 1;', 'const isAdmitted = true;'],
    [61, 'src/resolvers/request-log/live.ts', 'if (!isAllowed) throw', 'if (false) throw'],
  ]),
  ...guardsOf('mails.test.ts', '#62 injection by texts of mails', [
    [62, 'src/resolvers/mail/placeholders.ts', 'replaced(template, values, escapeHtml)', 'filled(template, values)'],
    [62, 'src/resolvers/mail/placeholders.ts', 'harmless(values[name])', 'values[name]'],
    [62, 'src/resolvers/mail/rules.ts', "field === 'subject' && /\\p{Cc}/u.test(value)", 'false'],
    [62, 'src/lib/app-url.ts', '!isDangerousScheme(protocol)', 'true'],
    [
      62,
      'src/resolvers/sessions/password-resets.ts',
      'isAppUrl(appUrl) ? appUrl : null',
      'appUrl !== "" ? appUrl : null',
    ],
  ]),
  ...guardsOf('reads.test.ts', '#63 reading without a trace', [
    [
      63,
      'src/schema/administrator-access.ts',
      'if (!needsReason && userId === undefined)',
      'if (userId === undefined)',
    ],
    [63, 'src/schema/administrator-access.ts', 'if (!needsReason && userId === undefined)', 'if (!needsReason)'],
  ]),
  ...guardsOf('inputs.test.ts', '#64 JSON of other users', [
    [64, 'src/resolvers/messages/rules.ts', 'attachment ? memberProblems(attachment) : []', '[]'],
    [64, 'src/resolvers/messages/rules.ts', 'return isStorable(String(member));', 'return true;'],
    [64, 'src/resolvers/messages/rules.ts', "return typeof member === 'string';", 'return true;'],
    [64, 'src/resolvers/dialogs/create.ts', '...photoProblems(input.photo)', ''],
    [64, 'src/resolvers/dialogs/update.ts', '...photoProblems(input.photo)', ''],
    [
      64,
      'src/lib/address-schemes.ts',
      'URL.canParse(address) ? new URL(address).protocol : undefined',
      '/^[a-z-]+:/.exec(address)?.[0]',
    ],
    [64, 'packages/client/src/app/chat-documents.ts', 'attachmentsOf(attachments)', 'attachments as never'],
    [
      64,
      'packages/client/src/app/foreign-json.ts',
      "return url.protocol === 'http:' || url.protocol === 'https:' ? url : undefined;",
      'return url;',
    ],
    [64, 'packages/client/src/app/files.ts', 'this.#blobAt(address.href) === undefined', 'false'],
    [64, 'packages/chat-ui/src/attachments.tsx', 'isRequested || mayLoad(link)', 'true'],
  ]),
  ...guardsOf('takeover.test.ts', '#68 acts that amount to a takeover', [
    [68, 'src/resolvers/administrators/rights.ts', 'if (isHarmless(right, args.input)) return;', 'return;'],
    [68, 'src/resolvers/administrators/rights.ts', '.every((member)', '.some((member)'],
    [68, 'src/resolvers/users/update.ts', "(viewer.kind === 'key' && !viewer.administrator)", "viewer.kind === 'key'"],
  ]),
  ...guardsOf('mails.test.ts', '#69 the name of the operator for rent', [
    [69, 'src/resolvers/mail/rules.ts', "field === 'text' && !hasOnlyOwnWords(value)", 'false'],
    [69, 'src/resolvers/mail/html-links.ts', 'withLink(html, mark), mark)', "withLink(html, mark), '{{link}}')"],
    [69, 'src/resolvers/mail/html-links.ts', '!isRead && ownWordsIn', 'ownWordsIn'],
    [69, 'src/resolvers/mail/html-links.ts', 'if (raw) tokenizer.state', 'if (!tagName) tokenizer.state'],
    [69, 'src/resolvers/mail/send-test.ts', 'sample && to.toLowerCase() !== own?.toLowerCase()', 'sample && false'],
    [69, 'src/resolvers/mail/send-test.ts', 'if (actor) await', 'if (!sample && false) await'],
  ]),
  ...guardsOf('files.test.ts', '#70 capabilities of private files', [
    [
      70,
      'src/resolvers/content/administrators.ts',
      'if (isPublic || !administrator)',
      'if (isPublic || administrator)',
    ],
    [70, 'src/resolvers/content/administrators.ts', 'needsReason: true', 'needsReason: false'],
    [70, 'src/resolvers/content/find.ts', 'await admitAdministrator(blob, context);', ''],
    [70, 'src/resolvers/content/update.ts', 'input.public === true || input.new === true', 'input.new === true'],
  ]),
  ...guardsOf('limits.test.ts', '#69 own texts of an application', [
    [
      69,
      'src/resolvers/sessions/password-resets.ts',
      'user.isProven || (await takeOwnText',
      'true || (await takeOwnText',
    ],
  ]),
  ...guardsOf('limits.test.ts', '#71 administrators of other applications', [
    [71, 'src/resolvers/administrators/invitations.ts', "await context.meter?.count('invitation');", ''],
  ]),
  ...guardsOf('console.test.ts', '#73 access that outlives the recovery of an account', [
    [73, 'src/resolvers/administrators/rows.ts', 'if (sessions === 0) throw', 'if (false) throw'],
    [73, 'src/schema/administrator-access.ts', "info.operation.operation === 'mutation' ?", 'false ?'],
    [73, 'src/resolvers/administrators/links.ts', "if (purpose === 'passwordReset') await", 'if (false) await'],
    [73, 'src/resolvers/administrators/links.ts', 'if (!input.keepPasskeys)', 'if (false)'],
    [73, 'src/resolvers/administrators/totp.ts', "notify(email, 'totpDisabled', services);", ''],
  ]),
  ...guardsOf('console.test.ts', '#71 administrators of other applications', [
    [71, 'src/resolvers/administrators/invitations.ts', 'ownsAll(viewer.administrator) ? url : null', 'url'],
    [71, 'src/resolvers/administrators/invitations.ts', '!viewer || ownsAllOf', '!!viewer || ownsAllOf'],
    [71, 'src/resolvers/administrators/invitations.ts', 'if (!link || !seenBy', 'if (!link || !!seenBy'],
    [71, 'src/resolvers/administrators/update.ts', 'if (!seen) throw', 'if (!before) throw'],
    [
      71,
      'src/resolvers/administrators/rules.ts',
      'if (!owned || seen.id === administrator.id) return seen;',
      'return seen;',
    ],
  ]),
  ...guardsOf(
    'sockets.test.ts',
    '#65 memory and connections of sockets',
    [[65, 'src/graphql/websocket/connection.ts', 'this.#receivedBytes <= MAX_EARLY_BYTES', 'this.#receivedBytes > 0']],
    'before connection_ack, a socket is closed after fragments without end',
  ),
  ...guardsOf(
    'sockets.test.ts',
    '#65 memory and connections of sockets',
    [[65, 'src/graphql/websocket/protocol.ts', '&& length > MAX_EARLY_PING_LENGTH', '&& length < 0']],
    'before connection_ack, a socket is closed after a large ping in a binary frame',
  ),
  ...guardsOf(
    'sockets.test.ts',
    '#65 memory and connections of sockets',
    [
      [
        65,
        'src/graphql/websocket/connection.ts',
        'setTimeout(() => this.socket.terminate(), CLOSE_TIMEOUT_MS)',
        'undefined',
      ],
    ],
    'a client that does not answer the close frame is disconnected, also after an operation without credentials',
  ),
  ...guardsOf(
    'sockets.test.ts',
    '#65 memory and connections of sockets',
    [[65, 'src/graphql/websocket/server.ts', '    unread.note(request.socket, connection.request, connection);\n', '']],
    'unread bytes of sockets count with those of responses, and the network that holds the most loses them',
  ),
  ...guardsOf(
    'sockets.test.ts',
    '#65 memory and connections of sockets',
    [[65, 'src/server/http/unread-responses.ts', '(holders.get(connection)?.heldBytes ?? 0)', '0']],
    'messages that never end count, too, also with control frames between their fragments',
  ),
  ...guardsOf(
    'sockets.test.ts',
    '#65 memory and connections of sockets',
    [
      [
        65,
        'src/graphql/websocket/server.ts',
        'else if (limit?.isFullOfUnauthenticated(services.networkOf(request))) refuse(request, socket, 429);',
        '',
      ],
      [
        65,
        'src/graphql/websocket/server.ts',
        'connection.onInitialized = limit?.takeUnauthenticated',
        'limit?.takeUnauthenticated',
      ],
      [
        65,
        'src/server/limits/connection-limit.ts',
        'this.#unauthenticated.isFull(network, MAX_UNAUTHENTICATED_PER_NETWORK)',
        'this.#unauthenticated.isFull(network, MAX_PER_PROCESS)',
      ],
    ],
    'sockets without accepted credentials are limited per network, and other networks are served',
  ),
  ...guardsOf(
    'sockets.test.ts',
    '#65 memory and connections of sockets',
    [
      [
        65,
        'src/server/limits/connection-limit.ts',
        'new Slots(MAX_UNAUTHENTICATED_PER_PROCESS)',
        'new Slots(MAX_PER_PROCESS)',
      ],
    ],
    'sockets without accepted credentials are limited per process',
  ),
  ...guardsOf(
    'sockets.test.ts',
    '#65 memory and connections of sockets',
    [
      [
        65,
        'src/server/limits/connection-limit.ts',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is text of a source
        'return `network:${network}`;',
        "return 'id' in viewer.session! ? String(viewer.session.id) : network;",
      ],
    ],
    'application sessions share 100 sockets and event streams per network, however many the client opens',
  ),
  ...guardsOf(
    'sockets.test.ts',
    '#65 memory and connections of sockets',
    [[65, 'src/graphql/websocket/heartbeat.ts', 'if (silent.get(this) === data.toString()) ', '']],
    'a client that sends pongs without reading is disconnected',
  ),
  ...guardsOf(
    'embedding.test.ts',
    '#66 embedding is safe by default',
    [
      [
        66,
        'src/embedded/options.ts',
        '(options.console ?? options.consolePort !== undefined)',
        '(options.console ?? true)',
      ],
      [66, 'src/embedded/options.ts', "METRICS: 'off', ", ''],
    ],
    'pages, sign-in and cookies of the console, and metrics, are off',
  ),
  ...guardsOf(
    'embedding.test.ts',
    '#66 embedding is safe by default',
    [
      [
        66,
        'src/embedded/mount.ts',
        'this.#below(request.baseUrl ? (request.originalUrl ?? url) : url)',
        'request.baseUrl ? url : this.#below(url)',
      ],
      [66, 'src/server/entrances.ts', '{ ...settings, isMetricsOn: false }', 'settings'],
    ],
    'metrics answer only if asked for, and only at their path in its letter case',
  ),
  ...guardsOf(
    'embedding.test.ts',
    '#66 embedding is safe by default',
    [[66, 'src/server/entrances.ts', '{ ...services, isConsoleOn: false }', 'services']],
    'with a handler of its own, the console and its cookies work there only',
  ),
  ...guardsOf(
    'embedding.test.ts',
    '#66 embedding is safe by default',
    [[66, 'src/embedded/options.ts', 'if (isSeparate) requireOwnOrigin(config);', '']],
    'a console that would share the origin is refused',
  ),
  ...guardsOf(
    'embedding.test.ts',
    '#66 embedding is safe by default',
    [[66, 'src/graphql/console-cookie.ts', "isSecure ? '/' : new URL('.', consoleUrl()).pathname", "'/'"]],
    'below the path of the application, the cookie is limited to that path, and over TLS to the host',
  ),
  ...guardsOf('request-log.test.ts', '#67 names in the request log', [
    [67, 'src/server/observability/request-errors.ts', '(isKnown(name) ? name : UNKNOWN_NAME)', 'name'],
    [67, 'src/server/observability/request-errors.ts', 'shownKey(key, isKnown)', 'key'],
    [
      67,
      'src/server/observability/request-errors.ts',
      '.replace(LABELED, (_all, label: string, rest: string) => label + known(rest))',
      '',
    ],
    [
      67,
      'src/server/observability/request-errors.ts',
      '.replace(FIELDS, (_all, before: string, names: string) => before + known(names))',
      '',
    ],
    [
      67,
      'src/server/observability/request-log.ts',
      'name.length <= MAX_OPERATION && digits <= MAX_DIGITS ? name',
      'name.length > 0 ? name',
    ],
    [67, 'src/rest/known-names.ts', 'if (ofService.has(bare)) return true;', 'if (bare) return true;'],
  ]),
  ...guardsOf('takeover.test.ts', '#68 acts that amount to a takeover', [
    [
      68,
      'src/resolvers/administrators/rights.ts',
      'names.includes(name) || hasMember(part, names)',
      'names.includes(name)',
    ],
    [68, 'src/schema/content.ts', "['contentType', 'name', 'tags']", "['contentType', 'name', 'new', 'tags']"],
  ]),
  ...guardsOf('reads.test.ts', '#63 reading without a trace', [
    [63, 'src/graphql/subscribe.ts', '    scope,\n    reader,', '    scope,'],
    [
      63,
      'src/schema/administrator-access.ts',
      'return read ? recordDialogs(read, event, now)',
      'return false ? recordDialogs(read!, event, now)',
    ],
  ]),
  ...guardsOf('files.test.ts', '#72 credentials in addresses', [
    [72, 'src/resolvers/content/tickets.ts', 'if (!(seconds * 1000 > now().getTime())) return false;', ''],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is text of a source
    [72, 'src/resolvers/content/tickets.ts', '`${uid} ${seconds}`', '`${seconds}`'],
    [72, 'src/resolvers/content/addresses.ts', '!(name === blob.uid || (await isReadableBy(blob, viewer)))', 'false'],
    [72, 'src/rest/http/downloads.ts', '...(/[?&]ticket=/.test(url) && WITH_TICKET),', ''],
  ]),
  ...guardsOf('live.test.ts', '#76 acting as a user is not taken for the user', [
    [76, 'src/graphql/websocket/authentication.ts', ' && viewer.session) connection', ') connection'],
  ]),
  ...guardsOf('template.test.ts', '#75 projects of create-atrium', [
    [75, 'packages/create-atrium/template/vite.config.mjs', "fs: { allow: ['.', '../node_modules'] }, ", ''],
    [75, 'packages/create-atrium/template/vite.config.mjs', ', cors: false', ''],
    [75, 'packages/create-atrium/template/server.mjs', '    trustProxy: process.env.TRUST_PROXY || undefined,\n', ''],
  ]),
  ...guardsOf('shared-devices.test.ts', '#74 the next person on a shared device', [
    [
      74,
      'src/resolvers/sessions/delete.ts',
      "else if (viewer.kind === 'user' && !keepDevices) await removeDevicesOf(transaction, viewer);",
      '',
    ],
    [74, 'src/resolvers/sessions/login.ts', 'viewer.userId !== userId && !keepDevices', ''],
    [74, 'src/resolvers/subscriptions/lock.ts', ' FOR SHARE`', '`'],
    [74, 'packages/client/src/app/offline-cache.ts', 'if (!this.#isSignedIn()) return;', ''],
    [74, 'packages/client/src/app/offline-cache.ts', '    await this.#flushing;\n', ''],
  ]),
];
