/** Opens one change stream over all collections that an endpoint watches. Source: MongoDB manual, "Change Streams". */
import type { ChangeStream, Document } from 'mongodb';
import type { ChangesRequest } from '../../../../proto/changes.ts';
import type { Execution } from '../database.ts';

/** Milliseconds that the server waits for something to happen before it says that nothing did. */
const AWAIT_MS = 1_000;

/** The first versions that split what is larger than a document may be. */
const SPLITS: readonly (readonly number[])[] = [
  [6, 0, 9],
  [7, 0, 0],
];

/**
 * A stream that has not been asked yet.
 * @param after a resume token
 * @throws what the driver throws
 */
export async function openChanges(
  execution: Execution,
  { collections }: ChangesRequest,
  after: Document | undefined,
): Promise<ChangeStream> {
  const { client, session, settings } = execution;
  const names = [...new Set(collections.map(({ name }) => name))];
  const [splits, keeps] = await Promise.all([maySplit(execution), keepImages(execution, names)]);
  const pipeline = [
    { $match: { $or: [{ 'ns.coll': { $in: names } }, { operationType: 'invalidate' }] } },
    ...(splits ? [{ $changeStreamSplitLargeEvent: {} }] : []),
  ];
  return client.db(settings.database).watch(pipeline, {
    session,
    // What was at the time of the change, where each collection keeps that; else what is when it is told.
    fullDocument: keeps ? 'whenAvailable' : 'updateLookup',
    fullDocumentBeforeChange: 'whenAvailable',
    maxAwaitTimeMS: AWAIT_MS,
    ...(after === undefined ? {} : { startAfter: after }),
  });
}

async function maySplit({ client, session }: Execution): Promise<boolean> {
  const { versionArray } = await client.db('admin').command({ buildInfo: 1 }, { session });
  const version: number[] = Array.isArray(versionArray) ? versionArray.map(Number) : [];
  const [first, next] = SPLITS;
  return version[0] === 6 ? isFrom(version, first) : isFrom(version, next);
}

function isFrom(version: readonly number[], least: readonly number[] = []): boolean {
  for (const [at, part] of least.entries()) {
    if (version[at] !== part) return (version[at] ?? 0) > part;
  }
  return true;
}

/** Whether each of the collections keeps images of before and after changes. */
async function keepImages(
  { client, session, settings }: Execution,
  names: readonly string[],
): Promise<boolean> {
  const found: Document[] = await client
    .db(settings.database)
    .listCollections({ name: { $in: [...names] } }, { session, nameOnly: false })
    .toArray();
  const keeping = found.filter(
    ({ options }) => options?.changeStreamPreAndPostImages?.enabled === true,
  );
  return keeping.length === names.length;
}
