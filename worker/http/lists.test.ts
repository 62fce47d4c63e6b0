/** Lists: every one pages, and takes no cursor but its own. Contract §1, "Lists". */
import { beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../app.ts';
import { pathsOf } from '../route.ts';
import { failure, insertEndpoint, startGateway, type TestGateway } from '../test/gateway.ts';
import { makeKey, makeOwnKey } from '../test/keys.ts';
import { pingingRelay } from '../test/pinging-relay.ts';
import { insertNode } from '../test/registered-node.ts';
import { insertTemplate } from '../test/template.ts';
import { insertWorkflow } from '../test/workflow.ts';

/** One list. */
interface List {
  readonly path: string;
  /** Where the entries are in `data`, or in a bare reply. */
  readonly entries: string;
  readonly wrapped?: true;
  /** How many there are, at least; one is enough where there cannot be more. */
  readonly entriesMin: number;
}

const LISTS: readonly List[] = [
  { path: '/endpoints', entries: 'endpoints', wrapped: true, entriesMin: 3 },
  { path: '/endpoints/:endpoint/nodes', entries: 'nodes', wrapped: true, entriesMin: 1 },
  { path: '/nodes', entries: 'nodes', entriesMin: 3 },
  { path: '/templates', entries: 'templates', entriesMin: 3 },
  { path: '/workflows', entries: 'workflows', entriesMin: 3 },
  { path: '/audit', entries: 'entries', entriesMin: 3 },
  { path: '/iam/users', entries: 'users', entriesMin: 3 },
  { path: '/iam/keys', entries: 'keys', entriesMin: 4 },
];

/** A page of a list, whatever it is wrapped in. */
interface Page {
  readonly status: number;
  readonly entries: readonly unknown[];
  readonly next: string | undefined;
}

let gateway: TestGateway;
let other: TestGateway;
const endpoints = new Map<TestGateway, string>();

async function start(): Promise<TestGateway> {
  const made = await startGateway('SuperAdmin', { relay: pingingRelay().methods });
  for (const level of ['Read', 'Write'] as const) {
    const subject = (await made.addUser(level)).username;
    // Leaves an entry in the audit each.
    const body = { subject, access: 'Read' };
    await made.call('POST', '/iam/rbac/organizations/subjects', body);
    endpoints.set(made, await insertEndpoint(made));
  }
  await insertEndpoint(made);
  for (let at = 0; at < 3; at += 1) await insertNode(made);
  for (let at = 0; at < 3; at += 1) await insertTemplate(made);
  for (let at = 0; at < 3; at += 1) await insertWorkflow(made);
  // Of each name two: an organization's and a personal one.
  for (const name of ['one', 'two']) {
    await makeKey(made, { name });
    await makeOwnKey(made, { name });
  }
  await made.call('PATCH', '/organizations', { description: 'x' });
  return made;
}

beforeAll(async () => {
  [gateway, other] = [await start(), await start()];
});

async function page(list: List, query: string, of = gateway): Promise<Page> {
  const path = list.path.replace(':endpoint', endpoints.get(of) ?? '');
  const { status, body } = await of.call('GET', `${path}${query}`);
  const whole = body as { data?: object };
  const shown = new Map<string, unknown>(Object.entries((list.wrapped ? whole.data : whole) ?? {}));
  const entries = shown.get(list.entries);
  const next = shown.get('next_cursor');
  return {
    status,
    entries: Array.isArray(entries) ? entries : [],
    next: typeof next === 'string' ? next : undefined,
  };
}

/** A cursor that the list itself wrote, or one that it could have written. */
async function cursorOf(list: List, of = gateway): Promise<string> {
  const { next } = await page(list, '?limit=1', of);
  return next ?? 'v1.there-is-no.second-page';
}

test('these are all that take a limit', () => {
  const limited = routes.filter(({ query }) => query.safeParse({ limit: '1' }).success);
  // Of the backend and not of this gateway: worker/endpoints/inspect.test.ts pages through it.
  // Of runs and tasks, which take time: worker/workflows/executions/steer.test.ts pages through them.
  const own = limited
    .flatMap(pathsOf)
    .filter((path) => path !== '/endpoints/:endpoint/schema')
    // Its entries need a relay: worker/transactions/run.test.ts.
    .filter((path) => path !== '/transactions')
    .filter((path) => path !== '/tasks' && !path.startsWith('/workflows/:workflow/'));
  expect(own.toSorted()).toEqual(LISTS.map(({ path }) => path).toSorted());
});

describe.each(LISTS)('GET $path', (list) => {
  test('pages through every entry once', async () => {
    const whole = await page(list, '');
    expect([whole.status, whole.next]).toEqual([200, undefined]);
    expect(whole.entries.length).toBeGreaterThanOrEqual(list.entriesMin);
    for (const limit of [1, 2]) {
      const seen: unknown[] = [];
      let query = `?limit=${limit}`;
      for (;;) {
        const { status, entries, next } = await page(list, query);
        expect([status, entries.length <= limit]).toEqual([200, true]);
        seen.push(...entries);
        if (next === undefined) break;
        query = `?limit=${limit}&cursor=${encodeURIComponent(next)}`;
      }
      expect(seen).toEqual(whole.entries);
    }
  });

  test('has no more where the limit is just what there is', async () => {
    const { entries } = await page(list, '');
    const exact = await page(list, `?limit=${entries.length}`);
    expect([exact.entries.length, exact.next]).toEqual([entries.length, undefined]);
  });

  test.each(['0', '-1', '1001', '01', '1.5', '', 'ten', '1e2', '٣', '9'.repeat(5000)])(
    'takes no limit of %j',
    async (limit) => {
      expect((await page(list, `?limit=${limit}`)).status).toBe(400);
    },
  );

  const forgeries: readonly [what: string, forge: () => Promise<string>][] = [
    ...LISTS.filter((each) => each !== list).map((each): [string, () => Promise<string>] => [
      `of ${each.path}`,
      () => cursorOf(each),
    ]),
    ['of the same list of another organization', () => cursorOf(list, other)],
    ['that is one letter off', async () => oneOff(await cursorOf(list))],
    ['that is cut off', async () => (await cursorOf(list)).slice(0, -1)],
    ['with something behind it', async () => `${await cursorOf(list)}A`],
    ['that comes twice in one', async () => (await cursorOf(list)).repeat(2)],
    ['of 5,000 characters', async () => 'A'.repeat(5000)],
    [
      'of 5,000 characters that looks like one',
      async () => `v1.${'A'.repeat(16)}.${'A'.repeat(4980)}`,
    ],
    ["that is an entry's name", async () => 'endpoint'],
    ['that is no text of ours', async () => "'; drop table endpoints; --"],
  ];

  test.each(forgeries)('takes no cursor %s', async (_what, forge) => {
    const path = list.path.replace(':endpoint', endpoints.get(gateway) ?? '');
    const reply = await gateway.call('GET', `${path}?cursor=${encodeURIComponent(await forge())}`);
    const message = 'is not one of this list';
    expect(reply).toEqual({
      status: 400,
      body: failure('BAD_REQUEST', `cursor: ${message}`, [{ path: 'cursor', message }]),
    });
  });

  test('takes no empty cursor', async () => {
    expect((await page(list, '?cursor=')).status).toBe(400);
  });
});

test.each([
  ['/iam/users', '?q=user', '?q=use'],
  ['/iam/users', '', '?level=Read'],
  ['/audit', '', '?outcome=success'],
])('a cursor of %s%s is none of %s', async (path, of, other) => {
  const list = LISTS.find((each) => each.path === path);
  if (!list) throw new Error(`There is no list at ${path}`);
  const separator = of === '' ? '?' : '&';
  const { next } = await page(list, `${of}${separator}limit=1`);
  expect(next).toBeDefined();
  const query = `${other}&cursor=${encodeURIComponent(next ?? '')}`;
  expect((await page(list, query)).status).toBe(400);
});

function oneOff(cursor: string): string {
  const at = cursor.length - 5;
  return cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1);
}
