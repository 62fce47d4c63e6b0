/** Requests that try to change something on `/read`, each with why it fails. */

/** One attempt. */
interface Attack {
  readonly name: string;
  /** As a client sends it to `/read`. */
  readonly request: object;
  /** Why it fails. */
  readonly because: string;
}

const STAGE = 'the stage writes, and is refused at any depth';
const CODE = 'it runs JavaScript, and is refused by name at any depth';
const TYPE = 'the type writes';
const COMMAND = 'the command is not on the list of those that only read';

const out = { $out: 'stolen' };
const merge = { $merge: { into: 'victims' } };
const on = (type: string, members: object) => ({ type, collection: 'victims', ...members });
const aggregate = (...pipeline: object[]) => on('aggregate', { pipeline });
const command = (content: object) => ({ type: 'run_command', command: content });
const code = { body: 'function() { return true }', args: [], lang: 'js' };

/** At least twenty of them. Contract §6. */
export const ATTACKS: readonly Attack[] = [
  { name: '$out', request: aggregate(out), because: STAGE },
  {
    name: '$out into another database',
    request: aggregate({ $out: { db: 'other', coll: 'x' } }),
    because: STAGE,
  },
  { name: '$merge', request: aggregate({ $match: {} }, merge), because: STAGE },
  { name: '$out in $facet', request: aggregate({ $facet: { a: [out] } }), because: STAGE },
  {
    name: '$merge in $lookup',
    request: aggregate({ $lookup: { from: 'victims', pipeline: [merge], as: 'a' } }),
    because: STAGE,
  },
  {
    name: '$out in $unionWith',
    request: aggregate({ $unionWith: { coll: 'victims', pipeline: [out] } }),
    because: STAGE,
  },
  {
    name: '$out of a database',
    request: { type: 'database.aggregate', pipeline: [{ $documents: [{ _id: 9 }] }, out] },
    because: STAGE,
  },
  {
    name: '$function',
    request: aggregate({ $project: { a: { $function: code } } }),
    because: CODE,
  },
  {
    name: '$function in a filter',
    request: on('find', { filter: { $expr: { $function: code } } }),
    because: CODE,
  },
  {
    name: '$accumulator',
    request: aggregate({
      $group: {
        _id: 1,
        a: {
          $accumulator: {
            init: 'function() {}',
            accumulate: 'function() {}',
            merge: 'function() {}',
            lang: 'js',
          },
        },
      },
    }),
    because: CODE,
  },
  {
    name: '$where',
    request: on('find', { filter: { $where: 'db.victims.drop()' } }),
    because: CODE,
  },
  {
    name: '$where below $or',
    request: on('count_documents', { filter: { $or: [{ $where: '1' }] } }),
    because: CODE,
  },
  {
    name: '$where of distinct',
    request: on('distinct', { field: 'n', filter: { $where: '1' } }),
    because: CODE,
  },
  {
    name: '$function in a projection',
    request: on('find', { options: { projection: { a: { $function: code } } } }),
    because: CODE,
  },
  {
    name: '$where as $code',
    request: on('find', { filter: { $where: { $code: 'sleep(1)' } } }),
    because: CODE,
  },
  { name: 'insert_one', request: on('insert_one', { document: {} }), because: TYPE },
  {
    name: 'find_one_and_delete',
    request: on('find_one_and_delete', { filter: {} }),
    because: TYPE,
  },
  {
    name: 'bulk_write',
    request: on('bulk_write', { operations: [{ delete_many: { filter: {} } }] }),
    because: TYPE,
  },
  { name: 'drop by its dotted name', request: on('database.collection.drop', {}), because: TYPE },
  {
    name: 'create_collection',
    request: { type: 'create_collection', name: 'stolen' },
    because: TYPE,
  },
  {
    name: 'insert as a command',
    request: command({ insert: 'victims', documents: [{ _id: 9 }] }),
    because: COMMAND,
  },
  {
    name: 'delete as a command in capitals',
    request: command({ DELETE: 'victims', deletes: [{ q: {}, limit: 0 }] }),
    because: COMMAND,
  },
  {
    name: 'findAndModify',
    request: command({ findAndModify: 'victims', query: {}, remove: true }),
    because: COMMAND,
  },
  {
    name: 'mapReduce',
    request: command({ mapReduce: 'victims', map: 'x', reduce: 'y', out: 'stolen' }),
    because: COMMAND,
  },
  {
    name: 'aggregate as a command with $out',
    request: command({ aggregate: 'victims', pipeline: [out], cursor: {} }),
    because: STAGE,
  },
  {
    name: 'explain of an update',
    request: command({
      explain: { update: 'victims', updates: [{ q: {}, u: { $set: { n: 0 } } }] },
      verbosity: 'executionStats',
    }),
    because: 'explain takes commands that only read',
  },
  {
    name: 'explain within explain',
    request: command({ explain: { explain: { delete: 'victims' } } }),
    because: 'explain takes no other explain',
  },
  { name: 'dropDatabase', request: command({ dropDatabase: 1 }), because: COMMAND },
  {
    name: 'a find whose second member deletes',
    request: command({ delete: 'victims', find: 'victims', deletes: [{ q: {}, limit: 0 }] }),
    because: 'the first member is the command',
  },
  {
    name: 'members of the session',
    request: command({ find: 'victims', autocommit: false, txnNumber: 1 }),
    because: "the session's members are the gateway's own",
  },
  {
    name: "the cluster's clock",
    request: command({ find: 'victims', $clusterTime: { clusterTime: 1 } }),
    because: "the session's members are the gateway's own",
  },
  {
    name: 'a member of servers among themselves',
    request: command({ explain: { find: 'victims', $audit: {} } }),
    because: "the session's members are the gateway's own",
  },
  {
    name: 'counts that begin again',
    request: {
      type: 'database.aggregate',
      database: 'admin',
      pipeline: [{ $operationMetrics: { clearMetrics: true } }],
    },
    because: STAGE,
  },
  {
    name: 'features that begin ids again',
    request: command({ features: 1, oidReset: 1 }),
    because: 'the argument changes the server',
  },
  {
    name: 'a raw command',
    request: { type: 'raw_command_read_only', command: '{"drop": "victims"}' },
    because: COMMAND,
  },
  {
    name: 'a raw command with an escaped name',
    request: { type: 'raw_command_read_only', command: '{"\\u0064rop": "victims"}' },
    because: COMMAND,
  },
  {
    name: 'a cursor command',
    request: {
      type: 'run_cursor_command',
      command: { aggregate: 'victims', pipeline: [merge], cursor: {} },
    },
    because: STAGE,
  },
  {
    name: 'validate that repairs',
    request: command({ validate: 'victims', repair: true }),
    because: 'the argument repairs',
  },
  {
    name: 'an internal stage',
    request: aggregate({ $_internalApplyOplogUpdate: { oplogUpdate: {} } }),
    because: "the server's own stages are refused",
  },
  { name: 'start_transaction', request: { type: 'start_transaction' }, because: TYPE },
  {
    name: 'getMore of another cursor',
    request: command({ getMore: 1, collection: 'victims' }),
    because: COMMAND,
  },
  {
    name: 'eval',
    request: command({ $eval: 'function() { db.victims.drop() }' }),
    because: COMMAND,
  },
];
