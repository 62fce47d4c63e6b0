/** The JSON utilities as work on a body. Here it is done in pieces; on large bodies by a process of its own, where there is one: docs/heavy-work.md. */
import type * as z from 'zod';
import type { UtilityName } from '../../proto/body-work.ts';
import type { Json } from '../../proto/json.ts';
import type { Pieces } from '../../proto/work/pieces.ts';
import { flattened } from './flatten.ts';
import type { ResultLimits } from './limits.ts';
import { mapped } from './map.ts';
import { parsed } from './parse.ts';
import { reduce } from './reduce.ts';
import { Flat, FlattenBody, MapBody, ParseBody, ReduceBody } from './schema.ts';
import { unflatten } from './unflatten.ts';

/** One of them: which bodies it takes, and what it makes of one. */
interface Utility {
  readonly body: z.ZodType;
  /** The result, as a value or written. @param body as the schema made it @throws GatewayError BAD_REQUEST, RESULT_TOO_LARGE */
  work(body: unknown, limits: ResultLimits): Pieces<Json | Uint8Array>;
}

export const utilities: Readonly<Record<UtilityName, Utility>> = {
  flatten: utility(FlattenBody, flattened),
  unflatten: utility(Flat, unflatten),
  map: utility(MapBody, mapped),
  parse: utility(ParseBody, parsed),
  reduce: utility(ReduceBody, reduce),
};

function utility<Body>(
  body: z.ZodType<Body>,
  work: (body: Body, limits: ResultLimits) => Pieces<Json | Uint8Array>,
): Utility {
  return { body, work: (checked, limits) => work(checked as Body, limits) }; // By that schema.
}
