/** Which failures an organization's own node told: it may name anything, and decides nothing for the gateway. */
import { ConnectError, type Transport } from '@connectrpc/connect';
import { GatewayError } from '../../proto/errors.ts';
import { NoReply } from './no-reply.ts';
import type { Node } from './node.ts';
import type { Watch } from './watch.ts';

/** How many times a failure may be wrapped. */
const DEPTH = 4;

const told = new WeakSet<object>();

/**
 * What a try on a node failed with.
 * @throws GatewayError that the call itself has thrown, once the watch has heard of it
 */
export function failureBy(node: Node, thrown: unknown, watch: Watch | undefined): ConnectError {
  if (thrown instanceof GatewayError) {
    if (thrown.cause instanceof NoReply) watch?.failed(node);
    throw thrown;
  }
  const failure = ConnectError.from(thrown);
  if (!node.default) noteForeign(failure);
  return failure;
}

function noteForeign(failure: ConnectError): void {
  told.add(failure);
}

/** Whether such a node told it, or what it comes of. */
export function isForeign(failure: unknown): boolean {
  let each = failure;
  for (let depth = 0; depth < DEPTH && each instanceof Error; depth += 1) {
    if (told.has(each)) return true;
    each = each.cause;
  }
  return false;
}

/** The transport, which notes what its streams end in. */
export function ofForeign(transport: Transport): Transport {
  return {
    unary: transport.unary.bind(transport),
    async stream(...sent) {
      const reply = await transport.stream(...sent).catch(noted);
      return { ...reply, header: reply.header, message: noting(reply.message) };
    },
  };
}

async function* noting<Message>(messages: AsyncIterable<Message>): AsyncIterable<Message> {
  try {
    yield* messages;
  } catch (thrown) {
    noted(thrown);
  }
}

function noted(thrown: unknown): never {
  const failure = ConnectError.from(thrown);
  noteForeign(failure);
  throw failure;
}
