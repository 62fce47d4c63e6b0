/** Finds what a deployment lacks to tell its changes, and where they begin. Source: MongoDB manual, "Change Streams". */
import { type Document, MongoServerError } from 'mongodb';
import type { ChangesRequest, PreparedChanges } from '../../../../proto/changes.ts';
import type { ErrorDetails } from '../../../../proto/errors.ts';
import { lacking, serverLacks } from '../../change-batch.ts';
import type { Execution } from '../database.ts';
import { resumeTokenText } from '../resume-token.ts';
import { markOf } from './mark.ts';
import { openChanges } from './open.ts';

/** `$changeStream` outside of a replica set. */
const NO_REPLICA_SET = 40_573;
const UNAUTHORIZED = 13;

/**
 * Checks server, role and collections.
 * @throws GatewayError BAD_REQUEST with each thing that is lacking
 */
export async function prepare(
  execution: Execution,
  request: ChangesRequest,
): Promise<PreparedChanges> {
  const { client, session, settings } = execution;
  if (settings.database === '') {
    throw serverLacks('The configuration names no database');
  }
  const hello = await client.db('admin').command({ hello: 1 }, { session });
  if (hello.setName === undefined && hello.msg !== 'isdbgrid') {
    throw serverLacks(ALONE);
  }
  const faults = await collectionFaults(execution, request);
  if (faults.length > 0) throw lacking(faults);
  const stream = await openChanges(execution, request, undefined);
  try {
    await stream.tryNext();
    const position = resumeTokenText(stream.resumeToken) ?? '';
    const { operationTime } = await client.db('admin').command({ ping: 1 }, { session });
    return { position, mark: markOf(operationTime) };
  } catch (error) {
    const message = error instanceof MongoServerError ? wordsFor(error) : undefined;
    throw message === undefined ? error : serverLacks(message);
  } finally {
    void stream.close().catch(() => {});
  }
}

const ALONE =
  'The server is not a member of a replica set, and only those tell changes: set replication.replSetName, restart it and run rs.initiate()';

async function collectionFaults(
  { client, session, settings }: Execution,
  { collections }: ChangesRequest,
): Promise<ErrorDetails[]> {
  const found: Document[] = await client
    .db(settings.database)
    .listCollections({}, { session, nameOnly: true, authorizedCollections: true })
    .toArray();
  const types = new Map(found.map(({ name, type }) => [String(name), String(type)]));
  return collections.flatMap(({ name }, at) => {
    const message = faultOf(name, types.get(name) ?? 'collection');
    return message === undefined ? [] : [{ path: `collections[${at}]`, message }];
  });
}

function faultOf(name: string, type: string): string | undefined {
  if (name.startsWith('system.') || name.includes('$') || name.includes('\0')) {
    return `${name} is not a collection whose changes are told`;
  }
  // One that is not there yet is made by its first document.
  if (type === 'collection') return undefined;
  return `${name} is a ${type}: only collections tell changes`;
}

function wordsFor({ code, message }: MongoServerError): string | undefined {
  if (code === NO_REPLICA_SET || /only supported on replica sets/.test(message)) return ALONE;
  if (code === UNAUTHORIZED) {
    return 'The user of write_conn may not read changes: db.grantRolesToUser(user, ["read"]) on the database gives changeStream and find';
  }
  return undefined;
}
