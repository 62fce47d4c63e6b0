/** Promises of drivers that prepare, after every fault: deadlines, killed processes, killed servers. Spec: transactions.md §3. */
import { expect, test } from 'vitest';
import { GatewayError } from '../../proto/errors.ts';
import { after, failureOf } from './contract.ts';
import type { PreparesSuite } from './contract-prepares.ts';
import { beginning, share, shareName } from './contract-shares.ts';
import { callOf } from './test/host.ts';
import { killedWorker } from './test/killed-worker.ts';

/** Calls that are stopped, and processes that hang. */
export function describeInterruptions<Request>({
  kind,
  open,
  count,
}: PreparesSuite<Request>): void {
  test('a deadline in the middle of it leaves nothing that a rollback does not end', async () => {
    const client = await open();
    for (let ms = 0; ms < 30; ms += 3) {
      const name = shareName();
      const signal = after(ms, new GatewayError('TIMED_OUT', 'The deadline passed'));
      const call = callOf('write', { signal });
      await client.prepare(beginning(name), share([kind().add(name)]), call).catch(() => {});
      await client.rollback(name, '', callOf('write'));
      expect(await count(client, name)).toBe(0);
      expect(await client.recover(name.replace(/\d+$/, ''), callOf('write'))).toEqual([]);
    }
  });
  test('a rollback ends a share that a process which hangs still has open', async () => {
    const client = await open();
    const name = shareName();
    const connection = kind().connection();
    const work = {
      kind: kind().kind,
      connection,
      name,
      request: kind().increment,
      state: 'open',
    } as const;
    const kill = await killedWorker(work);
    const outcome = await client.rollback(name, '', callOf('write'));
    expect(outcome.found).toBe(false);
    // Its lock is free.
    await client.run(kind().increment, callOf('write', { signal: AbortSignal.timeout(5_000) }));
    kill();
  });
}

/** Processes and servers that are killed with -9. */
export function describeKills<Request>({ kind, open, count }: PreparesSuite<Request>): void {
  test.each(['prepared', 'open'] as const)(
    'a process killed with -9 leaves a share that was %s as it was promised',
    async (state) => {
      const client = await open();
      const name = shareName();
      const { kind: of } = kind();
      const work = {
        kind: of,
        connection: kind().connection(),
        name,
        request: kind().add(name),
        state,
      };
      const kill = await killedWorker(work);
      kill();
      const found = await client.commit(name, '', callOf('write'));
      await client.rollback(name, '', callOf('write'));
      expect(found.found).toBe(state === 'prepared');
      expect(await count(client, name)).toBe(state === 'prepared' ? 1 : 0);
    },
  );
  test('what is prepared outlives the server, and what was open does not', async () => {
    const before = await open();
    const [prepared, opened] = [shareName(), shareName()];
    const one = share([kind().add(prepared)]);
    const { recovery } = await before.prepare(beginning(prepared), one, callOf('write'));
    const participant = await before.join(beginning(opened), callOf('write'));
    await participant.perform(share([kind().add(opened)]), callOf('write'));
    await kind().restart();
    expect(await failureOf(participant.prepare(callOf('write')))).toBeInstanceOf(GatewayError);
    await participant.close();
    const client = await open();
    const ours = await client.recover(prepared.replace(/\d+$/, ''), callOf('write'));
    expect(ours.map(({ name }) => name)).toEqual([prepared]);
    expect(await client.commit(prepared, recovery, callOf('write'))).toMatchObject({
      found: true,
    });
    expect([await count(client, prepared), await count(client, opened)]).toEqual([1, 0]);
  });
}
