/** A node of an organization's own that answers whatever it is told to: plain HTTP that speaks Connect as it likes. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { create, toBinary } from '@bufbuild/protobuf';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { Gateway, NodeReply } from '../../../node-relay/node/gateway.ts';
import { StatusResponseSchema } from '../../../proto/gen/relay/v1/relay_pb.ts';
import type { Organization } from '../../organization.ts';

/** How often it says that it is there, in milliseconds. */
const BEAT_MS = 8_000;

/** A reply as it goes over the wire. */
export interface RawReply {
  readonly status: number;
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** A running one. */
export interface DishonestNode {
  readonly uuid: string;
  /** What it answers a method with; of others it knows nothing. */
  answers: (method: string) => RawReply | undefined;
  stop(): void;
}

/** Registers one, and has it beat. */
export async function startDishonestNode(organization: Organization): Promise<DishonestNode> {
  const held = { answers: (_method: string): RawReply | undefined => undefined };
  const server = createServer((request, response) => {
    const method = request.url?.split('/').at(-1) ?? '';
    request.resume().on('end', () => send(response, method, held.answers(method)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // Of one that listens on a port.
  const [signing, sealing] = await Promise.all([
    keyOf(generateKeyPair('Ed25519', { extractable: true })),
    keyOf(generateKeyPair('ECDH-ES', { extractable: true, crv: 'P-256' })),
  ]);
  const made = await organization.call('POST', '/nodes', {
    name: `dishonest-${port}`,
    url: `http://127.0.0.1:${port}`,
    signing_key: publicOf(signing),
    sealing_key: publicOf(sealing),
  });
  const { uuid = '' } = made.body as Record<string, string>;
  const gateway = new Gateway(organization.gateway.url, { signing, sealing });
  const beat = () =>
    gateway.post(
      `/nodes/${uuid}/beat`,
      {
        ...{ version: '0.1.0', kinds: ['postgres', 'mongo'], clock_offset_ms: 0, stopping: false },
        load: { calls: 0, connections: 0 },
      },
      NodeReply,
    );
  await beat();
  const beats = setInterval(() => void beat().catch(() => {}), BEAT_MS);
  return Object.assign(held, {
    uuid,
    stop() {
      clearInterval(beats);
      server.closeAllConnections();
      server.close();
    },
  });
}

const STATUS: RawReply = {
  status: 200,
  type: 'application/proto',
  body: toBinary(StatusResponseSchema, create(StatusResponseSchema, {})),
};

function send(response: ServerResponse, method: string, reply: RawReply | undefined): void {
  const told = method === 'Status' ? STATUS : reply;
  if (told === undefined) {
    response.writeHead(501, { 'Content-Type': 'application/json' });
    response.end('{"code":"unimplemented"}');
    return;
  }
  response.writeHead(told.status, { 'Content-Type': told.type, ...told.headers });
  response.end(told.body);
}

async function keyOf(pair: ReturnType<typeof generateKeyPair>): Promise<JWK> {
  return exportJWK((await pair).privateKey);
}

function publicOf({ d: _private, ...key }: JWK): string {
  return JSON.stringify(key);
}
