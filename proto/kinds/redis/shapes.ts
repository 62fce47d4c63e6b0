/** What clients of a Redis endpoint send and get, for the API's description. */
import * as z from 'zod';
import type { KindShapes } from '../kind.ts';
import { JsonValue, kindMember, patchOf, TimeoutMs } from '../members.ts';
import { RedisConfig } from './config.ts';
import { TYPES } from './types.ts';

const Command = z.looseObject({
  type: z.enum(Object.keys(TYPES) as [string, ...string[]]),
  args: z.array(JsonValue).optional(),
  kind: kindMember('Redis'),
  timeout_ms: TimeoutMs,
});

export const shapes: KindShapes = {
  configPatch: patchOf(RedisConfig).meta({ id: 'RedisConfigPatch' }),
  body: Command,
  result: z.object({ result: JsonValue }),
};
