/** Reads and checks a large body in pieces, at the edge or in the process that works on such bodies. */
import type * as z from 'zod';
import type { Pieces } from '../../proto/work/pieces.ts';
import { parse } from '../shapes/parse.ts';
import { parseBodyAsWrittenInPieces, parseBodyInPieces } from './body.ts';

/** How an operation takes its body: worker/route.ts. */
export interface BodyShape {
  readonly asWritten?: true;
  readonly body: z.ZodType;
  weigh?(bytes: Uint8Array): Pieces<void>;
}

/**
 * The body as its operation takes it.
 * @throws GatewayError BAD_REQUEST, and what `weigh` throws
 */
export function* checkedInPieces(
  { asWritten, body: schema, weigh }: BodyShape,
  bytes: Uint8Array,
): Pieces<unknown> {
  if (weigh) yield* weigh(bytes);
  const read = asWritten ? parseBodyAsWrittenInPieces : parseBodyInPieces;
  const body = yield* read(bytes);
  yield;
  return parse(schema, body, 'body');
}
