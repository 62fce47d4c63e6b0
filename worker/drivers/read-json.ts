/**
 * The reader for JSON that comes from backends: in pieces where there is much of it, and no deeper than bodies of clients may be. Changes
 * of data alone are read by worker/data-changes/change.ts, which keeps what is too deep as its text.
 */
import type { GatewayError } from '../../proto/errors.ts';
import { isJsonInPieces } from '../../proto/is-json.ts';
import type { Json } from '../../proto/json.ts';
import { parseInPieces, TooDeep } from '../../proto/json-pieces.ts';
import type { Pieces } from '../../proto/work/pieces.ts';
import { parseAsWrittenInPieces } from '../../proto/written-json.ts';
import { type Owner, readInTurn } from '../limits/heavy-work.ts';
import { noReply } from './no-reply.ts';

/**
 * What a text says, with numbers and members as they were written.
 * @param written whether the call that it answers may have taken effect
 * @param tooDeep the failure for what nests deeper than `DEPTH_MAX`; left out, that is no reply
 * @throws GatewayError as `noReply` has it, for what is no JSON, and `tooDeep`
 */
export async function readJson(
  of: Owner,
  text: string,
  written: boolean,
  tooDeep = () => noReply(written, 'it nests too deep'),
): Promise<Json> {
  return await readInTurn(of, text.length, readInPieces(text, written, tooDeep));
}

function* readInPieces(text: string, written: boolean, tooDeep: Failure): Pieces<Json> {
  return yield* parseAsWrittenInPieces(text, yield* jsonInPieces(text, written, tooDeep));
}

type Failure = () => GatewayError;

/** As `readJson`, with numbers and members as `parseJson` has them. */
function* jsonInPieces(text: string, written: boolean, tooDeep: Failure): Pieces<Json> {
  try {
    return yield* parseInPieces(text);
  } catch (thrown) {
    if (thrown instanceof TooDeep) throw tooDeep();
    if (thrown instanceof SyntaxError) throw noReply(written, 'it is no JSON');
    throw thrown;
  }
}

/**
 * Looks whether a text is JSON, nested as deep as a database may keep it.
 * @param written whether the call that it answers may have taken effect
 * @throws GatewayError as `noReply` has it, for what is none
 */
export async function demandJson(of: Owner, text: string, written: boolean): Promise<void> {
  const isJson = await readInTurn(of, text.length, isJsonInPieces(text));
  if (!isJson) throw noReply(written, 'it is no JSON');
}
