/** The edge's line to servers: the runtime's own `fetch`. */

import { headerOf } from '../../../../kinds/http/headers.ts';
import {
  type HttpTransport,
  type Incoming,
  NotSent,
  type Outgoing,
} from '../../../../kinds/http/transport.ts';
import { GatewayError } from '../../../../proto/errors.ts';
import { type EdgeHost, Lost } from '../driver.ts';
import { networkFailure } from '../network-failure.ts';

/** What the runtime undoes by itself, where it is written just so. */
const UNDONE = ['gzip', 'br'];
/** Other names of the first: codings are named in any letter case. RFC 9110, section 8.4.1. */
const GZIP = /^(?:x-)?gzip$/i;

/** A line over an edge driver's host. */
export function transportOf(host: EdgeHost): HttpTransport {
  return {
    async send(request, signal) {
      const response = await host.fetch(requestOf(request, signal)).catch((thrown: unknown) => {
        throw thrown instanceof GatewayError && !(thrown instanceof Lost)
          ? new NotSent(thrown)
          : thrown;
      });
      return incomingOf(response, signal);
    },
    async close() {},
  };
}

function requestOf({ method, url, headers, body }: Outgoing, signal: AbortSignal): Request {
  return new Request(url, {
    method,
    headers: headers.map(([name, value]) => [name, value]),
    body: body ?? null,
    signal,
    redirect: 'manual',
  });
}

function incomingOf({ status, headers, body }: Response, signal: AbortSignal): Incoming {
  // No other protocol was asked for.
  if (status === 101) throw new Lost('CONNECTION_FAILED', 'The connection to the backend failed');
  const told = [...headers].filter(([name]) => name !== 'set-cookie');
  const cookies = headers.getSetCookie().map((each) => ['set-cookie', each] as const);
  const coding = headerOf(told, 'content-encoding')?.trim() ?? '';
  const isUndone = UNDONE.includes(coding);
  const isLeft = !isUndone && GZIP.test(coding);
  const plain = isLeft ? body?.pipeThrough(new DecompressionStream('gzip')) : body;
  return {
    status,
    headers: [...told.map(([name = '', value = '']) => [name, value] as const), ...cookies],
    body: piecesOf(plain ?? null, signal),
    isDecoded: body !== null && (isUndone || isLeft),
  };
}

/** Its failures as those of the request: it was sent. */
async function* piecesOf(
  body: ReadableStream<Uint8Array> | null,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  try {
    yield* body;
  } catch (cause) {
    const failure = networkFailure(cause, signal);
    throw new Lost(failure.code, failure.message, { cause });
  }
}
