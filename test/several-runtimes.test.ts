/** Several runtimes behind one port: clients see one gateway, and do not notice when a runtime dies. */
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OwnGateway, runScript, startGateway } from './gateway.ts';
import {
  newOrganization,
  type Organization,
  type Reply,
  refusal,
  success,
} from './organization.ts';
import { childrenOf, isRefused, type ProcessRow, runtimesOf, stillRunning } from './processes.ts';

const POLICY_TTL_MS = 1_000;
/** How long a request may have been on its way before it is judged. */
const LOOK_MS = 500;
/** In a minute, whatever the account: worker/auth/throttle.ts. */
const TRIES_BY_ADDRESS = 50;
const MINUTE_MS = 60_000;
/** On the command lines of runtimes that serve: a socket of theirs. */
const SERVING = 'direct:0:Member';
/** More than all tries take. */
const TRIES_MS = 8_000;
const PASSWORD = 'a long enough password';
const METRICS_TOKEN = randomUUID();

let gateway: OwnGateway;
let organization: Organization;
beforeAll(async () => {
  gateway = await startGateway({
    args: ['--workers', '2'],
    env: { RATE_LIMITS: 'on', METRICS_TOKEN, NEW_ORG_TOKEN: '' },
  });
  organization = await newOrganization(gateway);
});
afterAll(() => gateway?.stop());

const basic = (id: string, username: string, password: string) => ({
  Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
  'X-Org-Id': id,
});

/** Limits begin again with each minute. */
async function duringOneMinute(): Promise<void> {
  const left = MINUTE_MS - (Date.now() % MINUTE_MS);
  if (left < TRIES_MS) await sleep(left);
}

interface Call {
  readonly method?: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** One call, on a connection of its own unless the agent keeps one. @throws Error when there is no reply */
function send(path: string, { method = 'GET', token, headers, body }: Call = {}, agent?: Agent) {
  const { promise, resolve, reject } = Promise.withResolvers<Reply & { readonly text: string }>();
  const sent = request(`${gateway.url}${path}`, {
    method,
    agent: agent ?? false,
    headers: {
      Authorization: `Bearer ${token ?? organization.token}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
  });
  sent.on('error', reject).on('response', (reply) => {
    const chunks: Buffer[] = [];
    reply.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
    reply.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const isJson = reply.headers['content-type']?.startsWith('application/json');
      resolve({ status: reply.statusCode ?? 0, body: isJson ? JSON.parse(text) : text, text });
    });
  });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}

/** Who answered a request, as the log tells. */
function runtimeOf(requestId: string): string | undefined {
  const lines = gateway.output.stderr().split('\n');
  return /"runtime":"(\w+)"/.exec(lines.find((line) => line.includes(requestId)) ?? '')?.[1];
}

/** What calls on one connection, to the runtime of that name. */
async function connectionTo(runtime: string) {
  for (;;) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const id = randomUUID();
    await send('/api/v1/endpoints', { headers: { 'X-Request-Id': id } }, agent);
    await expect.poll(() => runtimeOf(id)).toBeDefined();
    if (runtimeOf(id) !== runtime) {
      agent.destroy();
      continue;
    }
    return {
      call: (path: string, call?: Call) => send(`/api/v1${path}`, call, agent),
      close: () => agent.destroy(),
    };
  }
}

type Connection = Awaited<ReturnType<typeof connectionTo>>;

/** Both runtimes, each by a connection. */
async function both<Answer>(use: (one: Connection, two: Connection) => Promise<Answer>) {
  const [one, two] = await Promise.all([connectionTo('1'), connectionTo('2')]);
  try {
    return await use(one, two);
  } finally {
    one.close();
    two.close();
  }
}

const runtimes = () => runtimesOf(gateway.pid);
const serving = () => runtimes().filter(({ command }) => command.includes(SERVING));
function owner(): ProcessRow {
  const found = runtimes().find(({ command }) => !command.includes(SERVING));
  if (found === undefined) throw new Error('There is no owner');
  return found;
}

/** Reads again and again, each time on a new connection, until it is told to end; repeats what nobody took. */
function startReading() {
  let isRunning = true;
  const statuses: number[] = [];
  const loop = async () => {
    while (isRunning) {
      const reply = await send('/api/v1/endpoints').catch((thrown: unknown) => {
        if (!isRefused(thrown)) throw thrown;
      });
      if (reply !== undefined) statuses.push(reply.status);
    }
  };
  const loops = Promise.all([loop(), loop(), loop()]);
  return async () => {
    isRunning = false;
    await loops;
    return statuses;
  };
}

describe('two runtimes', () => {
  test('answer as one, also what has one owner', () =>
    both(async (one, two) => {
      const key = { 'Idempotency-Key': randomUUID() };
      const user = { username: `${randomUUID()}@example.com`, password: PASSWORD };
      const made = { method: 'POST', body: user, headers: key };
      const first = await one.call('/iam/users', made);
      expect(first).toMatchObject({ status: 200 });
      expect((await two.call('/iam/users', made)).body).toEqual(first.body);
      const found = await two.call(`/iam/users/${user.username}`);
      expect(found).toMatchObject({ status: 200 });
    }));

  test('forget what the other has changed within POLICY_TTL_MS', () =>
    both(async (one, two) => {
      const username = `${randomUUID()}@example.com`;
      const user = { username, password: PASSWORD, access_level: 'Admin' };
      await one.call('/iam/users', { method: 'POST', body: user });
      const login = await one.call('/auth/login', {
        method: 'POST',
        headers: basic(organization.id, username, PASSWORD),
      });
      const { token } = login.body as { token: string };
      const read = async () => (await two.call('/iam/users', { token })).status;
      expect(await read()).toBe(200);
      expect(await one.call(`/iam/users/${username}`, { method: 'DELETE' })).toMatchObject({
        status: 200,
      });
      const deleted = performance.now();
      let began = deleted;
      let status = 200;
      while (status === 200) {
        began = performance.now();
        status = await read();
      }
      // What begins later than that is refused.
      expect(began - deleted).toBeLessThan(POLICY_TTL_MS + LOOK_MS);
    }));

  test('tell their metrics together', async () => {
    const { text } = await send('/metrics', { token: METRICS_TOKEN });
    for (const runtime of ['1', '2', 'owner']) {
      expect(text).toMatch(
        new RegExp(`^gateway_started_time_seconds\\{runtime="${runtime}"\\} \\d`, 'm'),
      );
    }
    const counts =
      /^gateway_requests_total\{runtime="(1|2)",method="GET",route="\/api\/v1\/endpoints",status="200"\} \d+$/gm;
    expect([...text.matchAll(counts)].map(([, runtime]) => runtime)).toEqual(['1', '2']);
  });

  test('count tries of passwords together', () =>
    both(async (one, two) => {
      await duringOneMinute();
      const reset = () => {
        const body = { username: randomUUID(), token: 'wrong', new_password: PASSWORD };
        return send('/api/v1/auth/password/reset', { method: 'POST', body });
      };
      // On connections of their own: each runtime gets some.
      const tries = await Promise.all(Array.from({ length: TRIES_BY_ADDRESS }, reset));
      expect(tries.map(({ status }) => status)).toContain(400);
      for (const { call } of [one, two]) {
        const headers = basic(organization.id, organization.username, 'wrong');
        expect(await call('/auth/login', { method: 'POST', headers })).toMatchObject(
          refusal('RATE_LIMITED', 'Too many requests: try again later'),
        );
      }
    }));
});

describe('one that is killed', () => {
  test('is back, and clients of the others do not notice', async () => {
    const victim = serving()[0];
    const end = startReading();
    await sleep(200);
    process.kill(victim?.pid ?? 0, 'SIGKILL');
    await expect.poll(() => serving().some(({ pid }) => pid === victim?.pid)).toBe(false);
    await both(async (one, two) => {
      for (const { call } of [one, two])
        expect(await call('/endpoints')).toMatchObject(success({}));
    });
    const statuses = await end();
    expect(statuses.length).toBeGreaterThan(0);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  test('as the owner keeps reads waiting until it is back, and fails what it may have done', async () => {
    const before = owner();
    const end = startReading();
    const writes: Reply[] = [];
    const write = () => {
      const body = { name: `key-${randomUUID()}`, access_level: 'Read' };
      return send('/api/v1/iam/keys', { method: 'POST', body });
    };
    await sleep(200);
    const written = Promise.all([write(), write()]);
    process.kill(before.pid, 'SIGKILL');
    writes.push(...(await written), await write());
    await expect.poll(() => owner().pid).not.toBe(before.pid);
    writes.push(await write());
    const statuses = await end();
    expect(new Set(statuses)).toEqual(new Set([200]));
    const failed = writes.filter(({ status }) => status !== 200);
    for (const { status, body } of failed) {
      expect({ status, body }).toEqual(refusal('SERVICE_UNAVAILABLE', 'The gateway is not ready'));
    }
    expect(writes.at(-1)).toMatchObject({ status: 200 });
    // What is there once is there: nothing was lost with the owner.
    const { status } = await send(`/api/v1/iam/users/${organization.username}`);
    expect(status).toBe(200);
  });
});

test('keys that have changed are those of a runtime that starts again', async () => {
  const rotating = runScript('server/rotate.ts', ['JWT_SECRET', '--data', gateway.data]);
  expect(await rotating.ended).toMatchObject({ code: 0 });
  const login = await send('/api/v1/auth/refresh', { method: 'POST' });
  const { token } = login.body as { token: string };
  for (const { pid } of runtimes()) process.kill(pid, 'SIGKILL');
  // Whoever answers first: no token is refused for want of the new key.
  const statuses: number[] = [];
  while (statuses.length < 20) {
    const reply = await send('/api/v1/endpoints', { token }).catch((thrown: unknown) => {
      if (!isRefused(thrown)) throw thrown;
    });
    if (reply !== undefined) statuses.push(reply.status);
  }
  expect(new Set(statuses)).toEqual(new Set([200]));
});

test('a stop ends each with the replies that are under way, and leaves no process', async () => {
  const tree = childrenOf(gateway.pid);
  const agents = Array.from({ length: 8 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  const reads = agents.map(async (agent) => {
    const statuses: number[] = [];
    for (;;) {
      const reply = await send('/api/v1/endpoints', {}, agent).catch((thrown: unknown) => {
        if (!isRefused(thrown)) throw thrown;
      });
      if (reply === undefined) return statuses;
      statuses.push(reply.status);
    }
  });
  await sleep(300);
  expect(await gateway.stop()).toEqual({ code: 0, signal: null });
  for (const agent of agents) agent.destroy();
  const statuses = (await Promise.all(reads)).flat();
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(stillRunning(tree)).toEqual([]);
  expect(gateway.output.stderr()).not.toContain('"level":"error","program":"server"');
});
