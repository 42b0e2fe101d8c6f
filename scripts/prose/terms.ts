// Words that the documentation does not use, and what it uses instead. One word has one meaning (docs/glossary.md).

/** Pattern of whole words, and the replacement that the message names. */
type Term = readonly [pattern: string, replacement: string];

const TERMS: readonly Term[] = [
  // Name the actor: the client, the subscriber, the worker, the caller.
  [
    'whoever|whomever|nobody|somebody|someone|anybody|anyone|everybody|everyone',
    'the actor (client, caller, worker, …)',
  ],
  ['whatever|whichever|wherever', 'the thing itself'],
  ['tell|tells|told|telling', 'notify, publish, report or state'],
  ['announce|announces|announced|announcement|announcements', 'publish'],
  ['anew', 'again'],
  ['meanwhile', 'in the meantime'],
  ['in vain', 'without effect'],
  ['on (its|their|the) way', 'in flight'],
  ['under way', 'in flight or in progress'],
  ['as (it|they) (is|are|was|were)(?! (not|in|of|to|a|the|also|only|no)\\b)', 'unchanged'],
  ['is another(?! (name|word|term|way))|are others', 'differs'],
  ['other than (it|they|before)', 'different'],
  ['goes? on with|gone on with|going on with|went on with', 'resume or continue'],
  ['let in|lets in|let go|lets go', 'admit or release'],
  ['to its end', 'completely'],
  ['in good order', 'gracefully'],
  ['beside it|beside them', 'next to or at the same time'],
  ['hears?|hearers?', 'receive, listener'],
  ['mend|mends|mended|mending', 'fix or repair'],
  ['(the|its|our|one|every|each|all|two|three|these|both) doors?', 'transport'],
  ['bells?', 'notifier or wake-up signal'],
  ['(?:un)?seal(?:s|ed|ing)?', 'encrypt'],
  ['loose files?', 'staged upload'],
  ['happenings?', 'event'],
  ['mouthful|farewell|patience', 'a limit with a number and a unit'],
  ['gaps §', 'a section name of docs/reference/rest-contract.md'],
];

/** Words that are too vague for a name. */
const NAME_TERMS: readonly Term[] = [
  ['given|wanted|asked', 'the noun: input, request, parameters, …'],
  ['places?|things?', 'the noun: path, position, point, …'],
  ['loose', 'unclaimed'],
];

const compiled = (terms: readonly Term[]): [pattern: RegExp, replacement: string][] =>
  terms.map(([pattern, replacement]) => [new RegExp(`(?<![\\w-])(?:${pattern})(?![\\w-])`, 'gi'), replacement]);

export const terms = compiled(TERMS);
export const nameTerms = compiled(NAME_TERMS);
