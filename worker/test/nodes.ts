/** Calls to nodes in memory, reached by their URLs: stock Connect handlers, or what breaks before one. */
import { createExecutionContext, env } from 'cloudflare:test';
import {
  type Code,
  ConnectError,
  type HandlerContext,
  type ServiceImpl,
} from '@connectrpc/connect';
import type { ConnectionEnvelope } from '../../proto/driver.ts';
import { type ErrorCode, GatewayError } from '../../proto/errors.ts';
import { ErrorDetailSchema, type RelayService } from '../../proto/gen/relay/v1/relay_pb.ts';
import { openContext, type PublicContext } from '../context.ts';
import { startDeadline } from '../drivers/deadline.ts';
import type { Node } from '../drivers/node.ts';
import { callRelay, type RoutePlan } from '../drivers/relay.ts';
import type { Timing } from '../outcome.ts';
import { NOW, relayInMemory } from './gateway.ts';

/** What calls reach when a node asks for the connection. */
export const ENVELOPE: ConnectionEnvelope = {
  connection: { url: 'postgresql://u:p@db.test/d' },
  settings: {},
};

/** Methods of a relay. */
export type Relay = Partial<ServiceImpl<typeof RelayService>>;
/** A relay by name, or what happens to every request that is sent there. */
type Nodes = Readonly<Record<string, Relay | ((request: Request) => Promise<Response>)>>;

/** A context whose world outside is these nodes, reached by their URLs. */
export function contextOf(relays: Nodes, signal = new AbortController().signal) {
  const clock = { now: NOW };
  const fetchers = new Map(
    Object.entries(relays).map(([name, relay]) => [
      `${name}.test`,
      typeof relay === 'function'
        ? relay
        : (request: Request) => relayInMemory(relay).fetch(request),
    ]),
  );
  const ctx: PublicContext = openContext({
    signal,
    env: { ...env },
    outside: {
      now: () => clock.now,
      fetch: (request) =>
        fetchers.get(new URL(request.url).host)?.(request) ?? Promise.reject(new Error('no host')),
    },
    requestId: 'request-1',
    address: 'local',
    waitUntil: (work) => createExecutionContext().waitUntil(work),
  });
  const nodes: readonly Node[] = Object.keys(relays).map((name) => ({
    uuid: `node-${name}`,
    url: `http://${name}.test`,
    publicKey: JSON.parse(env.RELAY_NODE_PUBLIC_KEY),
    default: false,
  }));
  let opened = 0;
  const timing: Timing = {};
  const plan = (writes: boolean, timeoutMs = 1000): RoutePlan => ({
    nodes,
    writes,
    deadline: startDeadline(ctx, timeoutMs),
    timing,
    connection() {
      opened += 1;
      return Promise.resolve(ENVELOPE);
    },
  });
  /** One Run; the result as text. */
  async function run(writes: boolean, timeoutMs?: number): Promise<string> {
    const used = plan(writes, timeoutMs);
    try {
      return await callRelay(ctx, used, async ({ relay, sealedConnection, options }) => {
        const { result } = await relay.run({ target: { sealedConnection } }, options);
        return new TextDecoder().decode(result);
      });
    } finally {
      used.deadline.end();
    }
  }
  return { ctx, clock, run, timing, opened: () => opened };
}

/** What a relay answers a call that it refuses; `told` is a code of ours. */
export function refusal(code: Code, told?: string, message = 'in words'): ConnectError {
  const value = { code: told ?? '', details: '' };
  return new ConnectError(
    message,
    code,
    undefined,
    told ? [{ desc: ErrorDetailSchema, value }] : [],
  );
}

/** A result. */
export const answer = (text: string) => ({ result: new TextEncoder().encode(text) });
/** What admits a call. */
export const token = ({ requestHeader }: HandlerContext) =>
  requestHeader.get('Authorization') ?? '';
/** How a call ends. */
export const codeOf = (work: Promise<unknown>): Promise<ErrorCode | 'none'> =>
  work.then(
    () => 'none',
    (thrown) => (thrown instanceof GatewayError ? thrown.code : Promise.reject(thrown)),
  );
/** A line that breaks, as the runtime reports it. */
export const lost = () => Promise.reject(new Error('Network connection lost.'));

/** The milliseconds that a call gives the relay. */
export const deadline = ({ requestHeader }: HandlerContext): string =>
  requestHeader.get('Connect-Timeout-Ms') ?? 'none';
