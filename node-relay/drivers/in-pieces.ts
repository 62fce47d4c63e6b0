/** Does what a large request makes long by turns with others. */
import type { Call } from '../../proto/driver.ts';
import { type Pieces, whole } from '../../proto/work/pieces.ts';

/** In the owner's turn; what a small request asks for, at once. */
export async function inPiecesOf<Result>(
  { inPieces }: Pick<Call, 'inPieces'>,
  pieces: Pieces<Result>,
): Promise<Result> {
  return inPieces ? inPieces(pieces) : whole(pieces);
}
