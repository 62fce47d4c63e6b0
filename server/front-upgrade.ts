/** Passes WebSockets on to the worker: the tunnels of nodes. Any other upgrade is ignored, as RFC 9110 §7.8 allows. */
import { type IncomingMessage, type RequestOptions, request, STATUS_CODES } from 'node:http';
import { type Duplex, pipeline } from 'node:stream';
import { GatewayError } from '../proto/errors.ts';
import { rawRefusal } from './front-refusal.ts';

/** Whether a request asks for a WebSocket. */
export function isWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}

/** A request that Node has handed over with its connection. */
interface Upgrading {
  readonly incoming: IncomingMessage;
  readonly socket: Duplex;
  /** What the client has sent after its request. */
  readonly head: Buffer;
}

/** Passes it on; a reply that is no upgrade ends the connection. @param options of the request to the worker */
export function passWebSocket(
  { incoming, socket, head }: Upgrading,
  options: RequestOptions,
): void {
  const headers = { ...options.headers, connection: 'Upgrade', upgrade: 'websocket' };
  const onward = request({ ...options, agent: false, headers });
  socket.on('error', () => socket.destroy());
  socket.once('close', () => onward.destroy());
  onward.on('upgrade', (answer, upstream, first) => {
    socket.write(headOf(answer));
    if (first.length > 0) socket.write(first);
    if (head.length > 0) upstream.write(head);
    pipeline(upstream, socket, upstream, () => {
      socket.destroy();
      upstream.destroy();
    });
  });
  onward.on('response', (answer) => {
    socket.write(headOf(answer, ['Connection', 'close']));
    pipeline(answer, socket, () => {});
  });
  onward.on('error', () => {
    if (!socket.writable) return;
    const failure = new GatewayError('SERVICE_UNAVAILABLE', 'The gateway is not ready', {
      retryAfter: 1,
    });
    socket.end(rawRefusal(incoming.headers, failure));
  });
  onward.end();
}

/** What the body is framed by, and the connection, are this connection's own. */
const OWN = /^(?:connection|keep-alive|transfer-encoding)$/i;

function headOf(
  { statusCode = 502, rawHeaders }: IncomingMessage,
  ...own: [string, string][]
): string {
  const isUpgrade = statusCode === 101;
  const passed = rawHeaders.flatMap((name, at) =>
    at % 2 === 0 && (isUpgrade || !OWN.test(name)) ? [[name, rawHeaders[at + 1]] as const] : [],
  );
  const lines = [...passed, ...own].map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}`, ...lines, '', ''].join('\r\n');
}
