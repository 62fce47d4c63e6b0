/** Drivers of the kinds that the edge reaches by itself: a row for each. */
import type { Kind } from '../../../kinds/index.ts';
import type { EdgeDriver } from './driver.ts';
import { http } from './http/index.ts';
import { neon } from './neon/index.ts';
import { pinecone } from './pinecone/index.ts';
import { planetscale } from './planetscale/index.ts';
import { upstash } from './upstash/index.ts';

const drivers: Partial<Record<Kind, EdgeDriver>> = {
  http,
  pinecone,
  mysql: planetscale,
  postgres: neon,
  redis: upstash,
};

/** The driver of a kind that has one. */
export function edgeDriver(kind: Kind): EdgeDriver | undefined {
  return drivers[kind];
}
