/**
 * Events that start runs: so many in a minute, to event triggers of many organizations; a fifth of them
 * start a run. None is lost, none starts two, none reaches another organization, and all are done within
 * three minutes of the last; and how long it takes from an event to the first action of its run. Exit code 1
 * where one of these does not hold.
 *
 * npm run bench -- events [--events 10000] [--seconds 60] [--organizations 50] [--triggers 20]
 */
import { parseArgs } from 'node:util';
import { ownRedis } from '../test/servers/redis-server.ts';
import { makeOrganization, startGateway } from './gateway.ts';
import { tell, tellHolds } from './report.ts';

/** One event of so many starts a run; one of so many is sent twice. */
const STARTS = 5;
const REPEATS = 50;
/** Milliseconds within which all must be done after the last event. */
const DONE_MS = 180_000;
const LOOK_MS = 1_000;
/** Times the pace's own time that it may take until the last is answered. */
const LATE_MAX = 1.05;
/** Requests at a time, besides those that are paced; and of those at most. */
const [AT_ONCE, SENT_AT_ONCE] = [8, 64];

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '60' },
    organizations: { type: 'string', default: '50' },
    triggers: { type: 'string', default: '20' },
  },
});
const [count, seconds] = [Number(values.events), Number(values.seconds)];
const [organizations, triggers] = [Number(values.organizations), Number(values.triggers)];

/** An event that is to be sent. */
interface Sent {
  readonly organization: number;
  readonly trigger: number;
  readonly id: string;
  readonly starts: boolean;
  /** When it was due, in Unix epoch milliseconds. */
  readonly at: number;
}

/** A run as it is listed, or shown with its actions. */
interface Run {
  readonly run_id: string;
  readonly status: string;
  readonly trigger: { readonly id: string };
  readonly actions?: readonly { readonly started: string }[];
}

/** `organization:workflow` whose runs have all ended. */
const complete = new Set<string>();
const redis = await ownRedis({ modules: false });
const gateway = await startGateway(redis.url, { kind: 'redis' });
try {
  const tokens = await setUp();
  const sent = await sendAll(tokens);
  await judge(tokens, sent);
} finally {
  await gateway.stop();
  await redis.stop();
}

/** Makes the organizations with their workflows; answers their tokens. */
async function setUp(): Promise<string[]> {
  const tokens: string[] = [];
  for (let at = 0; at < organizations; at += 1) {
    tokens.push(await makeOrganization(gateway.port, redis.url, 'redis', `bench-${at}`));
  }
  await each(tokens, async (token) => {
    for (let at = 0; at < triggers; at += 1) await call(token, 'POST', '/workflows', workflow(at));
  });
  console.log(`${organizations} organizations with ${triggers} event triggers each`);
  return tokens;
}

function workflow(at: number): object {
  const trigger = { type: 'event', source: 'bench', event: `kind-${at}.*`, filter: 'data.starts' };
  const actions = [{ id: 'done', type: 'condition', condition: '$.input.starts' }];
  return { id: `w-${at}`, name: `w-${at}`, trigger, actions };
}

/** Sends every event at its time, or as soon as no more than so many wait for their replies: each counts from when it was due. */
async function sendAll(tokens: readonly string[]): Promise<Sent[]> {
  const sent: Sent[] = [];
  const waiting = new Set<Promise<unknown>>();
  let repeated = 0;
  const post = async (token: string, event: Sent): Promise<void> => {
    while (waiting.size >= SENT_AT_ONCE) await Promise.race(waiting);
    const reply = send(token, event).finally(() => waiting.delete(reply));
    waiting.add(reply);
  };
  const began = performance.now();
  for (let at = 0; at < count; at += 1) {
    const due = began + (at * seconds * 1000) / count;
    const wait = due - performance.now();
    if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait));
    const organization = at % organizations;
    const trigger = Math.floor(at / organizations) % triggers;
    const starts = Math.floor(at / organizations / triggers) % STARTS === 0;
    const time = Math.round(Date.now() + Math.min(0, due - performance.now()));
    const event: Sent = { organization, trigger, id: `e-${at}`, starts, at: time };
    sent.push(event);
    const token = tokens[organization] ?? '';
    await post(token, event);
    if (at % REPEATS !== 0) continue;
    await post(token, event);
    repeated += 1;
  }
  await Promise.all(waiting);
  const took = (performance.now() - began) / 1000;
  tellHolds(
    `${count} events were taken in ${took.toFixed(1)} s, ${repeated} of them twice`,
    took < seconds * LATE_MAX,
  );
  return sent;
}

function send(token: string, { id, trigger, starts }: Sent): Promise<unknown> {
  const name = `kind-${trigger}.happened`;
  return call(token, 'POST', '/events', { source: 'bench', event: name, id, data: { starts } });
}

/** Waits for the runs, and says what holds. */
async function judge(tokens: readonly string[], sent: readonly Sent[]): Promise<void> {
  const expected = new Map(
    sent
      .filter(({ starts }) => starts)
      .map((event) => [`${event.organization}:${event.id}`, event]),
  );
  const last = performance.now();
  while (performance.now() - last < DONE_MS && !(await areThere(tokens, [...expected.values()]))) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  const took = (performance.now() - last) / 1000;
  const runs = await runsOf(tokens);
  tellHolds(
    `all ${expected.size} runs are done ${took.toFixed(1)} s after the last event`,
    isDone(runs, expected.size),
  );
  const names = runs.map(({ organization, run }) => `${organization}:${run.trigger.id}`);
  const lost = [...expected.keys()].filter((name) => !names.includes(name)).length;
  tellHolds(`${lost} events are lost`, lost === 0);
  tellHolds(
    `${names.length - new Set(names).size} started two runs`,
    names.length === new Set(names).size,
  );
  const strange = names.filter((name) => !expected.has(name)).length;
  tellHolds(`${strange} runs are of events that start none there`, strange === 0);
  const failed = runs.filter(({ run }) => run.status !== 'succeeded').length;
  tellHolds(`${failed} runs did not succeed`, failed === 0);
  await tellTimes(tokens, runs, expected);
}

type Found = { readonly organization: number; readonly workflow: number; readonly run: Run };

async function tellTimes(
  tokens: readonly string[],
  runs: readonly Found[],
  expected: ReadonlyMap<string, Sent>,
): Promise<void> {
  const times: number[] = [];
  await each(runs, async ({ organization, workflow: at, run }) => {
    const path = `/workflows/w-${at}/executions/${run.run_id}`;
    const { actions } = await call<Run>(tokens[organization] ?? '', 'GET', path);
    const event = expected.get(`${organization}:${run.trigger.id}`);
    const began = Date.parse(actions?.[0]?.started ?? '');
    if (event) times.push(began - event.at);
  });
  times.sort((one, other) => one - other);
  tell('from an event to the first action', times, { unit: 'ms' });
  const part = (share: number) =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))];
  console.log(
    `from an event to the first action: p50 ${part(0.5)} ms, p99 ${part(0.99)} ms, most ${times.at(-1)} ms`,
  );
}

function isDone(runs: readonly Found[], wanted: number): boolean {
  return runs.filter(({ run }) => run.status === 'succeeded').length >= wanted;
}

/** Whether the runs of these events have ended; it asks no more once one has not, since asking is load, too. */
async function areThere(tokens: readonly string[], events: readonly Sent[]): Promise<boolean> {
  const wanted = Map.groupBy(events, ({ organization, trigger }) => `${organization}:${trigger}`);
  for (const key of [...wanted.keys()].filter((each) => !complete.has(each))) {
    const [organization = 0, workflow = 0] = key.split(':').map(Number);
    const path = `/workflows/w-${workflow}/executions?status=succeeded`;
    const { executions } = await call<{ executions: Run[] }>(
      tokens[organization] ?? '',
      'GET',
      path,
    );
    if (executions.length < (wanted.get(key)?.length ?? 0)) return false;
    complete.add(key);
  }
  return true;
}

async function runsOf(tokens: readonly string[]): Promise<Found[]> {
  const found: Found[] = [];
  const all = tokens.flatMap((token, organization) =>
    Array.from({ length: triggers }, (_, at) => ({ token, organization, workflow: at })),
  );
  await each(all, async ({ token, organization, workflow: at }) => {
    const path = `/workflows/w-${at}/executions`;
    const { executions } = await call<{ executions: Run[] }>(token, 'GET', path);
    found.push(...executions.map((run) => ({ organization, workflow: at, run })));
  });
  return found;
}

/** Does something for each, some at a time. */
async function each<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const keepWorking = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, keepWorking));
}

/** A call below `/api/v1`; the reply's body. @throws Error for a status of 400 and more */
async function call<Body>(
  token: string,
  method: string,
  path: string,
  body?: object,
): Promise<Body> {
  const response = await fetch(`http://127.0.0.1:${gateway.port}/api/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text) as Body; // As the operation answers.
}
