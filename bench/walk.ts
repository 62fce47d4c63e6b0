/**
 * Files of the worker and of the relay that one warmed call runs a function of: a read on
 * PostgreSQL, a run of a template, a command of Redis. No time is measured. A file counts when it
 * runs in each of several calls, and never in a pause as long as a call.
 *
 * npm run bench -- walk [--list] [--calls 5]
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startPostgres } from '../server/postgres-server.ts';
import { ownRedis } from '../test/servers/redis-server.ts';
import { addEndpoint, type MeasuredGateway, startGateway } from './gateway.ts';
import { tell } from './report.ts';
import { buildCountedWorker, WALK_PATH } from './walk/counted-worker.ts';

/** Until nothing is learned or remembered for the first time. */
const WARM = 60;
/** Supervision and flushes of gathered work come at least as often. */
const PAUSE_MS = 1_200;

const { values } = parseArgs({
  options: { list: { type: 'boolean' }, calls: { type: 'string', default: '5' } },
});

/** A call, by what it is. */
interface Call {
  readonly name: string;
  readonly path: string;
  readonly body: unknown;
}

const CALLS: readonly Call[] = [
  {
    name: 'read on PostgreSQL',
    path: '/endpoints/measured/read',
    body: { query: 'select $1::int as one', params: [1] },
  },
  { name: 'run of a template', path: '/templates/small', body: { customer: { name: ' Ada ' } } },
  {
    name: 'command of Redis',
    path: '/endpoints/redis/read',
    body: { type: 'get', key: 'measured' },
  },
];

const TEMPLATE = {
  name: 'Small',
  transformationRules: [{ target: 'customer', source: 'customer.name', transformers: ['trim'] }],
};

const folder = await mkdtemp(join(tmpdir(), 'causeway-walk-'));
const [database, redis] = await Promise.all([
  startPostgres({ folder: join(folder, 'data'), password: 'bench' }),
  ownRedis({ modules: false }),
]);
try {
  const data = join(folder, 'gateway');
  await buildCountedWorker(join(data, 'cache'));
  process.env.WALK_FOLDER = folder;
  process.env.NODE_OPTIONS = `--import=${join(import.meta.dirname, 'walk/relay-coverage.ts')}`;
  const gateway = await startGateway(database.url, { folder: data });
  try {
    await addEndpoint(gateway, 'redis', 'redis', redis.url);
    await post(gateway, '/templates', TEMPLATE);
    for (const call of CALLS) await show(call, gateway);
  } finally {
    await gateway.stop();
  }
} finally {
  await Promise.all([database.stop(), redis.stop()]);
  await rm(folder, { recursive: true, force: true });
}

async function show({ name, path, body }: Call, gateway: MeasuredGateway) {
  for (let call = 0; call < WARM; call += 1) await post(gateway, path, body);
  let ofWorker: string[] | undefined;
  let ofRelay: string[] | undefined;
  const idle = new Set<string>();
  for (let call = 0; call < Number(values.calls); call += 1) {
    await Promise.all([worker(gateway), relay()]);
    await sleep(PAUSE_MS);
    for (const file of [...(await worker(gateway)), ...(await relay())]) idle.add(file);
    await post(gateway, path, body);
    ofWorker = both(ofWorker, await worker(gateway));
    ofRelay = both(ofRelay, await relay());
  }
  const ofCalls = (files: readonly string[] = []) => files.filter((file) => !idle.has(file));
  const [edge, node] = [ofCalls(ofWorker), ofCalls(ofRelay)];
  console.log(`${name}: ${edge.length} files of the worker, ${node.length} of the relay`);
  tell(`${name}: files of the worker`, [edge.length], { unit: 'files' });
  tell(`${name}: files of the relay`, [node.length], { unit: 'files' });
  if (values.list === true) for (const file of [...edge, '', ...node]) console.log(`  ${file}`);
}

/** Files that the worker has run since it was asked before. */
async function worker({ port }: MeasuredGateway): Promise<string[]> {
  const reply = await fetch(`http://127.0.0.1:${port}${WALK_PATH}`);
  return (await reply.json()) as string[];
}

function both(before: string[] | undefined, now: string[]): string[] {
  return before?.filter((file) => now.includes(file)) ?? now.toSorted();
}

/** Files that the relay's processes have run since they were asked before, those of all parts together. */
async function relay(): Promise<string[]> {
  const sockets = (await readdir(folder)).filter((name) => name.endsWith('.sock'));
  const lists = await Promise.all(
    sockets.map(async (name) => {
      const list = await text(connect(join(folder, name))).catch(() => '[]');
      return JSON.parse(list) as string[];
    }),
  );
  return [...new Set(lists.flat())];
}

async function post({ port: at, headers }: MeasuredGateway, path: string, body: unknown) {
  const reply = await fetch(`http://127.0.0.1:${at}/api/v1${path}`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const said = await reply.text();
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${said}`);
}
