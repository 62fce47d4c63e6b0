/**
 * That schedules cost nothing between their ticks, and tick on time: the processor time of the gateway with
 * many schedules that are hours away, compared with the same gateway without; then how late the runs of many
 * schedules begin that tick at the same second. Exit code 1 where one of these does not hold.
 *
 * npm run bench -- schedules [--schedules 10000] [--seconds 30] [--together 50]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ownRedis } from '../test/servers/redis-server.ts';
import { cpuSeconds } from './cpu.ts';
import { makeOrganization, startGateway } from './gateway.ts';
import { tellHolds } from './report.ts';

/** Triggers of a workflow, at most. */
const PER_WORKFLOW = 10;
const ORGANIZATIONS = 10;
/** Of one processor: what two looks at an idle gateway differ by. */
const NOTHING = 0.02;
/** Milliseconds within which a run begins. Spec: workflows.md §5. */
const LATE_MS = 2_000;
/** Seconds from the last workflow to the common tick. */
const AHEAD_S = 8;
/** Milliseconds after which what was to be done after a start is done. */
const SETTLE_MS = 10_000;

const { values } = parseArgs({
  options: {
    schedules: { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '30' },
    together: { type: 'string', default: '50' },
  },
});
const seconds = Number(values.seconds);
const actions = [{ id: 'done', type: 'condition', condition: 'true' }];

const redis = await ownRedis({ modules: false });
const gateway = await startGateway(redis.url, { kind: 'redis' });
try {
  const tokens: string[] = [];
  for (let at = 0; at < ORGANIZATIONS; at += 1) {
    tokens.push(await makeOrganization(gateway.port, redis.url, 'redis', `bench-${at}`));
  }
  const without = await idle();
  await makeFar(tokens, Number(values.schedules));
  const beside = await idle();
  const more = beside - without;
  const shares = `${percent(beside)} of a processor, ${percent(without)} without`;
  tellHolds(`${values.schedules} schedules between ticks: ${shares}`, more <= NOTHING);
  await tickTogether(tokens[0] ?? '', Number(values.together));
} finally {
  await gateway.stop();
  await redis.stop();
}

/** The share of a processor that the gateway takes while nobody calls. */
async function idle(): Promise<number> {
  await sleep(SETTLE_MS);
  const before = await cpuSeconds(gateway.pid);
  await sleep(seconds * 1000);
  return ((await cpuSeconds(gateway.pid)) - before) / seconds;
}

/** Makes schedules that tick in twelve hours. */
async function makeFar(tokens: readonly string[], count: number): Promise<void> {
  const hour = (new Date().getUTCHours() + 12) % 24;
  const trigger = Array.from({ length: PER_WORKFLOW }, (_, minute) => ({
    ...{ type: 'schedule', schedule: `${minute} ${hour} * * *` },
  }));
  const each = count / PER_WORKFLOW / tokens.length;
  await Promise.all(
    tokens.map(async (token) => {
      for (let at = 0; at < each; at += 1) {
        await call(token, 'POST', '/workflows', { name: `far-${at}`, trigger, actions });
      }
    }),
  );
}

/** Lets workflows tick at the same second, and says how late their runs begin. */
async function tickTogether(token: string, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const trigger = { type: 'schedule', schedule: '0 0 1 1 *' };
    await call(token, 'POST', '/workflows', { name: `near-${at}`, trigger, actions });
  }
  const second = Math.ceil(Date.now() / 1000) + AHEAD_S + Math.ceil(count / 10);
  const time = new Date(second * 1000);
  const at = `${time.getUTCSeconds()} ${time.getUTCMinutes()} ${time.getUTCHours()} * * *`;
  for (let n = 0; n < count; n += 1) {
    const trigger = { type: 'schedule', schedule: at };
    await call(token, 'PATCH', `/workflows/near-${n}`, { trigger });
  }
  if (Date.now() > second * 1000) throw new Error('The workflows were not made in time');
  await sleep(second * 1000 - Date.now() + SETTLE_MS);
  const late: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const { executions } = await call(token, 'GET', `/workflows/near-${n}/executions`);
    for (const { started } of executions as { started: string }[]) {
      late.push(Date.parse(started) - second * 1000);
    }
  }
  const most = Math.max(...late);
  tellHolds(
    `${late.length} of ${count} runs began, the last ${most} ms after their tick`,
    late.length === count && most <= LATE_MS,
  );
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** A call below `/api/v1`; the reply's body. @throws Error for a status of 400 and more */
async function call(
  token: string,
  method: string,
  path: string,
  body?: object,
): Promise<{ [member: string]: unknown }> {
  const response = await fetch(`http://127.0.0.1:${gateway.port}/api/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text) as { [member: string]: unknown }; // All operations answer objects.
}
