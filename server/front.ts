/**
 * A thin front before the edge runtime's socket, for when that socket cannot be trusted to know
 * the caller: it writes the address of a request's connection into a header that only it can write.
 */
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { BlockList, isIP } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import { GatewayError } from '../proto/errors.ts';
import { hostRefused, isHost } from '../worker/http/host.ts';
import { checkTransferCoding } from '../worker/http/transfer-coding.ts';
import { rawRefusal, refuseRequest, unavailable } from './front-refusal.ts';
import { type Stopping, stopServer } from './front-stop.ts';
import { isWebSocket, passWebSocket } from './front-upgrade.ts';

/** The worker reads it when PEER is `front:<secret>`; see worker/http/address.ts. */
const PEER_HEADER = 'x-causeway-peer';

/** Of the connection, not of the message, and so not passed on. Source: RFC 9110 §7.6.1. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers with which a client could claim another address. */
const CLAIMS = new Set([
  PEER_HEADER,
  'cf-connecting-ip',
  'cf-connecting-ipv6',
  'cf-pseudo-ipv4',
  'true-client-ip',
  'mf-cf-blob',
  'x-forwarded-for',
  'x-real-ip',
  'forwarded',
]);

/** Fields of a request's head. Node would leave out those beyond 2,000 without a word, also what a proxy wrote last. Spec silent. */
const FIELDS_MAX = 256;

/** A running front. */
export interface Front {
  /** Proves to the worker that the front wrote the peer header. */
  readonly secret: string;
  /**
   * Takes no more connections, and ends those that there are with the reply to their next request; what is in
   * flight after `drainMs`, 0 by default, is cut.
   */
  stop(drainMs?: number): Promise<void>;
}

/** Where a front listens, and what it is in front of. */
export interface FrontOptions {
  readonly host: string;
  readonly port: number;
  /** Loopback port of the worker. */
  readonly upstreamPort: number;
  /** The peer whose last `X-Forwarded-For` entry is the caller's address. */
  readonly trustedProxy: string | undefined;
  readonly secret: string;
}

/** Listens; passes requests and replies on as they come, byte for byte, both ways with backpressure. */
export async function startFront(options: FrontOptions): Promise<Front> {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  const proxy = proxyList(options.trustedProxy);
  const stopping: Stopping = { isHeard: false, held: undefined };
  /** What goes on with a request. @throws GatewayError for one that goes nowhere */
  const onward = (incoming: IncomingMessage): Upstream => {
    demandFewFields(incoming);
    const host = hostOf(incoming);
    checkTransferCoding(incoming.headers['transfer-encoding']);
    const peer = `${options.secret} ${callerOf(incoming, proxy)}`;
    return { agent, host, port: options.upstreamPort, peer, stopping };
  };
  // A request without a host is refused as any other that names none.
  const asked = { requireHostHeader: false, shouldUpgradeCallback: isWebSocket };
  const server = createServer(asked, (incoming, reply) => {
    if (stopping.isHeard) reply.shouldKeepAlive = false;
    try {
      forward(incoming, reply, onward(incoming));
    } catch (thrown) {
      if (!(thrown instanceof GatewayError)) throw thrown;
      refuseRequest(incoming, reply, thrown);
    }
  });
  const webSockets = new Set<Duplex>();
  server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    webSockets.add(socket.once('close', () => webSockets.delete(socket)));
    try {
      passWebSocket({ incoming, socket, head }, requestOf(incoming, onward(incoming)));
    } catch (thrown) {
      if (!(thrown instanceof GatewayError)) throw thrown;
      socket.end(rawRefusal(incoming.headers, thrown));
    }
  });
  server.on('connect', (incoming: IncomingMessage, socket: Duplex) => {
    // Node listens no more for the end of a connection that it gave away.
    socket.on('error', () => socket.destroy());
    const message = 'CONNECT is not supported: this is no proxy';
    socket.end(rawRefusal(incoming.headers, new GatewayError('NOT_SUPPORTED', message)));
  });
  server.on('clientError', (fault: NodeJS.ErrnoException, socket) => {
    if (fault.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const message = 'The request is not one of HTTP/1.1';
    socket.end(rawRefusal({}, new GatewayError('BAD_REQUEST', message, { cause: fault })));
  });
  // A large upload or a long stream may take its time; deadlines are the worker's.
  server.requestTimeout = 0;
  server.maxHeadersCount = 0; // All are counted.
  server.keepAliveTimeout = 65_000;
  await listen(server, options.host, options.port);
  return {
    secret: options.secret,
    stop: (drainMs = 0) => stopServer({ server, agent, stopping, webSockets }, drainMs),
  };
}

/** @throws GatewayError BAD_REQUEST when the head has too many fields to be one of a client */
function demandFewFields({ rawHeaders }: IncomingMessage): void {
  if (rawHeaders.length <= 2 * FIELDS_MAX) return;
  throw new GatewayError('BAD_REQUEST', `The request has more than ${FIELDS_MAX} header fields`);
}

/** A path, or a URL that holds one, as the runtime reads it: what is neither has no path that could decide. */
const TARGET = /^(?:https?:\/\/[^\s/\\?#@]+(?:[/?][!-~]*)?|\/[!-~]*)$/i;

/**
 * The one host that a request names.
 * @throws GatewayError BAD_REQUEST when it names none, several, or its target is no path
 */
function hostOf({ headersDistinct, url }: IncomingMessage): string {
  const [host, ...others] = headersDistinct.host ?? [];
  const isWhole = host !== undefined && others.length === 0 && isHost(host);
  if (!isWhole || !TARGET.test(url ?? '')) throw hostRefused();
  return host;
}

interface Upstream {
  readonly agent: Agent;
  readonly host: string;
  readonly port: number;
  readonly peer: string;
  readonly stopping: Stopping;
}

/** The same request to the worker. */
function requestOf(incoming: IncomingMessage, { host, port, peer }: Upstream) {
  return {
    host: '127.0.0.1',
    port,
    method: incoming.method ?? 'GET',
    path: incoming.url ?? '/',
    // Distinct: what came twice goes on twice, for the worker to judge.
    headers: { ...passedOn(incoming.headersDistinct, CLAIMS), host, [PEER_HEADER]: peer },
    setHost: false,
  };
}

function forward(incoming: IncomingMessage, reply: ServerResponse, upstream: Upstream): void {
  const onward = request({ ...requestOf(incoming, upstream), agent: upstream.agent });
  const { stopping } = upstream;
  onward.on('response', (answer) => {
    const pass = () => passBack(answer, reply, stopping);
    if (stopping.held === undefined) pass();
    else void stopping.held.then(pass);
  });
  onward.on('error', () => {
    if (reply.headersSent) reply.destroy();
    else unavailable(incoming, reply);
  });
  reply.on('close', () => reply.writableFinished || onward.destroy());
  if (hasBody(incoming.headers))
    pipeline(incoming, onward, (failure) => failure && onward.destroy());
  else onward.end();
}

function passBack(answer: IncomingMessage, reply: ServerResponse, { isHeard }: Stopping): void {
  if (reply.destroyed) {
    answer.destroy();
    return;
  }
  // What comes after a reply that did not wait for the body's end is no request.
  if (isHeard || !reply.req.complete) reply.shouldKeepAlive = false;
  reply.writeHead(answer.statusCode ?? 502, passedOn(answer.headers, NONE));
  // A stream's first bytes may come long after its head; a short reply goes out in one piece with it.
  setImmediate(() => reply.flushHeaders());
  pipeline(answer, reply, (failure) => failure && reply.destroy());
}

const NONE: ReadonlySet<string> = new Set();

function passedOn(
  headers: IncomingHttpHeaders | NodeJS.Dict<string[]>,
  dropped: ReadonlySet<string>,
) {
  const kept: Record<string, string | string[]> = {};
  const connection = String(headers.connection ?? '');
  const named = new Set(connection.split(',').map((name) => name.trim().toLowerCase()));
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || HOP_BY_HOP.has(name) || dropped.has(name) || named.has(name))
      continue;
    kept[name] = value;
  }
  return kept;
}

function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** The connection's own peer, or the client that the trusted proxy names. */
function callerOf(incoming: IncomingMessage, proxy: BlockList | undefined): string {
  const peer = plain(incoming.socket.remoteAddress ?? '');
  if (proxy === undefined || !proxy.check(peer, family(peer))) return peer;
  const forwarded = incoming.headers['x-forwarded-for'];
  const last = (Array.isArray(forwarded) ? forwarded.join(',') : (forwarded ?? ''))
    .split(',')
    .at(-1)
    ?.trim();
  return last !== undefined && isIP(last) !== 0 ? last : peer;
}

/** An IPv4 peer of a socket that listens on `::` is written `::ffff:192.0.2.1`. */
function plain(address: string): string {
  return address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
}

function family(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}

/** Compares addresses, not their spellings. */
function proxyList(address: string | undefined): BlockList | undefined {
  if (address === undefined) return undefined;
  const list = new BlockList();
  list.addAddress(plain(address), family(plain(address)));
  return list;
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, resolve);
  });
}
