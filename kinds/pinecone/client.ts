/**
 * A line to one index, by the vendor's own client for its data plane: at the edge and in a relay the
 * same, except for how requests are sent. Replies are handed on as the index wrote them: the client's own results
 * rename members and leave some out.
 */

import { X_PINECONE_API_VERSION } from '@pinecone-database/pinecone/dist/pinecone-generated-ts-fetch/db_data/api_version.js';
import {
  type FetchVectorsRequest,
  type ListVectorsRequest,
  VectorOperationsApi,
} from '@pinecone-database/pinecone/dist/pinecone-generated-ts-fetch/db_data/apis/VectorOperationsApi.js';
import {
  type ApiResponse,
  Configuration,
} from '@pinecone-database/pinecone/dist/pinecone-generated-ts-fetch/db_data/runtime.js';
import { queryParamsStringify } from '@pinecone-database/pinecone/dist/utils/queryParamsStringify.js';
import type { BackendClient, Call, Mode, ResultBytes } from '../../proto/driver.ts';
import { badRequest, type ErrorDetails, GatewayError } from '../../proto/errors.ts';
import { lossOf } from '../http/exchange.ts';
import { type Header, headerOf } from '../http/headers.ts';
import { reached } from '../http/reached.ts';
import type { HttpTransport, Incoming, Outgoing } from '../http/transport.ts';
import { fromRefusal, noIndex } from './failures.ts';
import { type PineconeRequest, pinecone } from './index.ts';
import { boundedBytes, checkJson, TooLarge } from './reply.ts';
import type { Settings } from './settings.ts';

/** Most of a refusal that is read, in bytes. */
const REFUSAL_MAX = 65_536;

/** Runs requests against one index; nothing is repeated. */
export class PineconeClient implements BackendClient<PineconeRequest> {
  readonly #settings: Settings;
  readonly #line: HttpTransport;

  constructor(settings: Settings, line: HttpTransport) {
    this.#settings = settings;
    this.#line = line;
  }

  async run(request: PineconeRequest, call: Call): Promise<ResultBytes> {
    const mode = pinecone.types[request.type] ?? 'write';
    if (call.mode === 'read' && mode === 'write') {
      const message = `Requests of type ${request.type} write; send them to /write`;
      throw badRequest('type', message, message);
    }
    call.signal.throwIfAborted();
    try {
      const reply = await this.#reply(request, call.signal);
      if (!isSuccess(reply)) throw await refusalOf(reply, mode);
      const bytes = await boundedBytes(reply.body, call.resultMaxBytes);
      checkJson(bytes);
      return bytes;
    } catch (thrown) {
      throw failureOf(thrown, mode);
    }
  }

  async ping(call: Call): Promise<number> {
    const request = { type: 'describe_index_stats' } as const;
    // The first call may have to connect.
    await reached(new URL(this.#settings.origin), call.signal, (signal) =>
      this.#described(request, { ...call, signal }),
    );
    const start = performance.now();
    await this.#described(request, call);
    return performance.now() - start;
  }

  close(): Promise<void> {
    return this.#line.close();
  }

  /** A server that has no such path is no index. */
  async #described(request: PineconeRequest, call: Call): Promise<void> {
    try {
      await this.run(request, { ...call, mode: 'read' });
    } catch (thrown) {
      const isRefused = thrown instanceof GatewayError && thrown.code === 'REQUEST_FAILED';
      throw isRefused ? noIndex(thrown) : thrown;
    }
  }

  /**
   * The reply, whatever its status. The vendor's client only says whether it is a success.
   * @throws NotSent, GatewayError as the line does
   */
  async #reply(request: PineconeRequest, signal: AbortSignal): Promise<Incoming> {
    let reply: Incoming | undefined;
    let failure: unknown;
    const { origin: basePath, apiKey } = this.#settings;
    // The client's own middleware would log, copy each reply and put addresses into errors.
    const configuration = new Configuration({
      basePath,
      apiKey,
      headers: { 'User-Agent': 'causeway' },
      queryParamsStringify,
      fetchApi: async (url, init) => {
        try {
          reply = await this.#line.send(outgoingOf(String(url), init), signal);
        } catch (thrown) {
          failure = thrown;
          throw thrown;
        }
        return new Response(null, { status: isSuccess(reply) ? 204 : 400 });
      },
    });
    try {
      await ask(request, new VectorOperationsApi(configuration));
    } catch (thrown) {
      if (!reply) throw failure ?? thrown;
    }
    if (!reply) throw new Error('the client sent nothing');
    return reply;
  }
}

/** Sends a request by the client; its reply is not looked at. */
function ask(request: PineconeRequest, api: VectorOperationsApi): Promise<ApiResponse<unknown>> {
  const version = { xPineconeApiVersion: X_PINECONE_API_VERSION };
  switch (request.type) {
    case 'query':
      return api.queryVectorsRaw({ ...version, queryRequest: wire(request.body) });
    case 'upsert':
      return api.upsertVectorsRaw({ ...version, upsertRequest: wire(request.body) });
    case 'update':
      return api.updateVectorRaw({ ...version, updateRequest: wire(request.body) });
    case 'delete': {
      const { deleteAll, ...others } = request.body;
      const chosen = deleteAll ? { ...others, deleteAll } : others;
      return api.deleteVectorsRaw({ ...version, deleteRequest: wire(chosen) });
    }
    case 'fetch': {
      const { ids, namespace } = request;
      const fetched = { ...version, ids, namespace };
      return api.fetchVectorsRaw(wire<FetchVectorsRequest>(fetched));
    }
    case 'list': {
      const { prefix, namespace, limit, pagination_token: paginationToken } = request;
      const listed = { ...version, prefix, namespace, limit, paginationToken };
      return api.listVectorsRaw(wire<ListVectorsRequest>(listed));
    }
    case 'describe_index_stats':
      return api.describeIndexStatsRaw({ ...version, describeIndexStatsRequest: {} });
  }
}

/** What is null or undefined is left out: the default namespace is that of no name. */
// Numbers may be kept as text, which the client's types do not know and its JSON writes rightly.
function wire<Wire>(members: object): Wire {
  const given = Object.entries(members).filter(
    ([member, value]) =>
      value !== null && value !== undefined && !(member === 'namespace' && value === ''),
  );
  return Object.fromEntries(given) as Wire;
}

function outgoingOf(url: string, init: RequestInit = {}): Outgoing {
  const headers = [...new Headers(init.headers)].map(([name, value]): Header => [name, value]);
  return {
    method: init.method === 'POST' ? 'POST' : 'GET',
    url: new URL(url),
    headers,
    body: typeof init.body === 'string' ? new TextEncoder().encode(init.body) : undefined,
  };
}

const isSuccess = ({ status }: Incoming) => status >= 200 && status <= 299;

/** @param mode what the request does, not where it was sent */
function failureOf(thrown: unknown, mode: Mode): unknown {
  if (thrown instanceof PineconeRefusal) return thrown.failure;
  if (thrown instanceof TooLarge) {
    const details: ErrorDetails[] = mode === 'write' ? [{ rule: 'result', applied: true }] : [];
    return new GatewayError('RESULT_TOO_LARGE', thrown.message, { details });
  }
  const failure = thrown instanceof SyntaxError ? noIndex(thrown) : thrown;
  return lossOf(failure, mode === 'read');
}

/** The index answered, and that is no success. */
class PineconeRefusal extends Error {
  readonly failure: GatewayError;

  constructor(failure: GatewayError) {
    super('refused');
    this.failure = failure;
  }
}

/** @throws GatewayError when the connection is lost before its words have arrived */
async function refusalOf(
  { status, headers, body }: Incoming,
  mode: Mode,
): Promise<PineconeRefusal> {
  const text = await boundedBytes(body, REFUSAL_MAX).then(
    (bytes) => new TextDecoder().decode(bytes),
    (thrown: unknown) => {
      if (!(thrown instanceof TooLarge)) throw thrown;
      return '';
    },
  );
  const retryAfter = headerOf(headers, 'retry-after');
  return new PineconeRefusal(fromRefusal({ status, text, retryAfter }, mode));
}
