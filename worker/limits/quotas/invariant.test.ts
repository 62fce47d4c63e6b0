/**
 * Whatever a tenant does, what it leaves on disk is bounded by its quota. Random operations by every
 * way that keeps something, each of many bytes, against the real databases; `TEST_RUNS` asks for more.
 */
import { env, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import { keysOf, startKeyed, WRITE } from '../../test/keyed.ts';
import { bytes } from '../../test/running.ts';
import { TIMES } from '../../test/runs.ts';

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;
/** Pages that databases begin with, and what is half empty. */
const OBJECT_BASE = 32 * KIBIBYTE;
const DATABASE_BASE = 512 * KIBIBYTE;
/** What the audit may take beyond the quota. */
const AUDIT = 64 * KIBIBYTE;
/** Entries that one operation tries to leave. */
const BURST = 40;

const WAYS = [
  'template',
  'version',
  'endpoint',
  'description',
  'user',
  'keyed write',
  'keyed read',
  'run',
  'organization',
  'refusal',
  'audit',
  'expiry',
] as const;

/** Milliseconds after which one run hangs: nothing is judged by it. */
const RUN_MS = 600_000;

/** One operation, and how many KiB it tries to leave. */
interface Operation {
  readonly what: (typeof WAYS)[number];
  readonly kilobytes: number;
}
const operation: fc.Arbitrary<Operation> = fc.record({
  what: fc.constantFrom(...WAYS),
  kilobytes: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 100, max: 900 })),
});

type Keyed = Awaited<ReturnType<typeof startKeyed>>;

/** A gateway whose next reply has as many bytes as the test says, and its runs. */
async function startTenant(storage: number) {
  const reply = { kilobytes: 1 };
  const answer = () => ({ result: bytes(JSON.stringify('x'.repeat(reply.kilobytes * KIBIBYTE))) });
  const gateway: Keyed = await startKeyed(answer, {
    bindings: { QUOTAS: JSON.stringify({ storage, audit: AUDIT }) },
  });
  gateway.clock.now = Date.now();
  const Authorization = `Bearer ${await gateway.token()}`;
  const first = await gateway.call('POST', '/templates', template('first', 1));
  if (first.status !== 200) throw new Error(JSON.stringify(first));
  const runs: string[] = [];
  let made = 0;
  const text = (kilobytes: number) => 'x'.repeat(kilobytes * KIBIBYTE);
  const ways: Readonly<
    Record<Operation['what'], (kilobytes: number) => Promise<number | undefined>>
  > = {
    template: (size) => status('POST', '/templates', template(`t${made}`, size)),
    version: (size) => status('PATCH', '/templates/first', rules(size)),
    endpoint: (size) =>
      status('POST', '/endpoints', {
        endpoint: `e${made}`,
        kind: 'http',
        description: text(Math.min(size, 4)),
        config: {
          write_conn: { url: 'https://api.example.com', headers: { a: text(Math.min(size, 8)) } },
        },
      }),
    description: (size) =>
      status('PATCH', '/endpoints/orders', { description: text(Math.min(size, 4)) }),
    user: (size) =>
      status('POST', '/iam/users', {
        username: `user-${crypto.randomUUID()}`,
        description: text(Math.min(size, 4)),
        access_level: 'Read',
      }),
    'keyed write': (size) => keyed('/write', size),
    'keyed read': (size) => keyed('/read', size),
    async run(size) {
      const { status: answered, body } = await gateway.call('POST', '/templates/first?async=true', {
        name: text(size),
      });
      if (answered === 202) runs.push((body as { run_id: string }).run_id);
      // Every second one is carried out now, the others lie there as ordered.
      if (runs.length % 2 === 0 && runs.length > 0) await runDurableObjectAlarm(runOf(runs.at(-1)));
      return answered;
    },
    organization: (size) =>
      status('PATCH', '/organizations', { description: text(Math.min(size, 4)) }),
    async audit() {
      for (let at = 0; at < BURST; at += 1) {
        await status('PATCH', '/organizations', { name: `${made} ${at}` });
      }
      return undefined;
    },
    refusal: () => status('GET', `/endpoints/none-${made}`),
    async expiry() {
      for (const keys of keysOf(gateway.organization.uuid)) {
        await runInDurableObject(keys, (_keys, { storage: { sql } }) => {
          const [found] = sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'calls'").toArray();
          if (found) sql.exec('UPDATE calls SET expires = 0 WHERE rowid % 2 = 0');
        });
        await runDurableObjectAlarm(keys);
      }
      return undefined;
    },
  };
  const status = async (method: string, path: string, body?: Json) =>
    (await gateway.call(method, path, body)).status;
  const keyed = async (path: '/write' | '/read', kilobytes: number) => {
    reply.kilobytes = kilobytes;
    const body = path === '/write' ? WRITE : { query: 'select 1' };
    const response = await gateway.post(path, body, {
      'Idempotency-Key': `k${made}`,
      Authorization,
    });
    await response.body?.cancel();
    return response.status;
  };
  const runOf = (id = '') => env.TEMPLATE_RUNS.getByName(`${gateway.organization.uuid}:${id}`);
  const outcomes = new Set<string>();
  return {
    async do({ what, kilobytes }: Operation) {
      made += 1;
      const status = await ways[what](kilobytes);
      outcomes.add(`${what} ${status}`);
    },
    /** Which ways answered what. */
    outcomes,
    /** Bytes of all objects, and how many there are. */
    async objects() {
      const all = [...keysOf(gateway.organization.uuid), ...runs.map(runOf)];
      const sizes: number[] = [];
      for (const object of all) sizes.push(await sizeOf(object));
      return { count: all.length, bytes: sizes.reduce((sum, each) => sum + each, 0) };
    },
    settle: gateway.settle,
  };
}

const sizeOf = (object: DurableObjectStub<Rpc.DurableObjectBranded & DurableObject>) =>
  runInDurableObject(object, (_object, { storage }) => storage.sql.databaseSize);

const rules = (kilobytes: number): { [member: string]: Json } => ({
  transformationRules: [
    { target: 'out', source: 'name' },
    ...Array.from({ length: Math.min(kilobytes, 300) }, (_, at) => ({
      target: `t${at}`,
      expression: `'${'x'.repeat(1000)}'`,
    })),
  ],
});
const template = (id: string, kilobytes: number) => ({
  id,
  name: id,
  ...rules(kilobytes),
});

/** The test means nothing where what it does is refused for another reason than the quota. */
function demandSome(outcomes: ReadonlySet<string>): void {
  const strange = [...outcomes].filter((each) => !/ (?:200|202|403|undefined)$/.test(each));
  expect(strange.filter((each) => each !== 'refusal 404')).toEqual([]);
}

async function databaseSize(): Promise<number> {
  const { meta } = await env.DB.prepare('select 1').run();
  return meta.size_after;
}

test('bytes on disk are at most the quota and a constant', {
  timeout: TIMES * RUN_MS,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(operation, { minLength: 60, maxLength: 80 }),
      fc.constantFrom(256 * KIBIBYTE, MEBIBYTE),
      async (operations, quota) => {
        const before = await databaseSize();
        const tenant = await startTenant(quota);
        for (const each of operations) await tenant.do(each);
        demandSome(tenant.outcomes);
        await tenant.settle();
        const { count, bytes: ofObjects } = await tenant.objects();
        const all = ofObjects + (await databaseSize()) - before;
        expect(all).toBeLessThanOrEqual(
          quota + (AUDIT * 5) / 4 + DATABASE_BASE + count * OBJECT_BASE,
        );
      },
    ),
    { numRuns: TIMES },
  );
});
