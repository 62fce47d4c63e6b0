/** Dials the gateway: a WebSocket that the node's key has signed for, through a proxy where the environment names one. */
import { globalAgent, type IncomingMessage } from 'node:http';
import { globalAgent as tlsAgent } from 'node:https';
import { type ClientOptions, WebSocket } from 'ws';
import { NODE_HEADERS } from '../../proto/node-signature.ts';
import { MESSAGE_MAX_BYTES, TUNNEL_PROTOCOL } from '../../proto/tunnel/frame.ts';
import { gatewayRefusal } from '../node/gateway-refusal.ts';

/** Milliseconds in which the gateway takes the connection or refuses it. Spec silent. */
const HANDSHAKE_MAX_MS = 5_000;
/** Milliseconds after this side has said that it closes until the connection goes: a runtime may keep its half for ten seconds. */
const CLOSED_AFTER_MS = 500;
/** The first try is answered with a nonce, by which the second is signed. */
const TRIES = 2;
/** Bytes that are read of a refusal. */
const REFUSAL_MAX_BYTES = 64 * 1024;
const UNAUTHORIZED = 401;
const BASE_PATH = '/api/v1';

/** What shows the gateway which node dials. */
export interface Credentials {
  /** The gateway's address, without the path of the API. */
  readonly url: string;
  /** Headers of one request to a path below the API's. @param nonce of the reply before; empty for the first */
  signed(method: string, path: string, nonce: string): Promise<Record<string, string>>;
}

/**
 * An open connection to the gateway's end of the node's tunnel.
 * @throws Refused, or what the network throws
 */
export async function dialGateway(credentials: Credentials, node: string): Promise<WebSocket> {
  const path = `/nodes/${node}/tunnel`;
  const url = new URL(`${credentials.url}${BASE_PATH}${path}`);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  let nonce = '';
  for (let left = TRIES; ; left -= 1) {
    const answered = await connect(url, await credentials.signed('GET', path, nonce));
    if (answered instanceof WebSocket) return answered;
    const { refusal, next } = await refusalIn(answered);
    if (refusal.status !== UNAUTHORIZED || next === '' || left === 1) throw refusal;
    nonce = next;
  }
}

/** The open connection, or a reply that refuses it. */
function connect(url: URL, headers: Record<string, string>): Promise<WebSocket | IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<WebSocket | IncomingMessage>();
  // The types lack what ends the wait for the other side.
  const options: ClientOptions & { readonly closeTimeout: number } = {
    // They go through a proxy where the environment names one: node-relay/main.ts.
    agent: url.protocol === 'wss:' ? tlsAgent : globalAgent,
    headers,
    handshakeTimeout: HANDSHAKE_MAX_MS,
    maxPayload: MESSAGE_MAX_BYTES,
    perMessageDeflate: false,
    closeTimeout: CLOSED_AFTER_MS,
  };
  const socket = new WebSocket(url, TUNNEL_PROTOCOL, options);
  socket.once('open', () => resolve(socket));
  socket.once('unexpected-response', (_request, response) => resolve(response));
  socket.once('error', reject);
  return promise;
}

async function refusalIn(response: IncomingMessage) {
  const { statusCode = 0, headers } = response;
  const nonce = headers[NODE_HEADERS.nonce.toLowerCase()];
  const refusal = gatewayRefusal(statusCode, await jsonIn(response));
  return { next: typeof nonce === 'string' ? nonce : '', refusal };
}

async function jsonIn(response: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      size += part.byteLength;
      if (size > REFUSAL_MAX_BYTES) return undefined;
      parts.push(part);
    }
    return JSON.parse(Buffer.concat(parts).toString());
  } catch {
    return undefined; // It is not the gateway that answered, or not to its end.
  } finally {
    response.destroy();
  }
}
