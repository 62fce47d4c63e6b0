/** Clients that ask a gateway without a break, and only where it refused the connection ask again. */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** One way to ask. */
export interface Habit {
  readonly name: string;
  readonly clients: number;
  /** Connections serve several requests. */
  readonly keepAlive: boolean;
  /** Milliseconds between a reply and the next request. */
  readonly pauseMs: number;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
}

/** What clients have seen so far. */
export interface Seen {
  answered: number;
  refused: number;
  /** Each a request that was sent and not answered with 200, in words. */
  readonly failures: string[];
}

/** A load that goes on until it is stopped. */
interface Load {
  readonly seen: Seen;
  stop(): Promise<void>;
}

/** How long a client waits before it asks again where it was refused. */
const AGAIN_MS = 20;

/** Asks in all ways at once. */
export function startLoad(port: number, token: string, habits: readonly Habit[]): Load {
  const seen: Seen = { answered: 0, refused: 0, failures: [] };
  const leave = new AbortController();
  const clients = habits.flatMap((habit) =>
    Array.from({ length: habit.clients }, () => keepAsking(port, token, habit, seen, leave.signal)),
  );
  return {
    seen,
    async stop() {
      leave.abort();
      await Promise.all(clients);
    },
  };
}

async function keepAsking(
  port: number,
  token: string,
  habit: Habit,
  seen: Seen,
  left: AbortSignal,
): Promise<void> {
  const agent = new Agent({ keepAlive: habit.keepAlive, maxSockets: 1 });
  while (!left.aborted) {
    const started = Date.now();
    const outcome = await ask(agent, port, token, habit);
    if (outcome === 'ECONNREFUSED') {
      seen.refused += 1;
      await sleep(AGAIN_MS);
      continue;
    }
    if (outcome === '200') seen.answered += 1;
    else seen.failures.push(`${habit.name}: ${outcome} after ${Date.now() - started} ms`);
    if (habit.pauseMs > 0) await sleep(habit.pauseMs);
  }
  agent.destroy();
}

/** The status, or the code of what failed. */
function ask(agent: Agent, port: number, token: string, habit: Habit): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const body = habit.body === undefined ? undefined : JSON.stringify(habit.body);
  const asked = request(
    {
      agent,
      host: '127.0.0.1',
      port,
      method: habit.method,
      path: habit.path,
      headers: {
        Authorization: `Bearer ${token}`,
        ...(body === undefined
          ? {}
          : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
      },
    },
    (reply) => {
      let text = '';
      reply.on('data', (piece: Buffer) => {
        text += piece.toString();
      });
      reply.on('error', (fault: NodeJS.ErrnoException) => resolve(`cut off, ${fault.code}`));
      reply.on('end', () => {
        const { statusCode, complete } = reply;
        if (!complete) resolve('cut off');
        else resolve(statusCode === 200 ? '200' : `${statusCode} ${text.slice(0, 200)}`);
      });
    },
  );
  asked.on('error', (fault: NodeJS.ErrnoException) => resolve(fault.code ?? fault.message));
  asked.end(body);
  return promise;
}
