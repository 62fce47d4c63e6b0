/**
 * A stand-in for one index of Pinecone: a real vector index behind the paths, headers and replies
 * that the vendor documents. Tests can make it fail.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Fault } from './fault.ts';
import { OPERATIONS } from './operations.ts';
import type { Metric } from './score.ts';
import { VectorIndex } from './vector-index.ts';

/** What arrived. */
interface Received {
  readonly method: string;
  /** With its query, as it was written. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** What happens to a request instead of what should. */
export type Failing =
  /** This is answered, whatever was asked. */
  | { readonly status: number; readonly body: string; readonly headers?: Record<string, string> }
  /** The connection is cut; `done` before or after the request was carried out. */
  | { readonly cut: 'before' | 'after' }
  /** Nothing is answered. */
  | 'silence';

/** A running index. */
export interface PineconeStandIn {
  /** Such as `http://127.0.0.1:40123`. */
  readonly url: string;
  readonly apiKey: string;
  readonly index: VectorIndex;
  /** Since the start, the latest last. */
  readonly received: Received[];
  /** Once each, in this order, before anything is answered as it should be. */
  readonly failing: Failing[];
  stop(): Promise<void>;
}

/** An index of your own on a free port of loopback. */
export async function startPinecone({
  dimension = 3,
  metric = 'cosine',
  apiKey = 'pcsk_stand-in',
}: {
  dimension?: number;
  metric?: Metric;
  apiKey?: string;
} = {}): Promise<PineconeStandIn> {
  const index = new VectorIndex(dimension, metric);
  const received: Received[] = [];
  const failing: Failing[] = [];
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request);
    const { method = '', url: path = '', headers } = request;
    const arrived = { method, path, headers, body };
    received.push(arrived);
    const instead = failing.shift();
    if (instead === 'silence') return;
    if (instead && 'status' in instead) {
      response.writeHead(instead.status, {
        'Content-Type': 'application/json',
        ...instead.headers,
      });
      response.end(instead.body);
      return;
    }
    if (instead?.cut === 'before') return void response.destroy();
    const [status, text, type] = carryOut(index, apiKey, arrived);
    if (instead?.cut === 'after') return void response.destroy();
    response.writeHead(status, { 'Content-Type': type }).end(text);
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // Of a server that listens on a port.
  return {
    url: `http://127.0.0.1:${port}`,
    apiKey,
    index,
    received,
    failing,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

const JSON_TYPE = 'application/json';

function carryOut(
  index: VectorIndex,
  apiKey: string,
  { method, path, headers, body }: Received,
): [status: number, text: string, type: string] {
  if (headers['api-key'] !== apiKey) return [401, 'Unauthorized', 'text/plain'];
  const url = new URL(path, 'http://index');
  const operation = OPERATIONS[`${method} ${url.pathname}`];
  if (!operation) return [404, '', 'text/plain'];
  try {
    const parsed: unknown = body === '' ? {} : JSON.parse(body);
    return [200, JSON.stringify(operation(index, parsed, url.searchParams)), JSON_TYPE];
  } catch (thrown) {
    const fault = thrown instanceof Fault ? thrown : new Fault(String(thrown));
    const { code, message, status } = fault;
    return [status, JSON.stringify({ code, message, details: [] }), JSON_TYPE];
  }
}
