/** The one reader for JSON that comes from backends: in pieces where there is much of it, and no deeper than bodies of clients may be. */
import type { Json } from '../../proto/json.ts';
import { parseInPieces, TooDeep } from '../../proto/json-pieces.ts';
import { type Pieces, whole } from '../../proto/work/pieces.ts';
import { parseAsWrittenInPieces } from '../../proto/written-json.ts';
import { goingOn, type Owner } from '../limits/heavy-work.ts';
import { noReply } from './no-reply.ts';

/** Characters up to which a text is read at once. */
const LIGHT = 16 * 1024;

/**
 * What a text says, with numbers and members as they were written.
 * @param written whether the call that it answers may have taken effect
 * @throws GatewayError as `noReply` has it, for what is no JSON or nests deeper than `DEPTH_MAX`
 */
export async function readJson(of: Owner, text: string, written: boolean): Promise<Json> {
  return inTurn(of, text.length, jsonInPieces(text, written));
}

/** Does work on so many characters of a reply: on many of them by turns, and never refused. */
export function inTurn<Result>(
  of: Owner,
  length: number,
  pieces: Pieces<Result>,
): Result | Promise<Result> {
  return length <= LIGHT ? whole(pieces) : goingOn(of, pieces);
}

/** As `readJson`. */
function* jsonInPieces(text: string, written: boolean): Pieces<Json> {
  try {
    return yield* parseAsWrittenInPieces(text, yield* parseInPieces(text));
  } catch (thrown) {
    if (thrown instanceof TooDeep) throw noReply(written, 'it nests too deep');
    if (thrown instanceof SyntaxError) throw noReply(written, 'it is no JSON');
    throw thrown;
  }
}
