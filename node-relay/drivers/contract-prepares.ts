/** The promises of drivers that can prepare, kept against real servers that are stopped and killed. Spec: transactions.md §2, §3. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BackendClient } from '../../proto/driver.ts';
import type { Json } from '../../proto/json.ts';
import type { Prepares } from '../../proto/prepares.ts';
import { failureOf } from './contract.ts';
import { describeInterruptions, describeKills } from './contract-prepares-faults.ts';
import { describeLevels, describeLocks, describeRefusals } from './contract-prepares-guards.ts';
import { describeMessages } from './contract-prepares-messages.ts';
import { beginning, share, shareName } from './contract-shares.ts';
import type { Driver } from './driver.ts';
import { callOf, jsonOf, openClient, testHost } from './test/host.ts';
import type { KilledWork } from './test/killed-worker.ts';

/** A client that can prepare. */
type PreparingClient<Request> = BackendClient<Request> & Prepares<Request>;

/** One kind's words for what every kind that prepares can do. */
export interface PreparesCase<Request> {
  readonly kind: KilledWork['kind'];
  readonly driver: Driver<Request, PreparingClient<Request>>;
  /** Of a server of the suite's own, with a table of entries by name and a table of one number. */
  connection(): Json;
  /** Kills the server with -9 and starts it again on its data. */
  restart(): Promise<void>;
  /** Adds one entry of that name, or of one that a reference points to. */
  add(name: Json): Request;
  /** Adds one of that name to those of which there is one each. */
  first(name: string): Request;
  /** Answers how many entries have that name, as `n`. */
  count(name: string): Request;
  /** Adds to the number, and answers it as `n`. */
  readonly increment: Request;
  readonly number: Request;
  /** What is not taken in a share: refused before it is sent, or by the server. */
  readonly refused: readonly { readonly what: string; readonly request: Request }[];
  /** The backend says who prepared, and when. */
  readonly tellsOwner: boolean;
  /** The backend keeps what became of those that ended. */
  readonly keepsOutcomes: boolean;
}
/** What the suite lends. */
export interface PreparesSuite<Request> {
  /** Ready once the tests run. */
  kind(): PreparesCase<Request>;
  /** A client that writes, on a pool of `connections`, 4 by default. */
  open(connections?: number): Promise<PreparingClient<Request>>;
  /** How many entries have that name. */
  count(client: PreparingClient<Request>, name: string): Promise<number>;
}

/** What the suite is run with: `start` makes the server ready and `stop` ends it. */
export type PreparesContract<Request> = [
  name: string,
  start: () => Promise<PreparesCase<Request>>,
  stop: () => Promise<void>,
];

/** Runs the suite. */
export function describePrepares<Request>(...[name, start, stop]: PreparesContract<Request>): void {
  describe(`shares of transactions by the ${name} driver`, () => {
    let kind: PreparesCase<Request>;
    const clients: PreparingClient<Request>[] = [];
    const suite: PreparesSuite<Request> = {
      kind: () => kind,
      async open(connections = 4) {
        const host = testHost(connections);
        const opening = { connection: kind.connection(), mode: 'write', host } as const;
        const client = await openClient(kind.driver, opening);
        clients.push(client);
        return client;
      },
      async count(client, entry) {
        return numberIn(jsonOf(await client.run(kind.count(entry), callOf('write'))));
      },
    };
    beforeAll(async () => {
      kind = await start();
    });
    afterAll(async () => {
      await Promise.all(clients.map((client) => client.close()));
      await stop();
    });
    describeCalls(suite);
    describeSteps(suite);
    describeRefusals(suite);
    describeLocks(suite);
    describeLevels(suite);
    describeMessages(suite);
    describeInterruptions(suite);
    describeKills(suite);
  });
}

function describeCalls<Request>({ kind, open, count }: PreparesSuite<Request>): void {
  test('the server lacks nothing', async () => {
    expect(await (await open()).lacks(callOf('write'))).toEqual([]);
  });
  test('one call prepares all, unseen until another client commits it', async () => {
    const [one, other] = [await open(), await open()];
    const name = shareName();
    const both = share([kind().add(name), kind().count(name)]);
    const prepared = await one.prepare(beginning(name), both, callOf('write'));
    expect(jsonOf(prepared.results)).toMatchObject([{}, { rows: [{ n: 1 }] }]);
    expect(prepared).toMatchObject({ prepared: true, onlyRead: false });
    expect(await count(other, name)).toBe(0);
    const { recovery } = prepared;
    expect(await other.commit(name, recovery, callOf('write'))).toEqual({
      found: true,
      status: 'committed',
    });
    expect(await count(one, name)).toBe(1);
  });
  test('a commit and a rollback that are repeated find nothing and tell what is known', async () => {
    const client = await open();
    const outcomes: unknown[] = [];
    for (const how of ['commit', 'rollback'] as const) {
      const name = shareName();
      const { recovery } = await client.prepare(
        beginning(name),
        share([kind().add(name)]),
        callOf('write'),
      );
      await client[how](name, recovery, callOf('write'));
      outcomes.push(await client[how](name, recovery, callOf('write')));
      outcomes.push(await client.commit(name, recovery, callOf('write')));
    }
    const [committed, rolledBack] = kind().keepsOutcomes
      ? ['committed', 'rolled_back']
      : ['unknown', 'unknown'];
    expect(outcomes).toEqual([
      { found: false, status: committed },
      { found: false, status: committed },
      { found: false, status: rolledBack },
      { found: false, status: rolledBack },
    ]);
    const never = shareName();
    expect(await client.rollback(never, '', callOf('write'))).toEqual({
      found: false,
      status: 'unknown',
    });
  });
}

function describeSteps<Request>({ kind, open, count }: PreparesSuite<Request>): void {
  test('results of other shares feed operations, and step by step those of this one', async () => {
    const client = await open();
    const name = shareName();
    const participant = await client.join(beginning(name), callOf('write'));
    const first = share([kind().add({ $result: '[0].rows[0].x' })], {
      earlier: [{ rows: [{ x: name }] }],
    });
    await participant.perform(first, callOf('write'));
    const own = await participant.perform(share([kind().count(name)]), callOf('write'));
    expect(jsonOf(own.results)).toMatchObject([{ rows: [{ n: 1 }] }]);
    expect(await count(client, name)).toBe(0);
    expect(await participant.prepare(callOf('write'))).toMatchObject({ prepared: true });
    await client.commit(name, '', callOf('write'));
    expect(await count(client, name)).toBe(1);
  });
  test('a share that only read ends when it is prepared, and leaves nothing to commit', async () => {
    const client = await open();
    const name = shareName();
    const reads = share([kind().count(name), kind().number]);
    const ended = await client.prepare(beginning(name), reads, callOf('write'));
    expect(ended).toMatchObject({ prepared: false, onlyRead: true, recovery: '' });
    expect(await client.recover(name.replace(/\d+$/, ''), callOf('write'))).toEqual([]);
  });
  test('commits in one phase, or is undone by being closed', async () => {
    const client = await open(1);
    const [kept, undone] = [shareName(), shareName()];
    for (const name of [kept, undone]) {
      const participant = await client.join(beginning(name), callOf('write'));
      await participant.perform(share([kind().add(name)]), callOf('write'));
      if (name === kept) await participant.commit(callOf('write'));
      // One that has ended before is not there any more.
      if (name === undone) expect(await participant.close()).toBe(true);
      else await participant.close();
      await failureOf(participant.perform(share([kind().add(name)]), callOf('write')));
    }
    expect([await count(client, kept), await count(client, undone)]).toEqual([1, 0]);
  });
  test('a failed operation is named by its place, and nothing stays', async () => {
    const client = await open();
    const name = shareName();
    const half = share([kind().add(name), kind().add({ $result: '[9].rows' })], {
      earlier: [null],
    });
    const failure = await failureOf(client.prepare(beginning(name), half, callOf('write')));
    expect(failure).toMatchObject({ code: 'BAD_REQUEST', details: [{ operation: 2 }] });
    expect(await client.recover(name.replace(/\d+$/, ''), callOf('write'))).toEqual([]);
    expect(await count(client, name)).toBe(0);
  });
}

/** The number that a result answers. */
export function numberIn(result: unknown): number {
  return Number((result as { rows: readonly { n: unknown }[] }).rows[0]?.n);
}
