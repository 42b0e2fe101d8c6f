import type { Person } from './calls.ts';
import { ALIKE, carsOf, notesOf, OWN, placeOf, type SeededRecords } from './seeded-records.ts';

export interface RecordRead {
  name: string;
  /** Undefined: the API key. */
  reader: (seeded: SeededRecords) => Person | undefined;
  className: (size: number) => string;
  query: (nth: number, size: number) => string;
  items: number;
  isRight: (item: Car, before: Car | undefined, nth: number, size: number) => boolean;
  /** No limit of growth is promised. */
  isUnindexed?: boolean;
}

export interface Car {
  _id: string;
  make: string;
  model: string;
  value: number;
  rating: number;
  tags: string[];
  place: [lat: number, lon: number];
  created_at: number;
}

const PAGE = 20;
export const QUESTIONS = 50;

const oneOf = (count: number, nth: number) => Math.floor(((nth + 0.5) * count) / QUESTIONS);
const modelOf = (nth: number, size: number) => oneOf(size / ALIKE, nth);
const numberOf = (nth: number, size: number) => oneOf(size / 2, nth);

type Question = Pick<RecordRead, 'query' | 'isRight' | 'isUnindexed'> & { items?: number };

const ordered = (of: (car: Car) => number | string, sign: 1 | -1) => (item: Car, before: Car | undefined) =>
  before === undefined || (sign > 0 ? of(before) <= of(item) : of(before) >= of(item));

const CARS: Record<string, Question> = {
  'first page': { query: () => '', isRight: ordered(({ _id }) => _id, 1) },
  'equal, without index': {
    query: (nth, size) => `model=model-${modelOf(nth, size)}`,
    isRight: ({ model }, _before, nth, size) => model === `model-${modelOf(nth, size)}`,
  },
  'equal, by an indexed number': {
    query: (nth, size) => `value=${numberOf(nth, size)}`,
    isRight: ({ value }, _before, nth, size) => value === numberOf(nth, size),
    items: 1,
  },
  'range and sort by an indexed number': {
    query: (nth, size) => `value[gte]=${numberOf(nth, size)}&sort_asc=value`,
    isRight: ({ value }, before, nth, size) => value === (before ? before.value + 1 : numberOf(nth, size)),
  },
  'range and sort, the largest first': {
    query: (nth, size) => `value[lt]=${numberOf(nth, size) + 50}&sort_desc=value`,
    isRight: ({ value }, before, nth, size) => value === (before?.value ?? numberOf(nth, size) + 50) - 1,
  },
  'sort by an indexed text': { query: () => 'sort_asc=make', isRight: ordered(({ make }) => make, 1) },
  'sort by an indexed text, the last first': {
    query: () => 'sort_desc=make',
    isRight: ordered(({ make }) => make, -1),
  },
  'latest first': { query: () => 'sort_desc=created_at', isRight: ordered((car) => car.created_at, -1) },
  'an array holds a rare value': {
    query: (nth, size) => `tags=tag-${modelOf(nth, size)}`,
    isRight: ({ tags }, _before, nth, size) => tags[0] === `tag-${modelOf(nth, size)}`,
  },
  'an array holds what half of them do': {
    query: () => 'tags=half-1',
    isRight: ({ tags }) => tags[1] === 'half-1',
  },
  'a rare value in an array, sorted by an indexed number': {
    query: (nth, size) => `tags[all][]=tag-${modelOf(nth, size)}&sort_asc=value`,
    isRight: (item, before, nth, size) =>
      item.tags[0] === `tag-${modelOf(nth, size)}` && ordered(({ value }) => value, 1)(item, before),
  },
  'near an indexed place': {
    query: (nth, size) => `place[near]=${placeOf(modelOf(nth, size))};1000`,
    isRight: ({ model }, _before, nth, size) => model === `model-${modelOf(nth, size)}`,
  },
  'range and sort, without index': {
    query: () => 'rating[gte]=60&sort_desc=rating',
    isRight: ordered(({ rating }) => rating, -1),
    isUnindexed: true,
  },
  'contains, without index': {
    query: () => 'make[ctn]=no-such-make',
    isRight: () => true,
    items: 0,
    isUnindexed: true,
  },
};

const NOTES: Record<string, Question> = {
  '': { query: () => '', isRight: ordered(({ _id }) => _id, 1) },
  ', latest first': { query: () => 'sort_desc=created_at', isRight: ordered((car) => car.created_at, -1) },
  ', sorted by an indexed number': { query: () => 'sort_asc=value', isRight: ordered(({ value }) => value, 1) },
  ', the largest first': { query: () => 'sort_desc=value', isRight: ordered(({ value }) => value, -1) },
};

const READERS: [name: string, reader: RecordRead['reader'], questions: string[]][] = [
  ['own', ({ owner }) => owner, Object.keys(NOTES)],
  [`${OWN} of a group's`, ({ guest }) => guest, Object.keys(NOTES)],
  ["a thousandth, of a group's", ({ colleague }) => colleague, Object.keys(NOTES)],
  ["half of them, of a group's", ({ member }) => member, Object.keys(NOTES)],
  ['by the API key', () => undefined, ['', ', sorted by an indexed number']],
];

export const READS: RecordRead[] = [
  ...Object.entries(CARS).flatMap(([name, question]): RecordRead[] => [
    { name, reader: ({ owner }) => owner, className: carsOf, items: PAGE, ...question },
    { name: `${name}, by the API key`, reader: () => undefined, className: carsOf, items: PAGE, ...question },
  ]),
  ...READERS.flatMap(([who, reader, questions]) =>
    questions.map(
      (name): RecordRead => ({
        name: `private: ${who}${name}`,
        reader,
        className: notesOf,
        items: PAGE,
        ...NOTES[name]!,
      }),
    ),
  ),
];
