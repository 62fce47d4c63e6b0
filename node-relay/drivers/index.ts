/** Drivers of the kinds that this relay serves: a new kind is a row here. */
import { cassandra } from './cassandra/index.ts';
import { clickhouse } from './clickhouse/index.ts';
import type { Driver } from './driver.ts';
import { http } from './http/index.ts';
import { mongo } from './mongo/index.ts';
import { mysql } from './mysql/index.ts';
import { pinecone } from './pinecone/index.ts';
import { postgres } from './postgres/index.ts';
import { redis } from './redis/index.ts';

export const drivers = {
  mysql,
  postgres,
  clickhouse,
  mongo,
  cassandra,
  pinecone,
  http,
  redis,
} satisfies Record<string, Driver>;
