/** How to reach the backends of known pools: opened once, kept in memory only. */
import { Code } from '@connectrpc/connect';
import { compactDecrypt, importJWK, type JWK } from 'jose';
import * as z from 'zod';
import { JsonValue } from '../kinds/members.ts';
import { CONNECTION_USES, type ConnectionEnvelope } from '../proto/driver.ts';
import { GatewayError } from '../proto/errors.ts';
import { parseJson } from '../proto/json.ts';
import { CallRefused } from './failures.ts';
import type { CallTarget } from './target.ts';

/** Connections remembered at a time; the least recently learnt is forgotten first. Spec silent. */
const CONNECTIONS_MAX = 10_000;

const Envelope: z.ZodType<ConnectionEnvelope> = z.object({
  connection: JsonValue,
  use: z.enum(CONNECTION_USES).optional(),
  settings: z.record(z.string(), JsonValue),
});

/** Unseals connections with the node's private keys and remembers them by pool key. */
export class Connections {
  #keys: Promise<Awaited<ReturnType<typeof importJWK>>[]> = Promise.resolve([]);
  readonly #known = new Map<string, ConnectionEnvelope>();

  constructor(nodeKeys: readonly JWK[]) {
    this.use(nodeKeys);
  }

  /** Opens connections with these keys from now on, the current one first. */
  use(nodeKeys: readonly JWK[]): void {
    this.#keys = Promise.all(nodeKeys.map((key) => importJWK(key, 'ECDH-ES')));
    // Reported by the first call that waits for it.
    this.#keys.catch(() => {});
  }

  /**
   * The connection of a target's pool, from memory or from the target itself.
   * @throws CallRefused CONNECTION_UNKNOWN when it is neither known nor sent
   * @throws GatewayError NODE_UNAVAILABLE when it is not sealed to this node
   */
  async get({ poolKey, sealed }: CallTarget): Promise<ConnectionEnvelope> {
    const known = this.#known.get(poolKey);
    if (known !== undefined) return known;
    if (sealed === '') {
      throw new CallRefused(
        Code.FailedPrecondition,
        'CONNECTION_UNKNOWN',
        'The connection of this pool is not known here',
      );
    }
    const envelope = await this.#unseal(sealed);
    for (const [oldest] of this.#known) {
      if (this.#known.size < CONNECTIONS_MAX) break;
      this.#known.delete(oldest);
    }
    this.#known.set(poolKey, envelope);
    return envelope;
  }

  /** Whether the connection of a pool is remembered. */
  has(poolKey: string): boolean {
    return this.#known.has(poolKey);
  }

  forget(poolKey: string): void {
    this.#known.delete(poolKey);
  }

  /** Forgets an endpoint's connections, those of the revision to keep left out. */
  forgetEndpoint(endpoint: string, keepRevision: string): void {
    for (const poolKey of this.#known.keys()) {
      if (isOther(poolKey, endpoint, keepRevision)) this.#known.delete(poolKey);
    }
  }

  async #unseal(sealed: string): Promise<ConnectionEnvelope> {
    let cause: unknown;
    for (const key of await this.#keys) {
      try {
        const { plaintext } = await compactDecrypt(sealed, key, {
          keyManagementAlgorithms: ['ECDH-ES'],
          contentEncryptionAlgorithms: ['A256GCM'],
        });
        return Envelope.parse(parseJson(new TextDecoder().decode(plaintext)));
      } catch (thrown) {
        cause = thrown;
      }
    }
    throw new GatewayError(
      'NODE_UNAVAILABLE',
      'The sealed connection cannot be opened with the key of this node',
      { cause },
    );
  }
}

/** Whether a pool key is of the endpoint and not of the revision to keep; revision `0` keeps none. */
export function isOther(poolKey: string, endpoint: string, keepRevision: string): boolean {
  const [named, revision] = poolKey.split(':');
  return named === endpoint && (keepRevision === '0' || revision !== keepRevision);
}
