/** Reads a reply's body: bounded while it arrives, and JSON or nothing. */

/** More arrived than may be taken. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

/**
 * The whole body.
 * @param max bytes
 * @throws TooLarge before more than that is kept
 */
export async function boundedBytes(
  body: AsyncIterable<Uint8Array>,
  max: number,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop ends the reply.
  for await (const piece of body) {
    length += piece.byteLength;
    if (length > max) {
      throw new TooLarge(
        `The result is larger than ${max} bytes; ask for fewer matches or ids, or without values and metadata`,
      );
    }
    pieces.push(piece);
  }
  const [only] = pieces;
  return pieces.length === 1 && only ? only : joined(pieces, length);
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}

/** What stands in a reply of ours has to be JSON of UTF-8, whoever wrote it. @throws SyntaxError */
export function checkJson(bytes: Uint8Array): void {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new SyntaxError('not UTF-8', { cause });
  }
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new SyntaxError('not an object');
  }
}
