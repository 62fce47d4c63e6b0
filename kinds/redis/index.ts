/** Endpoint kind `redis`: its configuration, its requests and which of them write. */
import type { JsonObject } from '../../proto/json.ts';
import type { KindSpec } from '../kind.ts';
import type { RedisRequest as Request } from './command.ts';
import { RedisConfig } from './config.ts';
import { modeOf, needs } from './effects.ts';
import { RedisRequest } from './request.ts';
import { TYPES, WATCHES } from './types.ts';

export type { RedisConfig, Request as RedisRequest };

export const redis: KindSpec<Request, RedisConfig> = {
  label: 'Redis',
  aliases: ['valkey'],
  config: RedisConfig,
  request: RedisRequest,
  hasTransactions: true,
  limitsNames: true,
  oncePlace: 'prefix',
  passes: 'all',
  travelsParsed: true,
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
