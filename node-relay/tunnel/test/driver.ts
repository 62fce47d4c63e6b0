/**
 * A driver whose calls all go through a tunnel to a relay that has the real one: so the suite of
 * every driver says about the tunnel what it says about the driver.
 */
import { randomUUID } from 'node:crypto';
import { ConnectError } from '@connectrpc/connect';
import type { Kind } from '../../../kinds/index.ts';
import { kindSpec } from '../../../kinds/index.ts';
import type { BackendClient, Call, Target, WatchEvent } from '../../../proto/driver.ts';
import { type ErrorDetails, GatewayError, isErrorCode } from '../../../proto/errors.ts';
import { ErrorDetailSchema } from '../../../proto/gen/relay/v1/relay_pb.ts';
import type { OnceAnswer, OnceMark, OnceWork } from '../../../proto/once.ts';
import { SHARE_STATUSES, type ShareStatus } from '../../../proto/prepares.ts';
import type { DriverContract } from '../../drivers/contract.ts';
import type { Driver, Host } from '../../drivers/driver.ts';
import { connectionsOf, testHost } from '../../drivers/test/host.ts';
import { changesOver } from './changes.ts';
import { startTunnelledRelay, type TunnelledRelay } from './relay.ts';

/** Longer than any call of the suite. */
const TIMEOUT_MS = 240_000;
/** Why shares of transactions are left out. */
const SHARES = 'calls of shares have no form of their own in a tunnel';
const encoder = new TextEncoder();

/** A kind's suite, through a tunnel. */
export function throughTunnel<Request>(
  kind: Kind,
  [name, start, stop, lacks = {}]: DriverContract<Request>,
): DriverContract<Request> {
  let node: TunnelledRelay;
  return [
    name,
    async () => {
      const described = await start();
      node = await startTunnelledRelay({ drivers: { [kind]: described.driver as Driver } });
      return { ...described, driver: tunnelled(kind, node, described.driver) };
    },
    async () => {
      await node.stop();
      await stop();
    },
    { ...lacks, join: SHARES, prepare: SHARES },
  ];
}

function tunnelled<Request>(
  kind: Kind,
  node: TunnelledRelay,
  real: Driver<Request>,
): Driver<Request> {
  return {
    async open(target, host) {
      const line = await Line.to(kind, node, target, host);
      // What the real one cannot read, the relay says.
      const local = await real.open(target, testHost()).catch(() => undefined);
      if (local === undefined) await line.ping();
      await local?.close();
      return clientOf(line, local ?? {});
    },
  };
}

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

interface Options {
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

function optionsOf(name: string): Options {
  return { headers: { 'Test-Call': name }, timeoutMs: TIMEOUT_MS };
}

function clientOf<Request>(line: Line, local: object): BackendClient<Request> {
  const own: BackendClient<Request> = {
    run: (request, call) => run(line, request, call),
    ping: (call) =>
      line.call(call, async (options) => {
        const { latencyUs } = await line.client.ping({ target: line.target() }, options);
        return Number(latencyUs) / 1000;
      }),
    async close() {
      await line.client.release({ endpoint: line.endpoint, keepRevision: 0n });
    },
  };
  const abilities = Object.entries(abilitiesOf<Request>(line, local));
  return { ...own, ...Object.fromEntries(abilities.filter(([name]) => name in local)) };
}

function abilitiesOf<Request>(line: Line, local: object) {
  return {
    hasColumns: 'hasColumns' in local && local.hasColumns === true,
    async *stream(request: Request, call: Call) {
      const rowForm = call.tellsColumns ? 'told-lines' : 'lines';
      const message = { ...messageOf(line, request, call), rowForm };
      const pieces = line.stream(call, (options) => line.client.runStream(message, options));
      for await (const { chunk } of pieces) yield chunk;
    },
    async *watch(request: Request, call: Call, resumeAfter = ''): AsyncGenerator<WatchEvent> {
      const { target, request: bytes } = messageOf(line, request, call);
      const events = line.stream(call, (options) =>
        line.client.watch({ target, request: bytes, resumeAfter }, options),
      );
      for await (const { id, event } of events) yield { ...(id && { id }), data: event };
    },
    transact: (requests: readonly Request[], call: Call) =>
      line.call(call, async (options) => {
        const operations = operationsOf(line, requests);
        const wishes = { ...wishesOf(call), operations, target: line.target() };
        return whole(line, await line.client.transact(wishes, options), options);
      }),
    once: (work: OnceWork<Request>, mark: OnceMark, call: Call): Promise<OnceAnswer> =>
      line.call(call, async (options) => {
        const request = 'request' in work ? bytesOf(work.request) : new Uint8Array();
        const operations =
          'request' in work ? new Uint8Array() : operationsOf(line, work.operations);
        const wishes = { ...wishesOf(call), target: line.target(), mark, request, operations };
        const answer = await line.client.runOnce(wishes, options);
        return { result: await whole(line, answer, options), isReplay: answer.replayed };
      }),
    settleMark: (mark: OnceMark, recovery: string, call: Call): Promise<ShareStatus> =>
      line.call(call, async (options) => {
        const asked = { target: line.target(), mark, recovery };
        const { status } = await line.client.settleMarked(asked, options);
        return SHARE_STATUSES.find((each) => each === status) ?? 'unknown';
      }),
    async lease(call: Call) {
      const { sessionId } = await line.call(call, (options) =>
        line.client.openSession({ target: line.target() }, options),
      );
      return {
        run: (request: Request, leased: Call) => run(line, request, leased, sessionId),
        async close() {
          await line.client.closeSession({ sessionId, endpoint: line.endpoint });
        },
      };
    },
    ...changesOver(line),
    inspect: (page: { limit: number; after?: readonly [string, string] }, call: Call) =>
      line.call(call, async (options) => {
        const [afterNamespace = '', afterName = ''] = page.after ?? [];
        const asked = { target: line.target(), limit: page.limit, afterNamespace, afterName };
        const { tables, more } = await line.client.inspect(asked, options);
        return { tables: JSON.parse(new TextDecoder().decode(tables)), more };
      }),
    warnings: (call: Call) =>
      line.call(call, async (options) => {
        return (await line.client.ping({ target: line.target() }, options)).warnings;
      }),
  };
}

function bytesOf(value: unknown): Uint8Array<ArrayBuffer> {
  return encoder.encode(JSON.stringify(value));
}

/** As relays read several requests of a kind. */
function operationsOf<Request>({ kind }: Line, requests: readonly Request[]) {
  return bytesOf(kindSpec(kind).keepsText ? { operations: requests } : requests);
}

function run<Request>(line: Line, request: Request, call: Call, sessionId = '') {
  const message = { ...messageOf(line, request, call), sessionId };
  return line.call(call, async (options) =>
    whole(line, await line.client.run(message, options), options),
  );
}

/** A large result is kept by the relay, and collected. */
async function whole(
  line: Line,
  { result, collectId }: { readonly result: Uint8Array; readonly collectId: string },
  options: Options,
): Promise<Uint8Array> {
  if (collectId === '') return result;
  const chunks: Uint8Array[] = [];
  for await (const { chunk } of line.client.collect({ collectId }, options)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function messageOf<Request>(line: Line, request: Request, call: Call) {
  return {
    target: line.target(),
    request: bytesOf(request),
    ...wishesOf(call),
  };
}

function wishesOf({ resultMaxBytes, numbersAsStrings, canonical = false }: Call) {
  return { resultMaxBytes: BigInt(resultMaxBytes), numbersAsStrings, canonical };
}
