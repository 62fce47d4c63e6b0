/** What is done with each request and reply on their way: filled in, judged, counted, mended. */
import { type AttackerMaker, ENDPOINTS } from './attacker.ts';
import { call, must, textAt } from './calls.ts';
import { type Exchange, headerOf, jsonOf, pathOf } from './exchange.ts';
import { codeOf, faultsOf, type Knowledge } from './judge.ts';
import type { Operations } from './operations.ts';
import type { Watcher } from './proxy.ts';
import {
  asStream,
  fillIn,
  type Latest,
  namesSession,
  needsReset,
  withoutSession,
} from './stand-ins.ts';
import type { Tally } from './tally.ts';

/** What a watcher works with. */
interface Surroundings {
  readonly gateway: string;
  readonly attackers: AttackerMaker;
  readonly known: Omit<Knowledge, 'token' | 'gateway'>;
  /** The gateway's own node. */
  readonly node: string;
  readonly operations: Operations;
  readonly tally: Tally;
  /** What the gateway has logged so far. */
  logged(): string;
  /** Called with everything that passed. */
  record(operation: string, exchange: Exchange): void;
}

/** One in this number of requests is sent with the reader's token. */
const READERS_TURN = 7;
/** One in this number of requests asks for a stream. */
const STREAMS_TURN = 5;
/** One in this number of the requests that could name a session does: most changes end it. */
const SESSIONS_TURN = 4;
/** Successes of these change nothing that later requests need. */
const HARMLESS =
  /^GET |\/(?:read|write|transaction|test|login|refresh|check|sessions|sessions\/\{\w+\})$|^POST \/api\/v1\/new$|\/json\/\w+$/;
const RESET_MAX_MS = 2_000;

/** The watcher of a run. */
export function watcherOf(around: Surroundings): Watcher {
  const { gateway, attackers, operations, tally } = around;
  const latest: Latest = {
    node: around.node,
    database: around.known.database,
    session: undefined,
    tag: undefined,
    reset: undefined,
  };
  return {
    async prepare(sent) {
      const attacker = await attackers.current();
      const turn = tally.requests + 1;
      if (needsReset(sent)) latest.reset = await startReset(around, attacker.colleague.name);
      const asked = turn % STREAMS_TURN === 0 ? asStream(sent) : sent;
      const given = turn % SESSIONS_TURN === 0 ? asked : withoutSession(asked);
      if (namesSession(given)) latest.session ??= await openSession(gateway, attacker.token);
      return fillIn(given, { attacker, latest, turn, asReader: turn % READERS_TURN === 0 });
    },
    async observe(exchange) {
      const { token } = await attackers.current();
      const operation = operations.of(exchange.sent.method, pathOf(exchange.sent)) ?? OTHERS;
      const faults = await faultsOf(exchange, { ...around.known, gateway, token });
      tally.add(operation, exchange, faults);
      around.record(operation, exchange);
      await endSession(gateway, token, exchange);
      latest.tag = headerOf(exchange.answered?.headers ?? [], 'etag') ?? latest.tag;
      const { status = 0 } = exchange.answered ?? {};
      if (codeOf(exchange) === 'SESSION_NOT_FOUND') await forgetSession(gateway, token, latest);
      if (status >= 200 && status < 300 && !HARMLESS.test(operation)) {
        // How a node serves an endpoint is not seen in its record.
        await attackers.mend(operation.startsWith('PUT '));
      }
    },
  };
}

const OTHERS = '(no operation of the document)';

/** Sessions that requests open are ended at once: more would use up the endpoint's share of connections. */
async function endSession(gateway: string, token: string, { sent, answered }: Exchange) {
  const [path = ''] = sent.target.replace('/api/v1', '').split('?');
  if (sent.method !== 'POST' || !path.endsWith('/sessions') || answered?.status !== 200) return;
  const id = textAt(jsonOf(answered.body), 'data', 'session_id');
  await call(gateway, 'DELETE', `${path}/${id}`, { token });
}

/** It may have ended, or the request was about another endpoint. */
async function forgetSession(gateway: string, token: string, latest: Latest): Promise<void> {
  if (latest.session === undefined) return;
  await call(gateway, 'DELETE', `/endpoints/${ENDPOINTS[0]}/sessions/${latest.session}`, { token });
  latest.session = undefined;
}

/** Undefined where the endpoint is not as it should be at the moment. */
async function openSession(gateway: string, token: string): Promise<string | undefined> {
  const opened = await call(gateway, 'POST', `/endpoints/${ENDPOINTS[0]}/sessions`, { token });
  return opened.status === 200 ? textAt(opened.body, 'data', 'session_id') : undefined;
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
