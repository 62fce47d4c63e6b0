/** Who may call: the gateway, by a token that it signed for this node. */
import { Code } from '@connectrpc/connect';
import { importJWK, type JWK, type JWTVerifyOptions, jwtVerify } from 'jose';
import { CallRefused } from './failures.ts';

/** Tokens remembered at a time; the gateway uses one a minute in each isolate. Spec silent. */
const REMEMBERED_MAX = 10_000;

/** What distinguishes a call token from a forged one. */
interface AdmissionOptions {
  /** Ed25519 public keys of the gateway: the current one and the one before. */
  readonly gatewayKeys: readonly JWK[];
  /** The audience of tokens for this node. */
  readonly nodeId: string;
  /** Unix epoch milliseconds on this machine's clock; tokens issued earlier may have been seen by the process that ran here before. */
  readonly startedMs: number;
  /** Milliseconds by which this machine's clock is ahead of the gateway's. */
  readonly clockOffsetMs?: number;
  /** Told before each verification of a signature. */
  readonly onVerify?: () => void;
}

/** Verifies call tokens, each once. */
export class Admission {
  readonly #options: AdmissionOptions;
  #keys: Promise<readonly Awaited<ReturnType<typeof importJWK>>[]>;
  #keysText = '';
  #clockOffsetMs: number;
  /** Milliseconds of the gateway's clock at which a token expires, by the token; a promise while it is being verified. */
  readonly #known = new Map<string, number | Promise<number>>();

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#clockOffsetMs = options.clockOffsetMs ?? 0;
    this.#keys = this.#import(options.gatewayKeys);
  }

  /** Takes the gateway's clock, and its keys where they are others. */
  follow(clockOffsetMs: number, gatewayKeys: readonly JWK[] | undefined): void {
    this.#clockOffsetMs = clockOffsetMs;
    if (gatewayKeys === undefined || JSON.stringify(gatewayKeys) === this.#keysText) return;
    this.#keys = this.#import(gatewayKeys);
    // What a key that is gone has admitted is admitted no longer.
    this.#known.clear();
  }

  /** Takes tokens that these keys signed, from now on and of no others. */
  use(gatewayKeys: readonly JWK[]): void {
    this.follow(this.#clockOffsetMs, gatewayKeys);
  }

  #import(keys: readonly JWK[]) {
    this.#keysText = JSON.stringify(keys);
    const imported = Promise.all(keys.map((key) => importJWK(key, 'EdDSA')));
    // Reported by the first call that waits for it.
    imported.catch(() => {});
    return imported;
  }

  /** A time of this machine's clock on the gateway's: tokens and leases are of that. */
  onGatewaysClock(ms: number): number {
    return ms - this.#clockOffsetMs;
  }

  #now(): number {
    return this.onGatewaysClock(Date.now());
  }

  /**
   * Admits a call by its `Authorization` header; synchronous once the token is known.
   * @throws CallRefused Unauthenticated
   */
  admit(authorization: string | null): void | Promise<void> {
    const token = authorization?.startsWith('Bearer ') ? authorization.slice(7) : '';
    const known = this.#known.get(token);
    if (typeof known === 'number' && this.#now() < known) return;
    return this.#admitNew(token, known instanceof Promise ? known : undefined);
  }

  async #admitNew(token: string, verifying: Promise<number> | undefined): Promise<void> {
    if (token === '') throw unauthenticated('A call token is required');
    const verification = verifying ?? this.#verify(token);
    if (verifying === undefined) this.#remember(token, verification);
    try {
      const expires = await verification;
      if (verifying === undefined) this.#known.set(token, expires);
    } catch (reason) {
      this.#known.delete(token);
      throw reason;
    }
  }

  #remember(token: string, verification: Promise<number>): void {
    this.#known.delete(token);
    for (const [oldest] of this.#known) {
      if (this.#known.size < REMEMBERED_MAX) break;
      this.#known.delete(oldest);
    }
    this.#known.set(token, verification);
  }

  async #verify(token: string): Promise<number> {
    const { nodeId, startedMs, onVerify } = this.#options;
    onVerify?.();
    // An allow-list: the token's own header decides nothing.
    const options: JWTVerifyOptions = {
      algorithms: ['EdDSA'],
      audience: nodeId,
      requiredClaims: ['iat', 'exp'],
      currentDate: new Date(this.#now()),
    };
    for (const key of await this.#keys) {
      const verified = await jwtVerify(token, key, options).catch(() => undefined);
      const { iat, exp } = verified?.payload ?? {};
      // The library compares whole seconds.
      if (iat === undefined || exp === undefined || exp * 1000 <= this.#now()) continue;
      if (iat * 1000 < this.onGatewaysClock(startedMs))
        throw unauthenticated('The call token is older than this node');
      return exp * 1000;
    }
    throw unauthenticated('The call token is not valid for this node');
  }
}

/** A client sees NODE_UNAVAILABLE: its own token is not at fault. */
function unauthenticated(message: string): CallRefused {
  return new CallRefused(Code.Unauthenticated, 'NODE_UNAVAILABLE', message);
}
