/** What carries out requests of one type. */
import type { AbstractCursor } from 'mongodb';
import type { MongoRequest } from '../../../../kinds/mongo/index.ts';
import type { Scene } from '../database.ts';

/** Answers the reply's JSON text, or a cursor whose documents are the reply. */
export type Handler = (
  scene: Scene,
  request: MongoRequest,
) => Promise<string | AbstractCursor<unknown>>;
