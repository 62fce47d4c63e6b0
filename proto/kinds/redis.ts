/** Endpoint kind `redis`: its configuration, its requests and which of them write. */
import type { JsonObject } from '../json.ts';
import type { KindSpec } from './kind.ts';
import type { RedisRequest as Request } from './redis/command.ts';
import { RedisConfig } from './redis/config.ts';
import { modeOf, needs } from './redis/effects.ts';
import { RedisRequest } from './redis/request.ts';
import { shapes } from './redis/shapes.ts';
import { TYPES, WATCHES } from './redis/types.ts';

export type { RedisConfig, Request as RedisRequest };

export const redis: KindSpec<Request, RedisConfig> = {
  label: 'Redis',
  aliases: ['valkey'],
  config: RedisConfig,
  request: RedisRequest,
  shapes,
  types: TYPES,
  takesAnyType: true,
  impliedType: ({ pipeline }: JsonObject) => (pipeline === undefined ? undefined : 'pipeline'),
  modeOf,
  needs,
  watches: WATCHES,
  watchesInSessions: ['subscribe', 'psubscribe', 'ssubscribe'],
  notCallable: [],
  refusesResults: true,
};
