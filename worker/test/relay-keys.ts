/** A relay as the gateway sees it: its keys, and the requests that it signs. */
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import type { Json } from '../../proto/json.ts';
import { NODE_HEADERS, signRequest } from '../../proto/node-signature.ts';
import { demandDescribed } from './described.ts';
import type { TestGateway } from './gateway.ts';

/** How a request differs from that of an honest relay. */
export interface Change {
  /** Instead of the nonce that the gateway gave last. */
  readonly nonce?: string;
  /** Signs instead of the relay's own key. */
  readonly key?: JWK;
  /** Instead of the request's own. */
  readonly signature?: string;
  /** Sent instead of the body that was signed. */
  readonly body?: Json;
}

const publicOf = ({ d: _, ...key }: JWK): JWK => key;

/** Two key pairs. */
export async function relayKeys() {
  const signing = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  const sealing = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true });
  const keys = {
    signing: await exportJWK(signing.privateKey),
    sealing: await exportJWK(sealing.privateKey),
  };
  const told = {
    signing_key: JSON.stringify(publicOf(keys.signing)),
    sealing_key: JSON.stringify(publicOf(keys.sealing)),
  };
  return { ...keys, told };
}
export type RelayKeys = Awaited<ReturnType<typeof relayKeys>>;

/** What every beat says unless a test says otherwise. */
export const BEAT = {
  version: '1.2.3',
  kinds: ['postgres'],
  load: { calls: 2, connections: 5 },
  clock_offset_ms: -7,
};

/** One process with a node's keys. */
export function relayProcess(gateway: Pick<TestGateway, 'send'>, keys: RelayKeys) {
  const instance = crypto.randomUUID();
  let nonce = '';
  async function post(path: string, sent: Json, change: Change = {}) {
    const body = new TextEncoder().encode(JSON.stringify(sent));
    const used = change.nonce ?? nonce;
    const request = { method: 'POST', path: `/api/v1${path}`, instance, body, nonce: used };
    const response = await gateway.send(path, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        [NODE_HEADERS.instance]: instance,
        [NODE_HEADERS.nonce]: used,
        [NODE_HEADERS.signature]:
          change.signature ?? (await signRequest(change.key ?? keys.signing, request)),
      },
      body: change.body === undefined ? body : JSON.stringify(change.body),
    });
    const reply = { status: response.status, body: await response.json<Json>() };
    demandDescribed('POST', path, reply);
    const given = response.headers.get(NODE_HEADERS.nonce);
    const told = reply.body as { nonce?: string };
    nonce = told.nonce ?? given ?? '';
    return { ...reply, used };
  }
  return {
    instance,
    post,
    /** One beat; without a nonce yet it is sent again with the one that the refusal gives. */
    async beat(uuid: string, more: object = {}) {
      const body = { ...BEAT, ...more };
      if (nonce === '') await post(`/nodes/${uuid}/beat`, body);
      return post(`/nodes/${uuid}/beat`, body);
    },
  };
}
