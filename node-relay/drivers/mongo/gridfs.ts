/** Requests on GridFS, by the driver's own. Source: backends.md §3.2; MongoDB GridFS specification. */
import { GridFSBucket, MongoError, ObjectId } from 'mongodb';
import type { GridfsName } from '../../../kinds/mongo/gridfs.ts';
import type { MongoRequest } from '../../../kinds/mongo/index.ts';
import { badRequest, GatewayError, refusedByBackend } from '../../../proto/errors.ts';
import { databaseOf, documentIn } from './arguments.ts';
import type { Scene } from './database.ts';
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
  'database.gridfs_bucket.find': (scene, request) => readers.find(scene, ofFiles(request)),
  'database.gridfs_bucket.find_one': (scene, request) => readers.find_one(scene, ofFiles(request)),
  'database.gridfs_bucket.rename': async (scene, request) => {
    const bucket = bucketOf(scene, request);
    await found(bucket.rename(idIn(scene, request), request.new_filename ?? ''));
    return NOTHING;
  },
  'database.gridfs_bucket.delete': async (scene, request) => {
    await found(bucketOf(scene, request).delete(idIn(scene, request)));
    return NOTHING;
  },
  'database.gridfs_bucket.drop': async (scene, request) => {
    await bucketOf(scene, request).drop();
    return NOTHING;
  },
};

/** @throws GatewayError BAD_REQUEST in a transaction, which GridFS takes no part in. Source: GridFS specification, "Transactions" */
function bucketOf(scene: Scene, request: MongoRequest): GridFSBucket {
  if (scene.session.inTransaction()) {
    const message = 'Files of GridFS take no part in transactions';
    throw badRequest('type', message, message);
  }
  const database = inSession(databaseOf(scene, request), scene);
  return new GridFSBucket(database, { bucketName: request.bucket_name ?? DEFAULT_BUCKET });
}

/** The file's `_id`; the driver's types know ObjectIds alone, its code any value. */
function idIn(scene: Scene, { id }: MongoRequest): ObjectId {
  if (id === undefined || id === null || id === false || id === '') {
    throw badRequest('id', 'is the _id of a file and not empty');
  }
  return toBson(id, 'id', scene.substitute) as ObjectId;
}

async function upload(scene: Scene, request: MongoRequest): Promise<string> {
  const bucket = bucketOf(scene, request);
  const { content = '', chunk_size_bytes: chunkSizeBytes = CHUNK_BYTES } = request;
  const id = request.id === undefined ? new ObjectId() : idIn(scene, request);
  const stream = bucket.openUploadStreamWithId(id, request.filename ?? '', {
    chunkSizeBytes,
    ...(request.metadata ? { metadata: documentIn(scene, request.metadata, 'metadata') } : {}),
  });
  const bytes =
    typeof content === 'string' ? Buffer.from(content) : Buffer.from(content.$bytes, 'base64');
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  stream.once('error', failed.reject);
  try {
    // One piece at a time: given all, the driver would send all at once, each on a connection.
    for (let at = 0; at < bytes.length; at += chunkSizeBytes) {
      scene.call.signal.throwIfAborted();
      const piece = bytes.subarray(at, at + chunkSizeBytes);
      await Promise.race([written((done) => stream.write(piece, done)), failed.promise]);
    }
    await Promise.race([written((done) => stream.end(done)), failed.promise]);
  } catch (cause) {
    // Pieces under an id of the caller's may be another file's.
    if (request.id === undefined && !scene.call.signal.aborted)
      await stream.abort().catch(() => {});
    throw cause;
  }
  return memberText('inserted_id', id, scene);
}

function written(write: (done: (failure?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    write((failure) => (failure ? reject(failure) : resolve()));
  });
}

async function download(scene: Scene, request: MongoRequest): Promise<string> {
  const { id, filename, revision, end } = request;
  const start = request.start ?? (end === undefined ? undefined : 0);
  if ((id === undefined) === (filename === undefined)) {
    throw badRequest('id', 'is given, or else filename');
  }
  if (revision !== undefined && filename === undefined) {
    throw badRequest('revision', 'goes with filename');
  }
  const part = { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) };
  const bucket = bucketOf(scene, request);
  // Pieces come many at a time, of which the last and first may be needed in part.
  scene.takeLarge();
  const stream =
    filename === undefined
      ? bucket.openDownloadStream(idIn(scene, request), part)
      : bucket.openDownloadStreamByName(filename, {
          ...part,
          ...(revision === undefined ? {} : { revision }),
        });
  const max = request.encoding === 'text' ? scene.call.resultMaxBytes : base64Room(scene);
  return textOf(await found(within(stream, max)), request);
}

/** Bytes whose base64 is no larger than a result may be. */
function base64Room({ call }: Scene): number {
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

function textOf(bytes: Buffer, { encoding = 'bytes' }: MongoRequest): string {
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
