/** Passes a request on to a part's socket, and its reply back: byte for byte, both ways with backpressure. */
import {
  Agent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import { pipeline } from 'node:stream';

/** Set on what the relay's port passes on: it is served where it arrives. */
export const FORWARDED = 'causeway-forwarded';

/** Of the connection, not of the message, and so not passed on. Source: RFC 9110 §7.6.1. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Connections to parts, kept open. */
export const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

/**
 * Passes a request on. A part that cannot be connected to has seen none of it: the reply is
 * NODE_UNAVAILABLE. Once connected, the outcome is unknown: when the part is lost, the client's connection ends, too.
 */
export function forward(
  incoming: IncomingMessage,
  reply: ServerResponse,
  socketPath: string,
): void {
  const { method = 'GET', url = '/' } = incoming;
  const { ':authority': host } = incoming.headers;
  const headers = {
    ...(typeof host === 'string' && { host }),
    ...passedOn(incoming.headers),
    [FORWARDED]: '1',
  };
  const onward = request({ agent, socketPath, method, path: url, headers, setHost: false });
  onward.on('response', (answer) => {
    reply.writeHead(answer.statusCode ?? 502, passedOn(answer.headers));
    // A stream's first bytes may come long after its head; a short reply goes out in one piece with it.
    setImmediate(() => reply.flushHeaders());
    pipeline(answer, reply, (failure) => failure && reply.destroy());
  });
  onward.on('error', (cause: NodeJS.ErrnoException) => {
    if (cause.syscall === 'connect' && !reply.headersSent) refuseCall(incoming, reply);
    else reply.destroy();
  });
  reply.on('close', () => reply.writableFinished || onward.destroy());
  // Not by pipeline: it would cut the client off before the refusal.
  if (hasBody(incoming)) incoming.pipe(onward);
  else onward.end();
}

/** Answers that no part can take the call now; nothing was done. */
export function refuseCall(incoming: IncomingMessage, reply: ServerResponse): void {
  // What the client still sends is dropped.
  incoming.resume();
  // Loaded when it is first needed: the library is most of what a supervisor would load.
  import('./refusal.ts').then(
    ({ refuseUnready }) => refuseUnready(incoming, reply),
    () => reply.destroy(),
  );
}

/** Headers without those of the connection. */
export function passedOn(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    // Those of HTTP/2 that begin with a colon say what the first line of HTTP/1.1 does.
    if (value !== undefined && !HOP_BY_HOP.has(name) && !name.startsWith(':')) kept[name] = value;
  }
  return kept;
}

/** In HTTP/2 no header says; all that is called there is a POST. */
function hasBody({ headers, httpVersionMajor, method }: IncomingMessage): boolean {
  if (httpVersionMajor > 1) return method === 'POST';
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
