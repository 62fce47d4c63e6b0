/** What each kind's requests and results look like to a client: for the API's description; the relay never loads it. */
import { shapes as cassandra } from './cassandra/describe/shapes.ts';
import { shapes as clickhouse } from './clickhouse/describe/shapes.ts';
import { shapes as http } from './http/describe/shapes.ts';
import type { Kind } from './index.ts';
import type { KindShapes } from './kind.ts';
import { shapes as mongo } from './mongo/describe/shapes.ts';
import { shapes as mysql } from './mysql/describe/shapes.ts';
import { shapes as pinecone } from './pinecone/describe/shapes.ts';
import { shapes as postgres } from './postgres/describe/shapes.ts';
import { shapes as redis } from './redis/describe/shapes.ts';

/** The shapes of every kind. */
export const KIND_SHAPES: Readonly<Record<Kind, KindShapes>> = {
  postgres,
  mysql,
  mongo,
  clickhouse,
  cassandra,
  pinecone,
  http,
  redis,
};
