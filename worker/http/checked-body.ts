/** Reads and checks a large body in pieces, at the edge or in the process that works on such bodies. */
import type * as z from 'zod';
import type { Pieces } from '../../proto/work/pieces.ts';
import { parse } from '../shapes/parse.ts';
import { parseBodyAsWrittenInPieces, parseBodyInPieces } from './body.ts';

/** How an operation takes its body: worker/route.ts. */
export interface BodyShape {
  readonly asWritten?: true;
  readonly body: z.ZodType;
}

/**
 * The body as its operation takes it.
 * @throws GatewayError BAD_REQUEST
 */
export function* checkedInPieces(
  { asWritten, body: schema }: BodyShape,
  bytes: Uint8Array,
): Pieces<unknown> {
  const read = asWritten ? parseBodyAsWrittenInPieces : parseBodyInPieces;
  const body = yield* read(bytes);
  yield;
  return parse(schema, body, 'body');
}
