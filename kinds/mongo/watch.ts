/** Requests that follow what changes, as a change stream. Source: MongoDB change streams specification. */
import type { JsonObject } from '../../proto/json.ts';
import type { Level, Operation } from './operations.ts';

const OPTIONS = [
  ...['fullDocument', 'fullDocumentBeforeChange', 'batchSize', 'collation', 'comment'],
  ...['readConcern', 'readPreference', 'selectionCriteria', 'resumeAfter', 'startAfter'],
  ...['startAtOperationTime', 'showExpandedEvents'],
];

function on(level: Level, says: string): Operation {
  return { level, mode: 'read', says, members: ['pipeline?'], options: OPTIONS };
}

/** By their names in requests. */
export const WATCH_OPERATIONS = {
  watch: on('collection', 'What changes in a collection, as events'),
  'database.watch': on('database', 'What changes in a database, as events'),
  'client.watch': on('client', 'What changes in all databases, as events'),
} satisfies Record<string, Operation>;

/** Names of requests that follow changes. */
export type WatchName = keyof typeof WATCH_OPERATIONS;

/** Whether requests of a type follow changes. */
export function isWatch(type: string): type is WatchName {
  return Object.hasOwn(WATCH_OPERATIONS, type);
}

/** One of each. */
export const WATCH_EXAMPLES: Readonly<Record<WatchName, JsonObject>> = {
  watch: {
    type: 'watch',
    database: 'shop',
    collection: 'orders',
    pipeline: [{ $match: { operationType: 'insert' } }],
  },
  'database.watch': { type: 'database.watch', database: 'shop' },
  'client.watch': { type: 'client.watch', options: { fullDocument: 'updateLookup' } },
};
