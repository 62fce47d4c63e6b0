/**
 * Is between the generator and the gateway: sees each request and its reply whole, and puts
 * in what only this side knows, such as the token of the moment.
 */
import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Answered, Exchange, Sent } from './exchange.ts';

/** What is done with what passes. */
export interface Watcher {
  /** Changes a request before it is sent on. */
  prepare(sent: Sent): Promise<Sent>;
  /** Called with each exchange; the generator has its reply when this ends. */
  observe(exchange: Exchange): Promise<void>;
}

/** A running proxy. */
interface Proxy {
  /** Such as `http://127.0.0.1:4711`. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Longer than the gateway's own default deadline of a request, by its reserve. */
const REPLY_MAX_MS = 40_000;
/** More than the gateway takes: to refuse is its part. */
const HEADERS_MAX = 1 << 20;

/**
 * Listens on loopback and passes on to the gateway at `upstream`.
 * @param onFailure is told what the watcher throws
 */
export async function startProxy(
  upstream: string,
  watcher: Watcher,
  onFailure: (thrown: unknown) => void,
): Promise<Proxy> {
  const agent = new Agent({ keepAlive: true });
  // What is no HTTP at all is refused here: the generator tries it once and then leaves it.
  const server = createServer({ maxHeaderSize: HEADERS_MAX });
  server.requestTimeout = 0;
  server.on('request', (incoming, reply) => {
    const pass = async () => {
      const sent = await watcher.prepare({
        method: incoming.method ?? 'GET',
        target: incoming.url ?? '/',
        headers: incoming.rawHeaders,
        body: await bytesOf(incoming),
      });
      const started = performance.now();
      const answered = await send(agent, upstream, sent);
      await watcher.observe({ sent, answered, ms: performance.now() - started });
      if (answered === undefined) return void reply.destroy();
      reply.writeHead(answered.status, withoutFraming(answered.headers));
      reply.end(answered.body);
    };
    pass().catch((thrown: unknown) => {
      onFailure(thrown);
      reply.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // It listens on a port, not on a pipe.
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer); // No encoding is set.
  return Buffer.concat(chunks);
}

function send(agent: Agent, upstream: string, sent: Sent): Promise<Answered | undefined> {
  const { hostname, port } = new URL(upstream);
  const hasBody =
    sent.body.length > 0 || sent.headers.some((each) => /^content-length$/i.test(each));
  const headers = [
    ...withoutFraming(sent.headers),
    ...(hasBody ? ['Content-Length', String(sent.body.length)] : []),
  ];
  return new Promise((resolve) => {
    const onward = request({
      agent,
      hostname,
      port,
      method: sent.method,
      path: sent.target,
      headers,
      signal: AbortSignal.timeout(REPLY_MAX_MS),
    });
    onward.on('response', (response) => {
      bytesOf(response).then(
        (body) => resolve({ status: response.statusCode ?? 0, headers: response.rawHeaders, body }),
        () => resolve(undefined),
      );
    });
    onward.on('error', () => resolve(undefined));
    onward.end(sent.body);
  });
}

const FRAMING = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length']);

/** The headers but those of one connection; each of the two sides writes its own. */
function withoutFraming(headers: readonly string[]): string[] {
  return headers.filter((_, index) => {
    const name = headers[index - (index % 2)] ?? '';
    return !FRAMING.has(name.toLowerCase());
  });
}
