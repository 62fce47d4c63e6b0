/** What carries out requests of one type. */
import type { AbstractCursor } from 'mongodb';
import type { MongoRequest } from '../../../../kinds/mongo/index.ts';
import type { Execution } from '../database.ts';

/** Answers the reply's JSON text, or a cursor whose documents are the reply. */
export type Handler = (
  execution: Execution,
  request: MongoRequest,
) => Promise<string | AbstractCursor<unknown>>;
