/** A client of servers that speak HTTP, over either program's transport. */
import type { BackendClient, Call, ConnectionEnvelope, ResultBytes } from '../../proto/driver.ts';
import { badRequest, GatewayError } from '../../proto/errors.ts';
import { type Base, baseOf, urlOf } from './address.ts';
import { bodyOf } from './body.ts';
import { HttpConnection } from './config.ts';
import { discard, exchange, type Intended, lossOf } from './exchange.ts';
import { type Header, headersOf, mergedHeaders } from './headers.ts';
import { reached } from './reached.ts';
import { type HttpRequest, modeOfMethod, modeOfRequest, overrideIn } from './request.ts';
import { resultOf } from './result.ts';
import type { HttpTransport } from './transport.ts';

/** Headers about the gateway itself, unless the request has its own. */
const ALWAYS: readonly Header[] = [
  ['accept', '*/*'],
  ['user-agent', 'causeway'],
];
/** What nothing else may say: bytes are bounded as they arrive, and mean what they are. */
const FINALLY: readonly Header[] = [['accept-encoding', 'identity']];

/**
 * What a connection says.
 * @throws GatewayError INVALID_CONFIGURATION
 */
export function baseIn({ connection }: ConnectionEnvelope): Base {
  const parsed = HttpConnection.safeParse(connection);
  if (!parsed.success) {
    throw new GatewayError(
      'INVALID_CONFIGURATION',
      'The connection is not one of an http endpoint',
    );
  }
  return baseOf(parsed.data.url, parsed.data.headers);
}

/** It has neither transactions nor leases, and no rows to stream. */
export class HttpClient implements BackendClient<HttpRequest> {
  readonly #base: Base;
  readonly #line: HttpTransport;

  constructor(base: Base, line: HttpTransport) {
    this.#base = base;
    this.#line = line;
  }

  async run(request: HttpRequest, call: Call): Promise<ResultBytes> {
    const { method, fail_on_status: failsOnStatus = false } = request;
    if (call.mode === 'read') demandRead(request);
    const intended = this.#intended(request, call);
    const reply = await exchange(this.#line, this.#base, intended, call.signal);
    try {
      return await resultOf(reply, { method, failsOnStatus, reads: intended.reads }, call);
    } catch (thrown) {
      throw lossOf(thrown, intended.reads);
    }
  }

  /** Any status of the configured URL counts. Contract §5. */
  async ping({ signal }: Call): Promise<number> {
    const { url, sealed } = this.#base;
    const headers = mergedHeaders(ALWAYS, sealed, FINALLY);
    const started = performance.now();
    return reached(url, signal, async (limited) => {
      const request = { method: 'HEAD', url, headers, body: undefined } as const;
      const reply = await this.#line.send(request, limited);
      const ms = performance.now() - started;
      await discard(reply);
      return ms;
    });
  }

  close(): Promise<void> {
    return this.#line.close();
  }

  #intended(request: HttpRequest, { trace = {} }: Call): Intended {
    const { method, path, query = {}, headers, retry = true } = request;
    const body = bodyOf(request);
    const typed: Header[] = body ? [['content-type', body.type]] : [];
    return {
      method,
      url: urlOf(this.#base, path, query),
      headers: mergedHeaders(ALWAYS, Object.entries(trace), typed, headersOf(headers), FINALLY),
      body: body?.bytes,
      retries: retry,
      reads: modeOfRequest(request) === 'read',
    };
  }
}

/** @throws GatewayError BAD_REQUEST naming what writes */
function demandRead(request: HttpRequest): void {
  const { method } = request;
  if (modeOfMethod(method) === 'write') throw refused('method', 'writes');
  const header = overrideIn(request);
  if (header !== undefined) throw refused(`headers.${header}`, 'may name another method');
}

function refused(path: string, problem: string): GatewayError {
  return badRequest(path, problem, `${path}: ${problem}: send it to /write`);
}
