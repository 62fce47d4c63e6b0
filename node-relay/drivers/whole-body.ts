/** The body of an HTTP reply as one, where it is known not to be long. */
import type { IncomingMessage } from 'node:http';
import type { GatewayError } from '../../proto/errors.ts';
import { GatheredBytes } from '../../proto/gathered-bytes.ts';

/**
 * Reads a body to its end.
 * @param max bytes
 * @throws what `tooLong` gives, before more than that is kept; the body's own failure
 */
export async function wholeBody(
  reply: IncomingMessage,
  max: number,
  tooLong: () => GatewayError,
): Promise<Buffer> {
  // Leaving the loop ends the reply.
  if (Number(reply.headers['content-length'] ?? 0) > max) throw tooLong();
  const gathered = new GatheredBytes();
  for await (const piece of reply as AsyncIterable<Buffer>) {
    if (gathered.length + piece.length > max) throw tooLong();
    gathered.add(piece);
  }
  const { buffer, byteOffset, byteLength } = gathered.take();
  return Buffer.from(buffer, byteOffset, byteLength);
}
