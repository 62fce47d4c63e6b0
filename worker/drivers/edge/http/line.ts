/** The edge's line to servers: the runtime's own `fetch`. */
import { GatewayError } from '../../../../proto/errors.ts';
import { headerOf } from '../../../../proto/kinds/http/headers.ts';
import {
  type Incoming,
  type Line,
  NotSent,
  type Outgoing,
} from '../../../../proto/kinds/http/line.ts';
import { type EdgeHost, Lost } from '../driver.ts';
import { networkFailure } from '../host.ts';

/** What the runtime undoes by itself. */
const UNDONE = ['gzip', 'br'];

/** A line over an edge driver's host. */
export function lineOf(host: EdgeHost): Line {
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
  const told = [...headers].filter(([name]) => name !== 'set-cookie');
  const cookies = headers.getSetCookie().map((each) => ['set-cookie', each] as const);
  const encoding = headerOf(told, 'content-encoding')?.trim().toLowerCase() ?? '';
  return {
    status,
    headers: [...told.map(([name = '', value = '']) => [name, value] as const), ...cookies],
    body: piecesOf(body, signal),
    isDecoded: body !== null && UNDONE.includes(encoding),
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
