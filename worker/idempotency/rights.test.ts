/**
 * A reply is told again to callers that would not be refused now: every operation that honours a key,
 * after random changes of its caller's rights, against the same call without a key.
 */
import { env } from 'cloudflare:test';
import { and, eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../proto/json.ts';
import { routes } from '../app.ts';
import { endpoints, type ResourceKind, rules } from '../db/schema.ts';
import { templates } from '../db/templates.ts';
import { LEVELS, type Level } from '../levels.ts';
import { methodsOf, pathsOf } from '../route.ts';
import { make, nesting, ORDER, PLACE } from '../templates/test/definitions.ts';
import { NOW, type TestGateway, type TestUser } from '../test/gateway.ts';
import { makeKey } from '../test/keys.ts';
import { bytes, startRunning } from '../test/running.ts';
import { TIMES } from '../test/runs.ts';
import { TRANSACTION_SAMPLES } from '../transactions/test/samples.ts';

const db = drizzle(env.DB);
const ROWS = bytes('{"columns":[],"rows":[],"row_count":0}');
const REDIS = {
  endpoint: 'cache',
  kind: 'redis',
  config: { write_conn: { url: 'redis://r.test:6379' } },
};
const LONGEST_MS = 180_000 * TIMES;

let gateway: TestGateway;
/** Who is granted to, and described. */
let other: TestUser;
let admin: TestUser;
/** A node of the organization. */
let node: string;
/** Keys of the organization, with Write and with Admin. */
let plainKey: string;
let highKey: string;

/** One call of an operation; each gets a body of its own. */
interface Sample {
  readonly path: string;
  body(): JsonObject;
}

const uniqueId = () => `made-${crypto.randomUUID()}`;
const call = (path: string, body: () => JsonObject): Sample => ({ path, body });
const grant = (kind: string, level: Level, entity: JsonObject = {}) =>
  call(`/iam/rbac/${kind}/subjects`, () => ({
    access_level: level,
    subject: other.username,
    ...entity,
  }));
const onCache = (way: string, body: JsonObject) => call(`/endpoints/cache/${way}`, () => body);
/** A workflow of one request to Redis. */
const flow = (id: string, operation: 'read' | 'write'): JsonObject => ({
  id,
  name: id,
  version: `1.0.${Math.floor(Math.random() * 1e9)}`,
  trigger: { type: 'api' },
  actions: [
    {
      id: 'only',
      type: 'endpoint',
      endpoint: 'cache',
      operation,
      input: operation === 'read' ? { type: 'get', key: 'a' } : { type: 'del', keys: ['a'] },
    },
  ],
});
const onRun = (way: string, body: JsonObject = {}) =>
  call(`/workflows/flow/executions/${crypto.randomUUID()}/${way}`, () => body);

const onNode = (way: string) => call(`/nodes/${node}/${way}`, () => ({}));

/** Every operation that honours keys and has a caller: what it reaches, its body says. */
const SAMPLES: Readonly<Record<string, () => readonly Sample[]>> = {
  'PATCH /organizations': () => [call('/organizations', () => ({ description: 'x' }))],
  'PATCH /org': () => [call('/org', () => ({ description: 'x' }))],
  'POST /endpoints': () => [call('/endpoints', () => ({ ...REDIS, endpoint: uniqueId() }))],
  'PATCH /endpoints/:endpoint': () => [call('/endpoints/orders', () => ({ description: 'x' }))],
  'POST /endpoints/:endpoint/test': () => [call('/endpoints/orders/test', () => ({}))],
  'POST /endpoints/:endpoint/read': () => [
    onCache('read', { type: 'get', key: 'a' }),
    onCache('read', { pipeline: [{ type: 'get', key: 'a' }] }),
  ],
  'POST /endpoints/:endpoint/write': () => [
    onCache('write', { type: 'set', key: 'a', value: '1' }),
    onCache('write', { type: 'flushall' }),
    onCache('write', { type: 'acl', args: ['LIST'] }),
  ],
  'POST /endpoints/:endpoint/transaction': () => [
    onCache('transaction', { operations: [{ type: 'get', key: 'a' }] }),
    onCache('transaction', { operations: [{ type: 'get', key: 'a' }, { type: 'flushdb' }] }),
  ],
  'POST /templates': () => [
    call('/templates', () => ({ ...ORDER, id: uniqueId() })),
    call('/templates', () => ({ ...PLACE, id: uniqueId() })),
    // An object, as its declaration does not say.
    call('/templates', () => nesting(uniqueId(), 'order') as JsonObject),
  ],
  'PATCH /templates/:template': () => [
    call('/templates/patched', () => ({ ...ORDER, id: 'patched' })),
    call('/templates/patched', () => ({ ...PLACE, id: 'patched' })),
  ],
  'POST /templates/:template': () => [
    call('/templates/order', () => ({ id: 7 })),
    call('/templates/place', () => ({ id: 7 })),
    call('/templates/outer', () => ({ id: 7 })),
    call('/templates/outer-place', () => ({ id: 7 })),
  ],
  'POST /workflows': () => [
    call('/workflows', () => flow(uniqueId(), 'read')),
    call('/workflows', () => flow(uniqueId(), 'write')),
  ],
  'PATCH /workflows/:workflow': () => [
    call('/workflows/flow', () => flow('flow', 'read')),
    call('/workflows/flow', () => flow('flow', 'write')),
  ],
  'POST /workflows/:workflow/triggers/:index/test': () => [
    call('/workflows/flow/triggers/0/test', () => ({ body: {} })),
  ],
  'POST /workflows/:workflow/executions/cancel': () => [
    call('/workflows/flow/executions/cancel', () => ({ ids: [crypto.randomUUID()] })),
  ],
  'POST /workflows/:workflow/executions/:execution/cancel': () => [onRun('cancel')],
  'POST /workflows/:workflow/executions/:execution/retry': () => [onRun('retry')],
  'POST /workflows/:workflow/executions/:execution/fork': () => [onRun('fork', { from: 'only' })],
  'POST /workflows/:workflow/dead-letters/redrive': () => [
    call('/workflows/flow/dead-letters/redrive', () => ({ ids: [crypto.randomUUID()] })),
  ],
  'POST /workflows/:workflow/dead-letters/:letter/redrive': () => [
    call(`/workflows/flow/dead-letters/${crypto.randomUUID()}/redrive`, () => ({})),
  ],
  'POST /nodes/:node/drain': () => [onNode('drain')],
  'POST /nodes/:node/resume': () => [onNode('resume')],
  'POST /events': () => [call('/events', () => ({ source: 'shop', event: 'order.made' }))],
  'POST /tasks/:task/complete': () => [
    call(`/tasks/${crypto.randomUUID()}/complete`, () => ({ form: {} })),
  ],
  ...TRANSACTION_SAMPLES,
  'POST /templates/:template/render': () => [
    call('/templates/outer/render', () => ({ data: { id: 7 } })),
    call('/templates/order/render', () => ({ data: { id: 7 } })),
  ],
  'POST /iam/users': () =>
    LEVELS.map((level) =>
      call('/iam/users', () => ({
        username: uniqueId(),
        password: 'correct horse',
        access_level: level,
      })),
    ),
  'PATCH /iam/users/:user': () =>
    [other, admin].map(({ uuid }) => call(`/iam/users/${uuid}`, () => ({ description: 'x' }))),
  'PATCH /iam/keys/:key': () =>
    [plainKey, highKey].map((id) => call(`/iam/keys/${id}`, () => ({ description: 'x' }))),
  'POST /iam/rbac/organizations/subjects': () =>
    LEVELS.map((level) => grant('organizations', level)),
  'POST /iam/rbac/endpoints/subjects': () =>
    LEVELS.map((level) => grant('endpoints', level, { endpoint_id: 'cache' })),
  'POST /iam/rbac/templates/subjects': () =>
    LEVELS.map((level) => grant('templates', level, { template_id: 'order' })),
  'POST /iam/rbac/workflows/subjects': () => [grant('workflows', 'Read', { workflow_id: 'none' })],
  'POST /iam/rbac/workflows/subjects/:subject': () => [
    call(`/iam/rbac/workflows/subjects/${other.uuid}`, () => ({})),
  ],
  'POST /json/flatten': () => [call('/json/flatten', () => ({ json: { a: 1 } }))],
  'POST /json/unflatten': () => [call('/json/unflatten', () => ({ json: { a: 1 } }))],
  'POST /json/map': () => [
    call('/json/map', () => ({ json: { a: 1 }, mappings: { a: 'b' }, schema: { b: 'number' } })),
  ],
  'POST /json/parse': () => [call('/json/parse', () => ({ json: { a: 1 }, paths: ['a'] }))],
  'POST /json/reduce': () => [call('/json/reduce', () => ({ json: { a: 1 }, paths: ['a'] }))],
};
const OPERATIONS = Object.keys(SAMPLES);

beforeAll(async () => {
  const relay = {
    run: () => ({ result: ROWS }),
    transact: () => ({ result: bytes('[]') }),
  };
  const running = await startRunning(relay);
  gateway = running;
  expect((await gateway.call('POST', '/endpoints', REDIS)).status).toBe(200);
  for (const each of [ORDER, PLACE, nesting('outer', 'order'), nesting('outer-place', 'place')]) {
    await make(gateway, each);
  }
  await make(gateway, { ...ORDER, id: 'patched' });
  expect((await gateway.call('POST', '/workflows', flow('flow', 'read'))).status).toBe(200);
  other = await gateway.addUser('Read');
  admin = await gateway.addUser('Admin');
  plainKey = (await makeKey(gateway, { access_level: 'Write' })).id;
  highKey = (await makeKey(gateway, { access_level: 'Admin' })).id;
  const made = await gateway.call('POST', '/nodes', { name: 'berlin-1' });
  node = (made.body as { uuid: string }).uuid;
});

test('every operation that honours keys and has a caller is among the samples', () => {
  const honouring = routes
    .filter(({ access, idempotency }) => access.level !== 'Public' && idempotency !== 'ignored')
    // Replies with a secret are told once.
    .filter(({ idempotency }) => !(typeof idempotency === 'object' && 'secret' in idempotency))
    .flatMap((each) =>
      methodsOf(each)
        .filter((method) => method === 'POST' || method === 'PATCH')
        .flatMap((method) => pathsOf(each).map((path) => `${method} ${path}`)),
    );
  expect(honouring.toSorted()).toEqual(OPERATIONS.toSorted());
});

const level = fc.option(fc.constantFrom(...LEVELS), { nil: undefined });
const rights = fc.record({
  organization: fc.constantFrom<Level>('Read', 'Write', 'Admin'),
  orders: level,
  cache: level,
  order: level,
  place: level,
});
type Rights = typeof rights extends fc.Arbitrary<infer Each> ? Each : never;
const ALL: Rights = {
  organization: 'SuperAdmin',
  orders: undefined,
  cache: undefined,
  order: undefined,
  place: undefined,
};

/** The rules of a user, and no others; a while later, so that nothing is remembered. */
async function give(user: TestUser, { organization, ...given }: Rights): Promise<void> {
  const orgUuid = gateway.organization.uuid;
  const made = { orgUuid, subject: user.uuid, createdAt: NOW, createdBy: 'test' };
  const on = (resourceKind: ResourceKind, resourceUuid: string, held: Level) =>
    db.insert(rules).values({ ...made, resourceKind, resourceUuid, level: held });
  await db.delete(rules).where(and(eq(rules.orgUuid, orgUuid), eq(rules.subject, user.uuid)));
  await on('organization', orgUuid, organization);
  for (const [id, held] of Object.entries(given)) {
    if (held === undefined) continue;
    const isEndpoint = id === 'orders' || id === 'cache';
    const table = isEndpoint ? endpoints : templates;
    const found = await db
      .select({ uuid: table.uuid })
      .from(table)
      .where(and(eq(table.orgUuid, orgUuid), eq(table.id, id)));
    await on(isEndpoint ? 'endpoint' : 'template', found[0]?.uuid ?? '', held);
  }
  gateway.clock.now += 2 * gateway.settings.POLICY_TTL_MS;
}

/** Status and body without the request's id, and whether it was told again. */
async function send(user: TestUser, operation: string, path: string, body: Json, key?: string) {
  const [method = ''] = operation.split(' ');
  const response = await gateway.send(path, {
    method,
    headers: {
      Authorization: `Bearer ${await gateway.token(user)}`,
      'Content-Type': 'application/json',
      ...(key === undefined ? {} : { 'Idempotency-Key': key }),
    },
    body: JSON.stringify(body),
  });
  const { request_id: _id, ...told } = (await response.json()) as { request_id?: string };
  return { status: response.status, told, isReplay: response.headers.has('Idempotent-Replayed') };
}

test(
  'a reply is refused as the call itself would be, and told again once the rights are back',
  async () => {
    const user = await gateway.addUser(undefined);
    const seen = { refused: 0, told: 0 };
    const cases = OPERATIONS.flatMap((operation) =>
      (SAMPLES[operation]?.() ?? []).map((sample) => ({ operation, sample })),
    );
    for (const { operation, sample } of cases) {
      await fc.assert(
        fc.asyncProperty(fc.array(rights, { minLength: 2, maxLength: 2 }), async (changes) => {
          const [key, body] = [crypto.randomUUID(), sample.body()];
          await give(user, ALL);
          const first = await send(user, operation, sample.path, body, key);
          expect(first.isReplay).toBe(false);
          const again = { ...first, isReplay: true };
          for (const change of changes) {
            await give(user, change);
            const own = await send(user, operation, sample.path, body);
            const replay = await send(user, operation, sample.path, body, key);
            expect(replay).toEqual(own.status === 403 ? own : again);
            seen[own.status === 403 ? 'refused' : 'told'] += 1;
          }
          await give(user, ALL);
          expect(await send(user, operation, sample.path, body, key)).toEqual(again);
        }),
        { numRuns: TIMES, endOnFailure: true },
      );
    }
    expect(Math.min(seen.refused, seen.told)).toBeGreaterThan(20);
  },
  LONGEST_MS,
);
