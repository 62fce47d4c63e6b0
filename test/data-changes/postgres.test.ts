/** Workflows that changes of a real PostgreSQL start, through a real gateway and relay. Spec: workflows.md §5, `dataChange`. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedGateway } from '../gateway.ts';
import { Followed } from './followed.ts';

let followed: Followed;

beforeAll(async () => {
  followed = await Followed.open(await sharedGateway());
});
afterAll(() => followed?.close());

describe('a run', () => {
  test('has the change as its input, with what was and what is', async () => {
    await followed.sql('CREATE TABLE orders (id int PRIMARY KEY, state text, total numeric)');
    await followed.sql('ALTER TABLE orders REPLICA IDENTITY FULL');
    const workflow = await followed.workflow(followed.on('orders'));
    await followed.sql("INSERT INTO orders VALUES (7, 'new', 12.50)");
    await followed.sql("UPDATE orders SET state = 'paid' WHERE id = 7");
    await followed.sql('DELETE FROM orders WHERE id = 7');
    const runs = await followed.ended(workflow, 3);
    const of = {
      endpoint: followed.endpoint,
      collection: 'public.orders',
      key: { id: 7 },
      id: expect.any(String),
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    };
    const [made, paid] = [
      { id: 7, state: 'new', total: '12.50' },
      { id: 7, state: 'paid', total: '12.50' },
    ];
    expect(runs.map(({ input }) => input)).toEqual([
      {
        ...{ ...of, operation: 'insert', before: null, after: made },
        changes: { id: { after: 7 }, state: { after: 'new' }, total: { after: '12.50' } },
      },
      {
        ...{ ...of, operation: 'update', before: made, after: paid },
        changes: { state: { before: 'new', after: 'paid' } },
      },
      {
        ...{ ...of, operation: 'delete', before: paid, after: null },
        changes: { id: { before: 7 }, state: { before: 'paid' }, total: { before: '12.50' } },
      },
    ]);
    const ids = runs.map(({ input }) => (input as { id: string }).id);
    expect(
      runs.map(({ status, trigger, started_by }) => ({ status, trigger, started_by })),
    ).toEqual(
      ids.map((id) => ({
        status: 'succeeded',
        trigger: { type: 'dataChange', index: 0, id },
        started_by: followed.organization.username,
      })),
    );
  });

  test('starts where the filter holds, with what the mapping makes', async () => {
    await followed.sql('CREATE TABLE bills (id int PRIMARY KEY, paid bool)');
    await followed.sql('ALTER TABLE bills REPLICA IDENTITY FULL');
    const filter = 'changes.paid && after.paid';
    const mapping = { bill: '$.key.id', was: '$.before.paid', kind: 'bill' };
    const workflow = await followed.workflow(
      followed.on('bills', { operation: 'update', filter, mapping }),
    );
    await followed.sql('INSERT INTO bills VALUES (1, false), (2, true), (3, false)');
    await followed.sql('UPDATE bills SET paid = true');
    await followed.sql('UPDATE bills SET paid = false');
    const runs = await followed.ended(workflow, 2);
    // Of two keys, either may be first.
    expect(new Set(runs.map(({ input }) => input))).toEqual(
      new Set([
        { bill: 1, was: false, kind: 'bill' },
        { bill: 3, was: false, kind: 'bill' },
      ]),
    );
  });
});

describe('what a server lacks', () => {
  test('is told with the path of the trigger, and what would mend it', async () => {
    await followed.sql('CREATE TABLE keyless (a int)');
    const keyless = await followed.refused(followed.on('keyless'));
    expect(keyless).toEqual({
      status: 400,
      details: [
        { path: 'trigger.collection', message: expect.stringMatching(/REPLICA IDENTITY FULL/) },
      ],
    });
    const triggers = [followed.on('keyless', { operation: 'insert' }), followed.on('nowhere')];
    expect(await followed.refused(triggers)).toEqual({
      status: 400,
      details: [{ path: 'trigger.1.collection', message: expect.stringContaining('nowhere') }],
    });
  });

  test('does not concern inserts alone of a table without a key', async () => {
    await followed.sql('CREATE TABLE log_lines (text text)');
    const workflow = await followed.workflow(followed.on('log_lines', { operation: 'insert' }));
    await followed.sql("INSERT INTO log_lines VALUES ('one')");
    const [run] = await followed.ended(workflow, 1);
    expect(run?.input).toMatchObject({ operation: 'insert', after: { text: 'one' } });
  });
});

describe('changes', () => {
  test('that commit right after the answer are never missed, whatever else is followed', async () => {
    await followed.sql('CREATE TABLE first_table (id int PRIMARY KEY)');
    await followed.sql('CREATE TABLE second_table (id int PRIMARY KEY)');
    const first = await followed.workflow(followed.on('first_table'));
    await followed.sql('INSERT INTO first_table VALUES (1)');
    const second = await followed.workflow(followed.on('second_table'));
    await followed.sql('INSERT INTO second_table VALUES (1)');
    await followed.sql('INSERT INTO first_table VALUES (2)');
    expect((await followed.ended(first, 2)).length).toBe(2);
    expect((await followed.ended(second, 1)).length).toBe(1);
    await followed.patch(second, { trigger: followed.on('first_table') });
    await followed.sql('INSERT INTO second_table VALUES (2)');
    await followed.sql('INSERT INTO first_table VALUES (3)');
    expect((await followed.ended(second, 2)).at(-1)?.input).toMatchObject({ key: { id: 3 } });
  });

  test('of one key start runs in the order of their commits, also of one transaction', async () => {
    await followed.sql('CREATE TABLE counters (id int PRIMARY KEY, n int)');
    const workflow = await followed.workflow(followed.on('counters', { operation: 'update' }));
    await followed.sql('INSERT INTO counters SELECT id, 0 FROM generate_series(1, 5) id');
    for (let n = 1; n <= 8; n += 1) await followed.sql('UPDATE counters SET n = $1', [n]);
    await followed.sql('BEGIN');
    for (let n = 9; n <= 12; n += 1) await followed.sql('UPDATE counters SET n = $1', [n]);
    await followed.sql('COMMIT');
    const runs = await followed.ended(workflow, 60);
    const byKey = Map.groupBy(runs, ({ input }) => changeIn(input).key.id);
    for (const own of byKey.values()) {
      const sorted = own.toSorted((one, other) => compare(one.started, other.started));
      expect(sorted.map(({ input }) => changeIn(input).after.n)).toEqual(
        Array.from({ length: 12 }, (_, at) => at + 1),
      );
    }
    expect(byKey.size).toBe(5);
  });

  test('that are ordered wait until the run before has ended, of the same key alone', async () => {
    await followed.sql('CREATE TABLE steps (id int PRIMARY KEY, n int)');
    const wait = { id: 'pause', type: 'wait', mode: 'duration', duration: 'PT0.4S' };
    const trigger = followed.on('steps', { operation: 'update', ordered: true });
    const workflow = await followed.workflow(trigger, { actions: [wait] });
    await followed.sql('INSERT INTO steps VALUES (1, 0), (2, 0)');
    for (let n = 1; n <= 4; n += 1) await followed.sql('UPDATE steps SET n = $1', [n]);
    const runs = await followed.ended(workflow, 8);
    const byKey = Map.groupBy(runs, ({ input }) => changeIn(input).key.id);
    for (const own of byKey.values()) {
      const sorted = own.toSorted((one, other) => compare(one.started, other.started));
      expect(sorted.map(({ input }) => changeIn(input).after.n)).toEqual([1, 2, 3, 4]);
      for (const [at, { started }] of sorted.entries()) {
        const before = sorted[at - 1]?.ended ?? started;
        expect(compare(before, started)).toBeLessThanOrEqual(0);
      }
    }
    const [one = [], two = []] = [...byKey.values()];
    expect(compare(one[0]?.started ?? '', two.at(-1)?.ended ?? '')).toBeLessThan(0);
  });
});

describe('a fault', () => {
  test('of filter, mapping or input is recorded as a failed run, and others go on', async () => {
    await followed.sql('CREATE TABLE faulty (id int PRIMARY KEY, text text)');
    const filter = "after.text.toUpperCase() !== 'NO'";
    const workflow = await followed.workflow(followed.on('faulty', { filter }));
    await followed.sql(
      "INSERT INTO faulty VALUES (1, 'long'), (2, NULL), (3, 'no'), (4, 'longer')",
    );
    const runs = await followed.ended(workflow, 3);
    const outcomes = runs.map(({ status, error }) => `${status} ${error?.code ?? ''}`);
    expect(outcomes.toSorted()).toEqual(['failed EXPRESSION_FAILED', 'succeeded ', 'succeeded ']);
  });
});

describe('a trigger that starts more than 100 runs a minute for one key', () => {
  test('is paused and told, until the status is set to active again', async () => {
    await followed.sql('CREATE TABLE storm (id int PRIMARY KEY, n int)');
    const workflow = await followed.workflow(followed.on('storm', { operation: 'update' }));
    const listener = await followed.workflow({
      ...{ type: 'event', source: 'causeway', event: 'trigger.failed' },
      filter: `data.workflow === '${workflow}'`,
    });
    await followed.sql('INSERT INTO storm VALUES (1, 0), (2, 0)');
    for (let n = 1; n <= 110; n += 1)
      await followed.sql('UPDATE storm SET n = $1 WHERE id = 1', [n]);
    const [told] = await followed.ended(listener, 1);
    expect(told?.input).toEqual({
      workflow,
      trigger: 0,
      code: 'RATE_LIMITED',
      message: expect.stringContaining('more than 100 runs'),
    });
    await followed.ended(workflow, 100);
    expect(await followed.states(workflow)).toEqual([
      {
        ...{ index: 0, type: 'dataChange', state: 'paused', last: expect.any(String) },
        error: { code: 'RATE_LIMITED', message: expect.stringContaining('more than 100 runs') },
      },
    ]);
    await followed.sql('UPDATE storm SET n = 0 WHERE id = 2');
    await followed.patch(workflow, { description: 'no status' });
    await followed.sql('UPDATE storm SET n = 1 WHERE id = 2');
    await followed.patch(workflow, { status: 'active' });
    await followed.sql('UPDATE storm SET n = 2 WHERE id = 2');
    const last = (await followed.ended(workflow, 101)).at(-1);
    expect(last?.input).toMatchObject({ key: { id: 2 }, after: { n: 2 } });
    expect(await followed.states(workflow)).toMatchObject([{ state: 'active' }]);
  });
});

describe('what the server keeps', () => {
  test('is dropped with the last workflow that needs it', async () => {
    const own = await Followed.open(await sharedGateway());
    await own.sql('CREATE TABLE kept (id int PRIMARY KEY)');
    const first = await own.workflow(own.on('kept'));
    const second = await own.workflow(own.on('kept'));
    expect((await own.slots()).length).toBe(1);
    await own.organization.call('DELETE', `/workflows/${first}?confirm=true`);
    expect((await own.slots()).length).toBe(1);
    await own.organization.call('DELETE', `/workflows/${second}?confirm=true`);
    await expect.poll(() => own.slots(), { timeout: 10_000 }).toEqual([]);
    await own.close();
  });

  test('is dropped with the endpoint', async () => {
    const own = await Followed.open(await sharedGateway());
    await own.sql('CREATE TABLE kept (id int PRIMARY KEY)');
    await own.workflow(own.on('kept'));
    expect((await own.slots()).length).toBe(1);
    await own.close();
  });

  test('goes on being followed by another configuration of the endpoint', async () => {
    const own = await Followed.open(await sharedGateway());
    await own.sql('CREATE TABLE kept (id int PRIMARY KEY)');
    const workflow = await own.workflow(own.on('kept'));
    await own.sql('INSERT INTO kept VALUES (1)');
    await own.ended(workflow, 1);
    await own.sql("CREATE ROLE replicator LOGIN SUPERUSER PASSWORD 'another'");
    const url = new URL(own.url);
    url.username = 'replicator';
    url.password = 'another';
    const config = { write_conn: { url: url.href } };
    const changed = await own.organization.call('PATCH', `/endpoints/${own.endpoint}`, { config });
    expect(changed).toMatchObject({ status: 200 });
    await own.sql('INSERT INTO kept VALUES (2)');
    await own.ended(workflow, 2);
    const users = await own.sql(
      'SELECT usename FROM pg_stat_replication r JOIN pg_replication_slots s ON s.active_pid = r.pid WHERE s.database = current_database()',
    );
    expect(users).toEqual([{ usename: 'replicator' }]);
    await own.close();
    await followed.sql('DROP ROLE replicator');
  });
});

interface Change {
  readonly key: { readonly id: number };
  readonly after: { readonly n: number };
}

/** The input of a run without mapping. */
function changeIn(input: unknown): Change {
  return input as Change;
}

function compare(one: string, other: string): number {
  return Date.parse(one) - Date.parse(other);
}
