/** The relay that hostile servers talk to: started in its own process, called as the gateway does, watched. */
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { ConnectError } from '@connectrpc/connect';
import {
  callToken,
  clientOf,
  configOf,
  type Keys,
  makeKeys,
  seal,
} from '../../../node-relay/test/relay.ts';
import type { Told } from '../../../node-relay/test/watched.ts';
import type { ConnectionEnvelope } from '../../../proto/driver.ts';
import { ErrorDetailSchema } from '../../../proto/gen/relay/v1/relay_pb.ts';
import type { KindCall } from './kind.ts';

/** A call that has not ended so many milliseconds after its deadline hangs. */
const END_MAX_MS = 20_000;
const READY_MAX_MS = 60_000;
/** Events of a subscription that are waited for. */
const EVENTS = 3;
const TOKEN_S = 86_400;

/** What a call came to: its result, or how far it came and how it failed. */
export interface Answer {
  readonly text: string;
  /** A code of the error table; `HANGS`; `DIES` when the relay went away. */
  readonly failure?: string;
  readonly message?: string;
}

const PROGRAM = fileURLToPath(
  new URL('../../../node-relay/test/watched-relay.ts', import.meta.url),
);
/** A relay that says nothing about itself for so long is stuck, in milliseconds. */
const TELLS_MAX_MS = 10_000;

/** How the relay's process is. */
interface Health {
  /** Highest so far: bytes, and milliseconds that its loop was held up. */
  rss: number;
  blockedMs: number;
  /** Why it ended, if it has. */
  fatal?: string;
}

/** An endpoint at one server. */
interface Endpoint {
  call(call: KindCall, timeoutMs: number): Promise<Answer>;
  /** Forgets its pool. */
  release(): Promise<void>;
}

/** A relay in its own process. */
export interface TestedRelay {
  readonly health: Health;
  endpoint(kind: string, envelope: ConnectionEnvelope): Promise<Endpoint>;
  /** Calls in flight and connections to servers. */
  status(): Promise<{ readonly connections: number }>;
  stop(): Promise<void>;
}

/** Starts one that is ready to serve a kind. */
export async function startTestedRelay(kind: string): Promise<TestedRelay> {
  const keys = await makeKeys();
  // Checks the settings here, where a fault can be read.
  const env = { RELAY_ALLOW: '*', HTTP_ALLOW_PRIVATE: 'true' };
  configOf(keys, env);
  const child = fork(PROGRAM, [kind], {
    execArgv: [],
    env: {
      ...process.env,
      ...env,
      RELAY_NODE_KEY: JSON.stringify(keys.nodePrivate),
      GATEWAY_PUBLIC_KEY: JSON.stringify(keys.gatewayPublic),
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const health: Health = { rss: 0, blockedMs: 0 };
  const { port, nodeId } = await ready(child, health);
  endWhenStuck(child, health);
  const token = await callToken(keys, nodeId, { lifeS: TOKEN_S });
  const client = clientOf(`http://127.0.0.1:${port}`, token);
  return {
    health,
    endpoint: (kind, envelope) => openEndpoint(client, keys, kind, envelope),
    status: async () => ({ connections: (await client.status({})).connections }),
    stop: () => ended(child),
  };
}

function ready(child: ChildProcess, health: Health): Promise<{ port: number; nodeId: string }> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('The relay did not start')), READY_MAX_MS);
    child.on('message', (told: Told) => {
      if ('port' in told) {
        clearTimeout(timer);
        resolve(told);
      } else if ('fatal' in told) {
        health.fatal = told.fatal;
      } else {
        health.rss = Math.max(health.rss, told.rss);
        health.blockedMs = Math.max(health.blockedMs, told.blockedMs);
      }
    });
    child.on('exit', (code, signal) => {
      health.fatal ??= `ended with ${signal ?? code}`;
      reject(new Error(health.fatal));
    });
  });
}

function endWhenStuck(child: ChildProcess, health: Health): void {
  const stuck = () => {
    health.fatal ??= `its loop was held up for ${TELLS_MAX_MS} ms`;
    child.kill('SIGKILL');
  };
  let timer = setTimeout(stuck, TELLS_MAX_MS);
  child.on('message', () => {
    clearTimeout(timer);
    timer = setTimeout(stuck, TELLS_MAX_MS);
  });
  child.on('exit', () => clearTimeout(timer));
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  // One that spins hears nothing else.
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

type Client = ReturnType<typeof clientOf>;

async function openEndpoint(
  client: Client,
  keys: Keys,
  kind: string,
  envelope: ConnectionEnvelope,
): Promise<Endpoint> {
  const endpoint = randomUUID();
  const sealedConnection = await seal(keys.nodePublic, envelope);
  return {
    async call({ method, mode, request, resultMaxBytes = 1_048_576, plain }, timeoutMs) {
      const poolKey = `${endpoint}:1:${mode}:production`;
      const message = {
        target: { kind, endpoint, poolKey, mode, profile: 'production', sealedConnection },
        request: new TextEncoder().encode(JSON.stringify(request)),
        resultMaxBytes: BigInt(resultMaxBytes),
      };
      // The header alone: when the relay itself ends the call is what is looked at.
      const headers = { 'Connect-Timeout-Ms': String(timeoutMs) };
      const signal = AbortSignal.timeout(timeoutMs + END_MAX_MS);
      const pieces: Uint8Array[] = [];
      const text = () => {
        const whole = Buffer.concat(pieces).toString();
        return plain?.(whole) ?? whole;
      };
      try {
        if (method === 'stream') {
          for await (const { chunk } of client.runStream(message, { headers, signal })) {
            pieces.push(chunk);
          }
        } else if (method === 'watch') {
          const { target, request: asked } = message;
          await watch(client, { target, request: asked }, { headers, signal }, pieces);
        } else await collect(client, message, { headers, signal }, pieces);
        return { text: text() };
      } catch (thrown) {
        return { text: text(), ...failureOf(thrown, signal) };
      }
    },
    async release() {
      await client.release({ endpoint }).catch(() => {});
    },
  };
}

/** The first events, one a line. */
async function watch(
  client: Client,
  message: Parameters<Client['watch']>[0],
  options: Parameters<Client['watch']>[1],
  pieces: Uint8Array[],
): Promise<void> {
  let left = EVENTS;
  for await (const { event } of client.watch(message, options)) {
    // The first says that the subscription is active.
    if (event.length === 0) continue;
    pieces.push(event, Buffer.from('\n'));
    left -= 1;
    if (left === 0) return;
  }
}

async function collect(
  client: Client,
  message: Parameters<Client['run']>[0],
  options: Parameters<Client['run']>[1],
  pieces: Uint8Array[],
): Promise<void> {
  const { result, collectId } = await client.run(message, options);
  pieces.push(result);
  if (collectId === '') return;
  for await (const { chunk } of client.collect({ collectId }, options)) pieces.push(chunk);
}

function failureOf(thrown: unknown, signal: AbortSignal): Pick<Answer, 'failure' | 'message'> {
  if (signal.aborted) return { failure: 'HANGS', message: '' };
  if (!(thrown instanceof ConnectError)) return { failure: 'DIES', message: String(thrown) };
  const [detail] = thrown.findDetails(ErrorDetailSchema);
  return { failure: detail?.code ?? 'DIES', message: thrown.rawMessage };
}
