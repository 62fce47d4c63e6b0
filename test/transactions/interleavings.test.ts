/** Clients that send requests and ends to one transaction at random moments, over two databases. Spec: transactions.md §5. */
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedGateway } from '../gateway.ts';
import { newOrganization, type Organization, type Reply } from '../organization.ts';
import { type FreshDatabase, freshDatabase } from '../servers/backends.ts';

let organization: Organization;
let databases: readonly FreshDatabase[];
let looks: readonly pg.Client[];

beforeAll(async () => {
  const gateway = await sharedGateway();
  databases = [await freshDatabase(), await freshDatabase()];
  looks = databases.map(({ url }) => new pg.Client(url));
  for (const client of looks) {
    await client.connect();
    await client.query('CREATE TABLE entries (played integer, n integer)');
  }
  organization = await newOrganization(gateway);
  for (const [at, { url }] of databases.entries()) {
    await organization.call('POST', '/endpoints', {
      ...{ endpoint: `e${at}`, kind: 'postgres', config: { write_conn: { url } } },
    });
    await organization.call('POST', '/templates', {
      ...{ id: `t${at}`, name: 'One', request: 'Write' },
      template: {
        endpoint: `e${at}`,
        query: 'INSERT INTO entries VALUES ({{played: Integer}}, {{n: Integer}})',
      },
    });
  }
  // Four writes that wait for nothing of each other.
  const rules = [0, 1, 1, 0].map((at, place) => ({
    ...{ template: `t${at}`, as: `r${place}` },
    input: { played: 'played', n: `n${place}` },
  }));
  const made = await organization.call('POST', '/templates', {
    ...{
      id: 'four',
      name: 'Four',
      transformationRules: [...rules, { target: 'ok', value: { value: true } }],
    },
  });
  expect(made).toMatchObject({ status: 200 });
});
afterAll(async () => {
  for (const client of looks) await client.end();
  for (const database of databases) await database.drop();
});

/** What a client does after a pause. */
const act = fc.record({
  pauseMs: fc.integer({ min: 0, max: 40 }),
  what: fc.oneof(
    { weight: 6, arbitrary: fc.constant('write' as const) },
    { weight: 2, arbitrary: fc.constant('slow' as const) },
    { weight: 2, arbitrary: fc.constant('read' as const) },
    { weight: 2, arbitrary: fc.constant('template' as const) },
    { weight: 1, arbitrary: fc.constant('fail' as const) },
    { weight: 2, arbitrary: fc.constant('commit' as const) },
    { weight: 1, arbitrary: fc.constant('rollback' as const) },
  ),
  at: fc.constantFrom(0, 1),
});
const clients = fc.array(fc.array(act, { minLength: 1, maxLength: 4 }), {
  ...{ minLength: 2, maxLength: 5 },
});
type Act = typeof act extends fc.Arbitrary<infer Value> ? Value : never;

interface Done extends Reply {
  readonly what: Act['what'];
  /** Numbers that it wrote, if it did. */
  readonly wrote: readonly number[];
}

class Play {
  readonly #played: number;
  readonly #id: string;
  #last = 0;

  constructor(played: number, id: string) {
    this.#played = played;
    this.#id = id;
  }

  async client(acts: readonly Act[]): Promise<Done[]> {
    const done: Done[] = [];
    for (const each of acts) {
      await new Promise((resolve) => setTimeout(resolve, each.pauseMs));
      done.push(await this.do(each));
    }
    return done;
  }

  async do({ what, at }: Pick<Act, 'what' | 'at'>): Promise<Done> {
    if (what === 'commit' || what === 'rollback') {
      const reply = await organization.call('POST', `/transactions/${this.#id}/${what}`);
      return { what, wrote: [], ...reply };
    }
    if (what === 'template') {
      const wrote = [0, 1, 2, 3].map(() => this.#next());
      const input = Object.fromEntries(wrote.map((n, place) => [`n${place}`, n]));
      const reply = await this.#send('/templates/four', { played: this.#played, ...input });
      return { what, wrote, ...reply };
    }
    if (what === 'read') {
      const query = 'SELECT count(*)::int AS count FROM entries WHERE played = $1';
      const reply = await this.#send(`/endpoints/e${at}/read`, { query, params: [this.#played] });
      return { what, wrote: [], ...reply };
    }
    const n = this.#next();
    const from = { write: '', slow: ' FROM pg_sleep(0.05)', fail: ' FROM nowhere' }[what];
    const query = `INSERT INTO entries SELECT $1::int, $2::int${from}`;
    const body = { query, params: [this.#played, n] };
    return { what, wrote: [n], ...(await this.#send(`/endpoints/e${at}/write`, body)) };
  }

  #next(): number {
    this.#last += 1;
    return this.#last;
  }

  #send(path: string, body: object): Promise<Reply> {
    return organization.call('POST', path, body, { 'X-Transaction-Id': this.#id });
  }
}

const statusOf = async (id: string) =>
  ((await organization.call('GET', `/transactions/${id}`)).body as { status: string }).status;

async function numbersOf(played: number): Promise<number[]> {
  const found = await Promise.all(
    looks.map((client) =>
      client.query<{ n: number }>('SELECT n FROM entries WHERE played = $1', [played]),
    ),
  );
  return found.flatMap(({ rows }) => rows.map(({ n }) => n)).toSorted((one, other) => one - other);
}

/** Connections within a transaction, and transactions that are prepared. */
async function leftOpen(): Promise<number> {
  const names = databases.map(({ name }) => name);
  const found = await looks[0]?.query<{ left: number }>(
    `SELECT (SELECT count(*) FROM pg_stat_activity WHERE datname = ANY($1) AND state LIKE 'idle in transaction%')::int
      + (SELECT count(*) FROM pg_prepared_xacts WHERE database = ANY($1))::int AS left`,
    [names],
  );
  return found?.rows[0]?.left ?? -1;
}

/** What is answered once it has ended. */
const CLOSED = { status: 409, body: { code: 'TRANSACTION_CLOSED' } };

/** What ends a transaction, and whether it has then committed. */
const ENDS: Partial<Record<Act['what'], { readonly status: RegExp; readonly commits: boolean }>> = {
  commit: { status: /^committed$/, commits: true },
  rollback: { status: /^roll(ing_back|ed_back)$/, commits: false },
};

function checkAnswer(each: Done, isCommitted: boolean) {
  const end = ENDS[each.what];
  if (each.status === 200 && end) {
    expect([(each.body as { status: string }).status, isCommitted]).toEqual([
      ...[expect.stringMatching(end.status), end.commits],
    ]);
  } else if (each.what === 'fail' && each.status === 400) {
    expect([each, isCommitted]).toMatchObject([{ body: { code: 'REQUEST_FAILED' } }, false]);
  } else if (each.status !== 200) expect(each).toMatchObject(CLOSED);
}

let plays = 0;

test('what was answered 200 is there once it has committed, and nothing else is, in any order', async () => {
  await fc.assert(
    fc.asyncProperty(clients, async (given) => {
      plays += 1;
      const played = plays;
      const begun = await organization.call('POST', '/transactions/begin', {});
      const { transaction_id: id } = begun.body as { transaction_id: string };
      const play = new Play(played, id);
      const done = (await Promise.all(given.map((acts) => play.client(acts)))).flat();
      if (!done.some(({ what }) => what === 'commit' || what === 'rollback')) {
        done.push(await play.do({ what: 'commit', at: 0 }));
      }
      await expect
        .poll(() => statusOf(id), { timeout: 10_000 })
        .toMatch(/^(committed|rolled_back)$/);
      const isCommitted = (await statusOf(id)) === 'committed';
      for (const each of done) checkAnswer(each, isCommitted);
      const there = await numbersOf(played);
      const wrote = done.flatMap((each) => (each.status === 200 ? each.wrote : []));
      expect(there.filter((n) => !(isCommitted && wrote.includes(n)))).toEqual([]);
      expect(isCommitted ? wrote.filter((n) => !there.includes(n)) : []).toEqual([]);
      expect(new Set(there).size).toBe(there.length);
      await expect.poll(leftOpen, { timeout: 5_000 }).toBe(0);
    }),
    { numRuns: 40, seed: 20260, endOnFailure: true },
  );
}, 120_000);

test('sessions of transactions that were rolled back are free again', async () => {
  for (let round = 0; round < 12; round += 1) {
    const begun = await organization.call('POST', '/transactions/begin', {});
    const { transaction_id: id } = begun.body as { transaction_id: string };
    const play = new Play(-1 - round, id);
    expect(await play.do({ what: 'template', at: 0 })).toMatchObject({ status: 200 });
    expect(await play.do({ what: 'rollback', at: 0 })).toMatchObject({ status: 200 });
    await expect.poll(() => statusOf(id), { timeout: 1_500 }).toBe('rolled_back');
  }
}, 60_000);
