/** How a node speaks to its gateway: each request signed, with the nonce that the gateway gave last. Spec: nodes.md §1. */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { NODE_HEADERS, signRequest } from '../../proto/node-signature.ts';
import { GatewayRefusal, gatewayRefusal } from './gateway-refusal.ts';
import type { NodeKeys } from './settings.ts';

/** Milliseconds that the gateway may take. Spec silent. */
const TIMEOUT_MS = 5_000;
const BASE_PATH = '/api/v1';

/** What every request of a node is answered. */
export const NodeReply = z.object({
  nonce: z.string(),
  time: z.number(),
  gateway_keys: z.array(z.record(z.string(), z.string())),
});
/** What enrolling is answered. */
export const Joined = NodeReply.extend({
  uuid: z.string(),
  name: z.string(),
  organization: z.string(),
  transport: z.enum(['direct', 'tunnel']),
});
export type Joined = z.infer<typeof Joined>;

/** One process of a node, as its gateway knows it. */
export class Gateway {
  /** Of this process; parts and tunnels share it. */
  readonly instance: string;
  readonly url: string;
  /** Its public keys as it told them last; undefined before that. */
  heardKeys: readonly object[] | undefined;
  /** It may know the node by other keys from now on: a refusal says nothing. */
  isRenewing = false;
  #keys: NodeKeys;
  #nonce = '';
  /** Milliseconds by which this machine's clock is ahead of the gateway's. */
  clockOffsetMs: number;

  /** @param url with or without the path of the API */
  constructor(url: string, keys: NodeKeys, clockOffsetMs = 0, instance: string = randomUUID()) {
    this.instance = instance;
    this.url = url.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
    this.#keys = keys;
    this.clockOffsetMs = clockOffsetMs;
  }

  /** The same process with other keys. */
  withKeys(keys: NodeKeys): Gateway {
    return new Gateway(this.url, keys, this.clockOffsetMs, this.instance);
  }

  /** Signs with these from now on. */
  use(keys: NodeKeys): void {
    this.#keys = keys;
  }

  /**
   * Sends a signed request; without a nonce that serves, again with the one that the refusal gives.
   * @throws Refused, or what the network throws
   */
  async post<Reply extends z.infer<typeof NodeReply>>(
    path: string,
    body: object,
    schema: z.ZodType<Reply>,
  ): Promise<Reply> {
    try {
      return await this.#send(path, body, schema);
    } catch (thrown) {
      const isStale = thrown instanceof GatewayRefusal && thrown.code === 'NODE_SIGNATURE_INVALID';
      if (!isStale || this.#nonce === '') throw thrown;
      return await this.#send(path, body, schema);
    }
  }

  /** Headers of a signed request without a body. @param nonce of a reply to such a request; empty before there was one */
  signed(method: string, path: string, nonce: string): Promise<Record<string, string>> {
    return this.#headers(method, `${BASE_PATH}${path}`, new Uint8Array(), nonce);
  }

  #takeNonce(nonce: string | null): void {
    if (nonce !== null) this.#nonce = nonce;
  }

  async #send<Reply extends z.infer<typeof NodeReply>>(
    path: string,
    body: object,
    schema: z.ZodType<Reply>,
  ): Promise<Reply> {
    const bytes = new TextEncoder().encode(JSON.stringify(body));
    const nonce = this.#nonce;
    this.#nonce = '';
    const headers = await this.#headers('POST', `${BASE_PATH}${path}`, bytes, nonce);
    const began = Date.now();
    const response = await fetch(`${this.url}${BASE_PATH}${path}`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: bytes,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const ended = Date.now();
    this.#takeNonce(response.headers.get(NODE_HEADERS.nonce));
    const reply: unknown = await response.json().catch(() => undefined);
    if (!response.ok) throw gatewayRefusal(response.status, reply);
    const told = schema.parse(reply);
    this.#takeNonce(told.nonce);
    this.heardKeys = told.gateway_keys;
    // The reply was written about half way through.
    this.clockOffsetMs = Math.round((began + ended) / 2 - told.time);
    return told;
  }

  async #headers(
    method: string,
    path: string,
    body: Uint8Array,
    nonce: string,
  ): Promise<Record<string, string>> {
    const { instance } = this;
    const signed = { method, path, instance, body, nonce };
    return {
      [NODE_HEADERS.instance]: instance,
      [NODE_HEADERS.nonce]: nonce,
      [NODE_HEADERS.signature]: await signRequest(this.#keys.signing, signed),
    };
  }
}
