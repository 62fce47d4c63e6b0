/**
 * A line to one index, by the vendor's own client for its data plane: at the edge and in a relay the
 * same, but for who sends. Replies are handed on as the index wrote them: the client's own results
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
  FetchError,
  ResponseError,
} from '@pinecone-database/pinecone/dist/pinecone-generated-ts-fetch/db_data/runtime.js';
import { queryParamsStringify } from '@pinecone-database/pinecone/dist/utils/queryParamsStringify.js';
import type { Call, Mode, ResultBytes, Session } from '../../driver.ts';
import { GatewayError } from '../../errors.ts';
import { type PineconeRequest, pinecone } from '../pinecone.ts';
import { fromLoss, fromRefusal, noIndex } from './failures.ts';
import { type Line, NotSent } from './line.ts';
import { boundedBytes, checkJson, TooLarge } from './reply.ts';
import type { Settings } from './settings.ts';

/** Most of a refusal that is read, in bytes. */
const REFUSAL_MAX = 65_536;

/** Runs requests against one index; nothing is repeated. */
export class PineconeSession implements Session<PineconeRequest> {
  readonly #api: VectorOperationsApi;
  readonly #line: Line;

  constructor({ origin, apiKey }: Settings, line: Line) {
    this.#line = line;
    // The client's own middleware would log, copy each reply and put addresses into errors.
    const configuration = new Configuration({
      basePath: origin,
      apiKey,
      headers: { 'User-Agent': 'causeway' },
      queryParamsStringify,
      fetchApi: (url, init) => line.send(new Request(String(url), requestInit(init))),
    });
    this.#api = new VectorOperationsApi(configuration);
  }

  async run(request: PineconeRequest, call: Call): Promise<ResultBytes> {
    const mode = pinecone.types[request.type] ?? 'write';
    if (call.mode === 'read' && mode === 'write') {
      const message = `Requests of type ${request.type} write; send them to /write`;
      throw new GatewayError('BAD_REQUEST', message, { details: [{ path: 'type', message }] });
    }
    call.signal.throwIfAborted();
    let answered = false;
    try {
      const { raw } = await this.#ask(request, call.signal);
      answered = true;
      const bytes = await boundedBytes(raw, call.resultMaxBytes);
      checkJson(bytes);
      return bytes;
    } catch (thrown) {
      throw await failureOf(thrown, mode, answered, call.signal);
    }
  }

  async ping(call: Call): Promise<number> {
    const request = { type: 'describe_index_stats' } as const;
    // The first call may have to connect.
    await this.#described(request, call);
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

  #ask(request: PineconeRequest, signal: AbortSignal): Promise<ApiResponse<unknown>> {
    const version = { xPineconeApiVersion: X_PINECONE_API_VERSION };
    const init = { signal } as RequestInit; // The two runtimes' types of a signal differ in name only.
    const api = this.#api;
    switch (request.type) {
      case 'query':
        return api.queryVectorsRaw({ ...version, queryRequest: wire(request.body) }, init);
      case 'upsert':
        return api.upsertVectorsRaw({ ...version, upsertRequest: wire(request.body) }, init);
      case 'update':
        return api.updateVectorRaw({ ...version, updateRequest: wire(request.body) }, init);
      case 'delete': {
        const { deleteAll, ...others } = request.body;
        const chosen = deleteAll ? { ...others, deleteAll } : others;
        return api.deleteVectorsRaw({ ...version, deleteRequest: wire(chosen) }, init);
      }
      case 'fetch': {
        const { ids, namespace } = request;
        const fetched = { ...version, ids, namespace };
        return api.fetchVectorsRaw(wire<FetchVectorsRequest>(fetched), init);
      }
      case 'list': {
        const { prefix, namespace, limit, pagination_token: paginationToken } = request;
        const listed = { ...version, prefix, namespace, limit, paginationToken };
        return api.listVectorsRaw(wire<ListVectorsRequest>(listed), init);
      }
      case 'describe_index_stats':
        return api.describeIndexStatsRaw({ ...version, describeIndexStatsRequest: {} }, init);
    }
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

/** Only what the two runtimes' requests both take. */
function requestInit(init: RequestInit | undefined): RequestInit {
  const { method = 'GET', headers, body, signal } = init ?? {};
  return {
    method,
    redirect: 'manual',
    ...(headers ? { headers } : {}),
    ...(body ? { body } : {}),
    ...(signal ? { signal } : {}),
  };
}

async function failureOf(
  thrown: unknown,
  mode: Mode,
  answered: boolean,
  signal: AbortSignal,
): Promise<unknown> {
  if (thrown instanceof ResponseError) return refusalOf(thrown.response, mode, signal);
  if (thrown instanceof TooLarge) {
    return new GatewayError('RESULT_TOO_LARGE', thrown.message, {
      ...(mode === 'write' ? { details: [{ operation: 0, applied: true }] } : {}),
    });
  }
  // The client wraps what its fetch throws.
  const cause = thrown instanceof FetchError ? thrown.cause : thrown;
  if (cause instanceof NotSent) return fromLoss(cause.cause, { mode, sent: false, signal });
  if (answered && cause instanceof SyntaxError && mode === 'read') return noIndex(cause);
  return fromLoss(cause, { mode, sent: true, signal });
}

async function refusalOf(response: Response, mode: Mode, signal: AbortSignal): Promise<unknown> {
  let text = '';
  try {
    text = new TextDecoder().decode(await boundedBytes(response, REFUSAL_MAX));
  } catch (thrown) {
    // The status says enough.
    if (signal.aborted && !(thrown instanceof TooLarge)) {
      return fromLoss(thrown, { mode, sent: true, signal });
    }
  }
  const retryAfter = response.headers.get('Retry-After');
  return fromRefusal({ status: response.status, text, retryAfter }, mode);
}
