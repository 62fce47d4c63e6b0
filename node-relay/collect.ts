/**
 * Serves a kept result as bytes alone, whose number is known: a gateway can pass them on without a look at them. It is asked for as
 * a unary call of `Collect`; in the library's form the same method answers in pieces.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type CollectRequest, RelayService } from '../proto/gen/relay/v1/relay_pb.ts';
import type { Calls } from './calls.ts';
import type { Results } from './results.ts';
import { fail, receive, type UnaryParts } from './unary-handler.ts';

const { parent, name, input } = RelayService.method.collect;
/** Where it is asked for. */
export const COLLECT_PATH = `/${parent.typeName}/${name}`;

const BYTES = 'application/octet-stream';
/** What is handed to the socket at once. */
const PIECE_BYTES = 1024 * 1024;

/** Serves one call. */
export async function handleCollect(
  parts: UnaryParts,
  { calls, results }: { readonly calls: Calls; readonly results: Results },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const { message, context } = await receive(parts, { name, input }, request, response);
    const { collectId } = message as CollectRequest; // As its schema says.
    const length = results.lengthOf(collectId);
    const pieces = calls.stream(name, context, async function* (signal) {
      // A client that no longer reads is not waited for.
      signal.addEventListener('abort', () => response.destroy());
      yield* results.collect(collectId, PIECE_BYTES);
    });
    for await (const piece of pieces) {
      if (!response.headersSent) {
        response.writeHead(200, { 'Content-Type': BYTES, 'Content-Length': length });
      }
      if (!response.write(piece)) await taken(response);
    }
    response.end();
  } catch (cause) {
    if (response.headersSent) response.destroy();
    else fail(response, cause);
  }
}

/** Until the client has read, or has gone. */
async function taken(response: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  response.once('drain', resolve).once('close', resolve);
  await promise;
  response.off('drain', resolve).off('close', resolve);
}
