/** Reads a reply's body: bounded while it arrives, and JSON or nothing. */
import { GatheredBytes } from '../../proto/gathered-bytes.ts';
import { isJson } from '../../proto/is-json.ts';

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
  const gathered = new GatheredBytes();
  // Leaving the loop ends the reply.
  for await (const piece of body) {
    if (gathered.length + piece.byteLength > max) {
      throw new TooLarge(
        `The result is larger than ${max} bytes; ask for fewer matches or ids, or without values and metadata`,
      );
    }
    gathered.add(piece);
  }
  return gathered.take();
}

/** Whatever is copied into a reply has to be JSON in UTF-8. @throws SyntaxError */
export function checkJson(bytes: Uint8Array): void {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new SyntaxError('not UTF-8', { cause });
  }
  if (!/^[ \t\n\r]*\{/.test(text) || !isJson(text)) throw new SyntaxError('not an object');
}
