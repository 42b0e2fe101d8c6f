import { DEVELOPER } from '../administration/administrators/rights.ts';
import { explainRecords, type RecordsExplanation } from '../resolvers/records/explain.ts';
import { builder } from './builder.ts';
import { CLASS_NAME, ORDER } from './descriptions.ts';
import { RECORD_FILTER, RecordOrder } from './records.ts';

const RecordsExplanationType = builder.objectRef<RecordsExplanation>('RecordsExplanation').implement({
  description: 'How a list of records was read.',
  fields: (t) => ({
    indexes: t.exposeStringList('indexes', {
      description:
        'Indexes that were read: the fields of each one, separated by commas. `all fields` is the index of exact values ' +
        'of all fields. Empty if all records of the class were read.',
    }),
    rowsRead: t.exposeInt('rowsRead', { description: 'Rows of records and of their indexes that were read.' }),
    rowsReturned: t.exposeInt('rowsReturned', { description: 'Records in the list.' }),
    suggestedIndex: t.exposeStringList('suggestedIndex', {
      nullable: true,
      description:
        'Fields of a compound index that would read fewer rows; null if the list is cheap, or if none would.',
    }),
  }),
});

builder.queryField('explainRecords', (t) =>
  t.withAuth({ key: true }).field({
    scope: 'records',
    administrator: { roles: DEVELOPER },
    type: RecordsExplanationType,
    description:
      'Runs `records` as the API key and returns which indexes it used and how many rows it read, to find lists that need ' +
      'an index.',
    args: {
      className: t.arg.string({ required: true, description: CLASS_NAME }),
      filter: t.arg({ type: 'JSON', description: RECORD_FILTER }),
      orderBy: t.arg({ type: RecordOrder, description: ORDER }),
      parentId: t.arg.id({ description: 'Only return children of this record.' }),
      first: t.arg.int({ description: 'Length of the list, 1 to 100. Default: 50.' }),
    },
    resolve: (_root, args, context) => explainRecords(args, context),
  }),
);
