/** Requests on GridFS, which keeps files in two collections of a database. Source: backends.md §3.2; MongoDB GridFS specification. */
import * as z from 'zod';
import { isPaddedBase64 } from '../../proto/base64.ts';
import type { JsonObject } from '../../proto/json.ts';
import { JsonValue } from '../members.ts';
import type { Operation } from './operations.ts';
import { carried } from './texts.ts';

/** Largest piece of a file in bytes: with its envelope it is a document, and the server takes 16 MiB of one. */
const CHUNK_MAX_BYTES = 15 * 1024 * 1024;

function onBucket(
  mode: Operation['mode'],
  says: string,
  members: string,
  options: readonly string[],
  name: string,
): Operation {
  return {
    level: 'database',
    mode,
    says,
    members: `bucket_name? ${members}`.trim().split(' '),
    options,
    others: [`gridfs_bucket.${name}`, `gridfs.${name}`],
  };
}

/** Those of GridFS, by their names in requests; files are found as documents are. */
export function gridfsOperations(find: readonly string[]) {
  return {
    'database.gridfs_bucket.upload': onBucket(
      'write',
      'Keeps a file',
      'filename content metadata? chunk_size_bytes? id?',
      [],
      'upload',
    ),
    'database.gridfs_bucket.download': onBucket(
      'read',
      'A file, or a part of it',
      'id? filename? revision? start? end? encoding?',
      [],
      'download',
    ),
    'database.gridfs_bucket.find': onBucket(
      'read',
      'What is known of the files that a filter finds',
      'filter?',
      find,
      'find',
    ),
    'database.gridfs_bucket.find_one': onBucket(
      'read',
      'What is known of the first file that a filter finds',
      'filter?',
      find,
      'find_one',
    ),
    'database.gridfs_bucket.rename': onBucket(
      'write',
      'Gives a file another name',
      'id new_filename',
      [],
      'rename',
    ),
    'database.gridfs_bucket.delete': onBucket('write', 'Removes a file', 'id', [], 'delete'),
    'database.gridfs_bucket.drop': onBucket(
      'write',
      'Removes a bucket with its files',
      '',
      [],
      'drop',
    ),
  } satisfies Record<string, Operation>;
}

/** Names of requests on GridFS. */
export type GridfsName = keyof ReturnType<typeof gridfsOperations>;

const fileName = carried(z.string().max(1_000));
const offset = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

/** Their members besides `filter`. Contract §13: `content`. */
export const GRIDFS_MEMBERS = {
  bucket_name: carried(z.string().min(1).max(200))
    .refine((each) => !/[\0$]/.test(each), 'is no name of a bucket')
    .meta({ description: 'Name of the bucket; left out, `fs`', examples: ['invoices'] }),
  filename: fileName.meta({
    description: 'Name of the file; several may have the same',
    examples: ['2026-01.txt'],
  }),
  new_filename: fileName.meta({ description: "The file's name from now on", examples: ['a.txt'] }),
  content: z
    .union([
      carried(z.string()),
      z.strictObject({
        $bytes: z
          .string()
          .refine(isPaddedBase64, 'must be base64 with its padding')
          .meta({ description: 'Base64 of the bytes', examples: ['UGFpZC4='] }),
      }),
    ])
    .meta({ description: 'Text, or bytes as `{"$bytes": base64}`', examples: ['Paid.'] }),
  metadata: z
    .custom<JsonObject>(
      (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
      'must be an object',
    )
    .meta({
      description: 'A document to keep with the file, in Extended JSON',
      examples: [{ customer: 7 }],
    }),
  chunk_size_bytes: z
    .int()
    .min(1)
    .max(CHUNK_MAX_BYTES)
    .meta({
      description: 'Bytes of each piece but the last; 261120 when left out',
      examples: [261_120],
    }),
  id: JsonValue.meta({
    description: "The file's `_id`, in Extended JSON; an upload without one makes one",
    examples: [{ $oid: '65a1b2c3d4e5f60718293a4b' }],
  }),
  revision: z
    .int()
    .min(-1_000_000)
    .max(1_000_000)
    .meta({
      description:
        'Which of the files of that name, by the time of upload: 0 is the first, 1 the next, -1 the last, which is meant when left out',
      examples: [-1],
    }),
  start: offset.meta({ description: 'The first byte, from 0', examples: [0] }),
  end: offset.meta({ description: 'The byte after the last', examples: [1024] }),
  encoding: z.enum(['bytes', 'text']).meta({
    description: 'The form of the answer: `{"$bytes": base64}` when left out, or text in UTF-8',
    examples: ['text'],
  }),
};

/** What requests on GridFS have besides the others. */
export interface GridfsMembers {
  readonly bucket_name?: string;
  readonly filename?: string;
  readonly new_filename?: string;
  readonly content?: string | { readonly $bytes: string };
  readonly metadata?: JsonObject;
  readonly chunk_size_bytes?: number;
  readonly id?: z.infer<typeof JsonValue>;
  readonly revision?: number;
  readonly start?: number;
  readonly end?: number;
  readonly encoding?: 'bytes' | 'text';
}

/** One of each. */
export const GRIDFS_EXAMPLES: Readonly<Record<GridfsName, JsonObject>> = {
  'database.gridfs_bucket.upload': {
    type: 'database.gridfs_bucket.upload',
    database: 'shop',
    filename: '2026-01.txt',
    content: 'Paid.',
    metadata: { customer: 7 },
  },
  'database.gridfs_bucket.download': {
    type: 'database.gridfs_bucket.download',
    database: 'shop',
    filename: '2026-01.txt',
    encoding: 'text',
  },
  'database.gridfs_bucket.find': {
    type: 'database.gridfs_bucket.find',
    database: 'shop',
    filter: { 'metadata.customer': 7 },
  },
  'database.gridfs_bucket.find_one': {
    type: 'database.gridfs_bucket.find_one',
    database: 'shop',
    filter: { filename: '2026-01.txt' },
  },
  'database.gridfs_bucket.rename': {
    type: 'database.gridfs_bucket.rename',
    database: 'shop',
    id: { $oid: '65a1b2c3d4e5f60718293a4b' },
    new_filename: '2026-01-paid.txt',
  },
  'database.gridfs_bucket.delete': {
    type: 'database.gridfs_bucket.delete',
    database: 'shop',
    id: { $oid: '65a1b2c3d4e5f60718293a4b' },
  },
  'database.gridfs_bucket.drop': { type: 'database.gridfs_bucket.drop', database: 'shop' },
};
