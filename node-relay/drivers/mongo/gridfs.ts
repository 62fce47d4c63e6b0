/** Requests on GridFS, by the driver's own. Source: backends.md §3.2; MongoDB GridFS specification. */
import { GridFSBucket, MongoError, ObjectId } from 'mongodb';
import type { GridfsName } from '../../../kinds/mongo/gridfs.ts';
import type { MongoRequest } from '../../../kinds/mongo/index.ts';
import { badRequest, GatewayError, refusedByBackend } from '../../../proto/errors.ts';
import { databaseOf, documentIn } from './arguments.ts';
import type { Execution } from './database.ts';
import { inSession } from './gridfs-collections.ts';
import { readers } from './operations/find.ts';
import type { Handler } from './operations/handler.ts';
import { memberText } from './result.ts';
import { toBson } from './to-bson.ts';

/** Bytes of a piece where the request names none: what the driver has. */
const CHUNK_BYTES = 255 * 1024;
const DEFAULT_BUCKET = 'fs';
const NOTHING = '{"value":null}';

/** The request as one on the collection that describes the files. */
function ofFiles(request: MongoRequest): MongoRequest {
  return { ...request, collection: `${request.bucket_name ?? DEFAULT_BUCKET}.files` };
}

/** By their names. */
export const gridfs: Readonly<Record<GridfsName, Handler>> = {
  'database.gridfs_bucket.upload': upload,
  'database.gridfs_bucket.download': download,
  'database.gridfs_bucket.find': (execution, request) => readers.find(execution, ofFiles(request)),
  'database.gridfs_bucket.find_one': (execution, request) =>
    readers.find_one(execution, ofFiles(request)),
  'database.gridfs_bucket.rename': async (execution, request) => {
    const bucket = bucketOf(execution, request);
    await found(bucket.rename(idIn(execution, request), request.new_filename ?? ''));
    return NOTHING;
  },
  'database.gridfs_bucket.delete': async (execution, request) => {
    await found(bucketOf(execution, request).delete(idIn(execution, request)));
    return NOTHING;
  },
  'database.gridfs_bucket.drop': async (execution, request) => {
    await bucketOf(execution, request).drop();
    return NOTHING;
  },
};

/** @throws GatewayError BAD_REQUEST in a transaction, which GridFS takes no part in. Source: GridFS specification, "Transactions" */
function bucketOf(execution: Execution, request: MongoRequest): GridFSBucket {
  if (execution.session.inTransaction()) {
    const message = 'Files of GridFS take no part in transactions';
    throw badRequest('type', message, message);
  }
  const database = inSession(databaseOf(execution, request), execution);
  return new GridFSBucket(database, { bucketName: request.bucket_name ?? DEFAULT_BUCKET });
}

/** The file's `_id`; the driver's types know ObjectIds alone, its code any value. */
function idIn(execution: Execution, { id }: MongoRequest): ObjectId {
  if (id === undefined || id === null || id === false || id === '') {
    throw badRequest('id', 'must be the _id of a file, and not empty');
  }
  return toBson(id, 'id', execution.substitute) as ObjectId;
}

async function upload(execution: Execution, request: MongoRequest): Promise<string> {
  const bucket = bucketOf(execution, request);
  const { content = '', chunk_size_bytes: chunkSizeBytes = CHUNK_BYTES } = request;
  const id = request.id === undefined ? new ObjectId() : idIn(execution, request);
  const stream = bucket.openUploadStreamWithId(id, request.filename ?? '', {
    chunkSizeBytes,
    ...(request.metadata ? { metadata: documentIn(execution, request.metadata, 'metadata') } : {}),
  });
  const bytes =
    typeof content === 'string' ? Buffer.from(content) : Buffer.from(content.$bytes, 'base64');
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  stream.once('error', failed.reject);
  try {
    // One piece at a time: given all, the driver would send all at once, each on a connection.
    for (let at = 0; at < bytes.length; at += chunkSizeBytes) {
      execution.call.signal.throwIfAborted();
      const piece = bytes.subarray(at, at + chunkSizeBytes);
      await Promise.race([written((done) => stream.write(piece, done)), failed.promise]);
    }
    await Promise.race([written((done) => stream.end(done)), failed.promise]);
  } catch (cause) {
    // Pieces under an id of the caller's may be another file's.
    if (request.id === undefined && !execution.call.signal.aborted)
      await stream.abort().catch(() => {});
    throw cause;
  }
  return memberText('inserted_id', id, execution);
}

function written(write: (done: (failure?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    write((failure) => (failure ? reject(failure) : resolve()));
  });
}

async function download(execution: Execution, request: MongoRequest): Promise<string> {
  const { id, filename, revision, end } = request;
  const start = request.start ?? (end === undefined ? undefined : 0);
  if ((id === undefined) === (filename === undefined)) {
    throw badRequest('id', 'is given, or else filename');
  }
  if (revision !== undefined && filename === undefined) {
    throw badRequest('revision', 'goes with filename');
  }
  const part = { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) };
  const bucket = bucketOf(execution, request);
  // Pieces come many at a time; the last and first of them may be needed in part.
  execution.takeLarge();
  const stream =
    filename === undefined
      ? bucket.openDownloadStream(idIn(execution, request), part)
      : bucket.openDownloadStreamByName(filename, {
          ...part,
          ...(revision === undefined ? {} : { revision }),
        });
  const max = request.encoding === 'text' ? execution.call.resultMaxBytes : base64Room(execution);
  return encodedBytes(await found(within(stream, max)), request);
}

/** Bytes whose base64 is no larger than a result may be. */
function base64Room({ call }: Execution): number {
  return Math.floor((call.resultMaxBytes / 4) * 3);
}

/** @throws GatewayError RESULT_TOO_LARGE as soon as it is known */
async function within(stream: AsyncIterable<Uint8Array>, max: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of stream) {
    length += piece.byteLength;
    if (length > max) {
      throw new GatewayError(
        'RESULT_TOO_LARGE',
        `The file is larger than a result may be; read it in parts with start and end`,
      );
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function encodedBytes(bytes: Buffer, { encoding = 'bytes' }: MongoRequest): string {
  if (encoding === 'bytes') return `{"value":{"$bytes":"${bytes.toString('base64')}"}}`;
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return `{"value":${JSON.stringify(decoder.decode(bytes))}}`;
  } catch {
    throw badRequest('encoding', 'is text, and the file is not UTF-8');
  }
}

/** The driver has no code of its own for a file that is not there. */
async function found<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (cause) {
    const isMissing =
      cause instanceof MongoError &&
      /^FileNotFound|^File not found|^File with (?:id|filename) .* not found/s.test(cause.message);
    if (!isMissing) throw cause;
    const message = 'No file of the bucket has this id, name or revision';
    const detail = { source: 'mongo', code: 'FileNotFound', message };
    throw refusedByBackend('REQUEST_FAILED', detail, { cause });
  }
}
