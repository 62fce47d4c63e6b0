/** How a client of the suites reaches its backend through a tunnel, and how it writes its calls. */
import { randomUUID } from 'node:crypto';
import { ConnectError } from '@connectrpc/connect';
import type { Kind } from '../../../kinds/index.ts';
import { kindSpec } from '../../../kinds/index.ts';
import type { Call, Target } from '../../../proto/driver.ts';
import { type ErrorDetails, GatewayError, isErrorCode } from '../../../proto/errors.ts';
import { ErrorDetailSchema } from '../../../proto/gen/relay/v1/relay_pb.ts';
import type { Host } from '../../drivers/driver.ts';
import { connectionsOf } from '../../drivers/test/host.ts';
import type { TunnelledRelay } from './relay.ts';

/** Longer than any call of the suite. */
const TIMEOUT_MS = 240_000;
const encoder = new TextEncoder();

/** How one client of the suite reaches its backend. */
export class Line {
  readonly #node: TunnelledRelay;
  readonly #target: object;
  readonly endpoint: string;
  readonly kind: Kind;

  private constructor(node: TunnelledRelay, kind: Kind, endpoint: string, target: object) {
    this.#node = node;
    this.kind = kind;
    this.endpoint = endpoint;
    this.#target = target;
  }

  static async to(kind: Kind, node: TunnelledRelay, { envelope, mode }: Target, host: Host) {
    const endpoint = randomUUID();
    const total = connectionsOf.get(host) ?? 4;
    const target = {
      kind,
      endpoint,
      poolKey: `${endpoint}:1:${mode}:production`,
      mode,
      profile: 'production',
      caps: { total, production: total, development: 0 },
      sealedConnection: await node.sealFor({ ...envelope }),
    };
    return new Line(node, kind, endpoint, target);
  }

  get client() {
    return this.#node.client;
  }

  /** The target of a call. */
  target() {
    return this.#target;
  }

  /** One call: it ends with the signal, and fails as the relay says it. */
  async call<Result>(call: Call, work: (options: Options) => Promise<Result>): Promise<Result> {
    const name = randomUUID();
    return this.#within(call, name, () => work(optionsOf(name)));
  }

  /** The same of a call that answers piece by piece; it ends when its reader leaves, too. */
  async *stream<Piece>(
    call: Call,
    work: (options: Options) => AsyncIterable<Piece>,
  ): AsyncGenerator<Piece> {
    const name = randomUUID();
    const pieces = work(optionsOf(name))[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await this.#within(call, name, () => pieces.next());
        if (done) return;
        yield value;
      }
    } finally {
      // Node's client would leave the connection open.
      await this.#node.leave(name);
    }
  }

  async #within<Result>(call: Call, name: string, work: () => Promise<Result>): Promise<Result> {
    const leave = (): void => void this.#node.leave(name);
    call.signal.addEventListener('abort', leave);
    if (call.signal.aborted) throw call.signal.reason;
    try {
      return await work();
    } catch (thrown) {
      if (call.signal.aborted) throw call.signal.reason;
      throw failureOf(thrown);
    } finally {
      call.signal.removeEventListener('abort', leave);
    }
  }

  async ping(): Promise<void> {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    await this.call({ mode: 'read', signal } as Call, (options) =>
      this.client.ping({ target: this.target() }, options),
    );
  }
}

/** What the relay told of its failure. */
function failureOf(thrown: unknown): unknown {
  const error = ConnectError.from(thrown);
  const [detail] = error.findDetails(ErrorDetailSchema);
  if (detail === undefined || !isErrorCode(detail.code)) return thrown;
  // The relay writes a GatewayError's.
  const details = JSON.parse(detail.details || '[]') as readonly ErrorDetails[];
  return new GatewayError(detail.code, error.rawMessage, { details });
}

/** Of one call, which it names. */
export interface Options {
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

function optionsOf(name: string): Options {
  return { headers: { 'Test-Call': name }, timeoutMs: TIMEOUT_MS };
}

/** JSON. */
export function bytesOf(value: unknown): Uint8Array<ArrayBuffer> {
  return encoder.encode(JSON.stringify(value));
}

/** As relays read several requests of a kind. */
export function operationsOf<Request>({ kind }: Line, requests: readonly Request[]) {
  return bytesOf(kindSpec(kind).keepsText ? { operations: requests } : requests);
}

/** A large result is kept by the relay, and collected. */
export async function whole(
  line: Line,
  { result, collectId }: { readonly result: Uint8Array; readonly collectId: string },
  options: Options,
): Promise<Uint8Array> {
  if (collectId === '') return result;
  const chunks: Uint8Array[] = [];
  for await (const { chunk } of line.client.collect({ collectId }, options)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** How results are to be told. */
export function wishesOf({ resultMaxBytes, numbersAsStrings, canonical = false }: Call) {
  return { resultMaxBytes: BigInt(resultMaxBytes), numbersAsStrings, canonical };
}
