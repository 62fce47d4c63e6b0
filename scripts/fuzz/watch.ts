/** What is done with each request and reply on their way: filled in, judged, counted, mended. */
import type { AttackerMaker } from './attacker.ts';
import { call, must } from './calls.ts';
import { type Exchange, headerOf, jsonOf, pathOf } from './exchange.ts';
import { faultsOf, type Knowledge } from './judge.ts';
import type { Operations } from './operations.ts';
import type { Watcher } from './proxy.ts';
import { fillIn, type Latest, needsReset } from './stand-ins.ts';
import type { Tally } from './tally.ts';

/** What a watcher works with. */
export interface Surroundings {
  readonly gateway: string;
  readonly attackers: AttackerMaker;
  readonly known: Omit<Knowledge, 'token' | 'gateway'>;
  readonly operations: Operations;
  readonly tally: Tally;
  /** What the gateway has logged so far. */
  logged(): string;
  /** Is told of everything that passed. */
  record(operation: string, exchange: Exchange): void;
}

/** Each of so many requests is sent with the token of who may only read. */
const READERS_TURN = 7;
/** Successes of these change nothing that later requests need. */
const HARMLESS =
  /^GET |\/(?:read|write|transaction|test|login|refresh|check|sessions|sessions\/\{\w+\})$|^POST \/api\/v1\/new$|\/json\/\w+$/;
const RESET_MAX_MS = 2_000;

/** The watcher of a run. */
export function watcherOf(around: Surroundings): Watcher {
  const { gateway, attackers, operations, tally } = around;
  const latest: Latest = { session: undefined, tag: undefined, reset: undefined };
  return {
    async prepare(sent) {
      const attacker = await attackers.current();
      if (needsReset(sent)) latest.reset = await startReset(around, attacker.colleague);
      return fillIn(sent, attacker, latest, tally.requests % READERS_TURN === READERS_TURN - 1);
    },
    async observe(exchange) {
      const { token } = await attackers.current();
      const operation = operations.of(exchange.sent.method, pathOf(exchange.sent)) ?? OTHERS;
      const faults = await faultsOf(exchange, { ...around.known, gateway, token });
      tally.add(operation, exchange, faults);
      around.record(operation, exchange);
      await keepSession(gateway, token, exchange, latest);
      latest.tag = headerOf(exchange.answered?.headers ?? [], 'etag') ?? latest.tag;
      const { status = 0 } = exchange.answered ?? {};
      if (status >= 200 && status < 300 && !HARMLESS.test(operation)) {
        // How a node serves an endpoint is not seen in its record.
        await attackers.mend(operation.startsWith('PUT '));
      }
    },
  };
}

const OTHERS = '(no operation of the document)';

/** One session is enough: more would use up the endpoint's share of connections. */
async function keepSession(gateway: string, token: string, exchange: Exchange, latest: Latest) {
  const { sent, answered } = exchange;
  const path = pathOf(sent).replace('/api/v1', '');
  if (!path.endsWith('/sessions') || sent.method !== 'POST' || answered?.status !== 200) return;
  const opened = sessionOf(jsonOf(answered.body));
  if (latest.session !== undefined) {
    await call(gateway, 'DELETE', `${path}/${latest.session}`, { token });
  }
  latest.session = opened;
}

function sessionOf(body: unknown): string | undefined {
  const data = typeof body === 'object' && body !== null ? Reflect.get(body, 'data') : undefined;
  const id =
    typeof data === 'object' && data !== null ? Reflect.get(data, 'session_id') : undefined;
  return typeof id === 'string' ? id : undefined;
}

/** Starts a reset for a user and reads its token from the link in the gateway's log. */
async function startReset(around: Surroundings, username: string): Promise<string | undefined> {
  const before = around.logged().length;
  await must(around.gateway, 'POST', '/auth/password/reset', {
    body: { email: username, redirectUrl: 'http://127.0.0.1/reset' },
  });
  for (const until = Date.now() + RESET_MAX_MS; Date.now() < until; ) {
    const token = /\?token=([\w.-]+)/.exec(around.logged().slice(before))?.[1];
    if (token !== undefined) return token;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return undefined;
}
