/** The relay's RPC service: finds the client of a call, runs the request, keeps what is large. */
import type { ServiceImpl } from '@connectrpc/connect';
import { can, type ResultBytes } from '../proto/driver.ts';
import { badRequest } from '../proto/errors.ts';
import type {
  RelayService,
  RunRequest,
  RunResponse,
  TransactRequest,
} from '../proto/gen/relay/v1/relay_pb.ts';
import type { Admission } from './admission.ts';
import { callOf, notSupported, ownerOf, targetOf, using } from './backend-call.ts';
import type { Calls, Subject } from './calls.ts';
import { changesMethods } from './changes.ts';
import type { CallContext } from './drivers/deadline.ts';
import { inTurn } from './heavy-work.ts';
import type { LeaseRegistry } from './leases.ts';
import { onceMethods } from './once.ts';
import type { Figures } from './parts/messages.ts';
import type { Pools } from './pools.ts';
import { parse, parseInPieces, parseOperations, parseOperationsInPieces } from './requests.ts';
import type { Results } from './results.ts';
import { rowFormOf, rowsAs } from './row-forms.ts';
import { shareMethods } from './shares.ts';
import type { CallTarget } from './target.ts';

/** What the service works with. */
export interface ServiceParts {
  readonly calls: Calls;
  readonly pools: Pools;
  readonly leases: LeaseRegistry;
  readonly results: Results;
  readonly admission: Pick<Admission, 'onGatewaysClock'>;
  readonly node: {
    readonly id: string;
    /** UUID of the process that is the node; empty of a default node. */
    readonly instance: string;
    readonly version: string;
    readonly startedMs: number;
  };
  /** Of a relay that is a part of one: what all have together. */
  readonly ofAll?: () => Promise<Figures>;
}

type Methods = ServiceImpl<typeof RelayService>;
/** The methods; one of them answers before its reply is a message. */
export type RelayMethods = Omit<Methods, 'run'> & {
  run(request: RunRequest, context: CallContext): Promise<RunReply>;
};
/** A `RunResponse` before it is a message. */
type RunReply = Pick<RunResponse, 'result' | 'backendUs' | 'collectId'>;

/** The methods as Connect calls them. */
export function relayService(parts: ServiceParts): RelayMethods {
  return {
    ...requestMethods(parts),
    ...onceMethods(parts),
    ...sessionMethods(parts),
    ...changesMethods(parts),
    ...shareMethods(parts),
    ...nodeMethods(parts),
  };
}

function requestMethods({ calls, pools, leases, results }: ServiceParts) {
  return {
    run: (request, context) =>
      calls.unary('Run', context, async (signal, subject) => {
        const target = targetOf(request.target, subject, request.sessionId !== '');
        const call = callOf(request, target, signal, request.request, subject);
        const parsed = await readRequest(target, request, signal, subject);
        const started = begin(subject);
        const result =
          request.sessionId === ''
            ? await using(pools, target, ({ client }) => client.run(parsed, call))
            : await leases.run(request.sessionId, target.endpoint, parsed, call);
        return reply(results, result, started);
      }),

    transact: (request, context) =>
      calls.unary('Transact', context, async (signal, subject) => {
        const target = targetOf(request.target, subject);
        // What they refer to stays until all have run.
        const given = callOf(request, target, signal, request.operations, subject);
        const call = { ...given, letGo: undefined };
        const operations = await readOperations(target, request, signal, subject);
        const started = begin(subject);
        const result = await using(pools, target, ({ client }) => {
          if (!can(client, 'transact')) throw notSupported('transactions');
          return client.transact(operations, call);
        });
        return reply(results, result, started);
      }),

    runStream: (request, context) =>
      calls.stream('RunStream', context, async function* (signal, subject) {
        const target = targetOf(request.target, subject);
        if (request.sessionId !== '') throw notSupported('streams in sessions');
        const call = callOf(request, target, signal, request.request, subject);
        const form = rowFormOf(request.rowForm);
        const parsed = await readRequest(target, request, signal, subject);
        begin(subject);
        const use = await pools.enter(target);
        try {
          const { client } = use;
          if (!can(client, 'stream')) throw notSupported('streams');
          for await (const chunk of rowsAs(form, client, parsed, call)) yield { chunk };
        } finally {
          use.leave();
        }
      }),

    watch: (request, context) =>
      calls.stream('Watch', context, async function* (signal, subject) {
        const target = targetOf(request.target, subject);
        const call = callOf({}, target, signal, request.request, subject);
        const parsed = await readRequest(target, request, signal, subject);
        const use = await pools.enter(target);
        try {
          const { client } = use;
          if (!can(client, 'watch')) throw notSupported('subscriptions');
          const after = request.resumeAfter === '' ? undefined : request.resumeAfter;
          for await (const { id = '', data } of client.watch(parsed, call, after)) {
            yield { id, event: data };
          }
        } finally {
          use.leave();
        }
      }),

    collect: (request, context) =>
      calls.stream('Collect', context, async function* () {
        for (const chunk of results.collect(request.collectId)) yield { chunk };
      }),
  } satisfies Partial<RelayMethods>;
}

const NONE = new Uint8Array();

/** Reads a request, of which the message then holds nothing. */
async function readRequest(
  target: CallTarget,
  message: Pick<RunRequest, 'request'>,
  signal: AbortSignal,
  subject: Subject,
) {
  const { request: bytes } = message;
  const read = await inTurn({ owner: ownerOf(target), signal, subject }, bytes, {
    whole: () => parse(target, bytes),
    inPieces: () => parseInPieces(target, bytes),
  });
  message.request = NONE;
  return read;
}

/** As `readRequest`, those of a transaction. */
async function readOperations(
  target: CallTarget,
  message: Pick<TransactRequest, 'operations'>,
  signal: AbortSignal,
  subject: Subject,
) {
  const { operations: bytes } = message;
  const read = await inTurn({ owner: ownerOf(target), signal, subject }, bytes, {
    whole: () => parseOperations(target, bytes),
    inPieces: () => parseOperationsInPieces(target, bytes),
  });
  message.operations = NONE;
  return read;
}

function sessionMethods({ calls, pools, leases, admission }: ServiceParts) {
  return {
    openSession: (request, context) =>
      calls.unary('OpenSession', context, async (signal, subject) => {
        const target = targetOf(request.target, subject);
        if (target.mode !== 'write') throw badRequest('target.mode', 'must be write');
        const use = await pools.enter(target);
        const { id, expiresMs } = await leases.open({
          endpoint: target.endpoint,
          poolKey: target.poolKey,
          max: use.leasesMax,
          async start() {
            const { client } = use;
            if (!can(client, 'lease')) throw notSupported('sessions');
            return client.lease(callOf({}, target, signal));
          },
          ended: use.leave,
        });
        return { sessionId: id, expiresMs: BigInt(admission.onGatewaysClock(expiresMs)) };
      }),

    closeSession: (request, context) =>
      calls.unary('CloseSession', context, async (_signal, subject) => {
        subject.endpoint = request.endpoint;
        return { found: await leases.close(request.sessionId, request.endpoint) };
      }),
  } satisfies Partial<RelayMethods>;
}

function nodeMethods({ calls, pools, leases, node, ofAll }: ServiceParts) {
  return {
    ping: (request, context) =>
      calls.unary('Ping', context, async (signal, subject) => {
        const target = targetOf(request.target, subject);
        const call = callOf({}, target, signal);
        return await using(pools, target, async ({ client }) => {
          const latencyUs = microseconds(await client.ping(call));
          const warnings = can(client, 'warnings') ? await client.warnings(call) : [];
          return { latencyUs, warnings: warnings.map((warning) => ({ ...warning })) };
        });
      }),

    inspect: (request, context) =>
      calls.unary('Inspect', context, async (signal, subject) => {
        const target = targetOf(request.target, subject);
        const call = callOf({}, target, signal);
        const { afterNamespace, afterName, limit } = request;
        const begins = afterNamespace === '' && afterName === '';
        const page = { limit, ...(begins ? {} : { after: [afterNamespace, afterName] as const }) };
        const started = begin(subject);
        const { tables, more } = await using(pools, target, ({ client }) => {
          if (!can(client, 'inspect')) throw notSupported('a schema to tell of');
          return client.inspect(page, call);
        });
        const backendUs = microseconds(performance.now() - started);
        return { tables: new TextEncoder().encode(JSON.stringify(tables)), more, backendUs };
      }),

    release: (request, context) =>
      calls.unary('Release', context, async (_signal, subject) => {
        subject.endpoint = request.endpoint;
        const keep = String(request.keepRevision);
        leases.release(request.endpoint, keep);
        return { pools: pools.release(request.endpoint, keep) };
      }),

    status: (_request, context) =>
      calls.unary('Status', context, async () => {
        const own = { pools: pools.size, connections: pools.connections, sessions: leases.size };
        const all = (await ofAll?.()) ?? own;
        return {
          node: node.id,
          instance: node.instance,
          version: node.version,
          startedMs: BigInt(node.startedMs),
          draining: calls.draining,
          pools: all.pools,
          connections: all.connections,
          sessions: all.sessions,
        };
      }),
  } satisfies Partial<RelayMethods>;
}

/** Notes that the backend is asked from now on. */
function begin(subject: Subject): number {
  subject.askedAt = performance.now();
  return subject.askedAt;
}

function reply(results: Results, result: ResultBytes, started: number): RunReply {
  const backendUs = microseconds(performance.now() - started);
  const collectId = results.keep(result);
  return collectId === undefined
    ? { result, backendUs, collectId: '' }
    : { result: new Uint8Array(), backendUs, collectId };
}

function microseconds(ms: number): bigint {
  return BigInt(Math.round(ms * 1000));
}
