/** Promises of drivers that prepare: what they refuse, whom they wait for, what a level shows. Spec: transactions.md §1, §2, §4. */
import { expect, test } from 'vitest';
import { GatewayError } from '../../proto/errors.ts';
import { failureOf } from './contract.ts';
import { numberIn, type PreparesSuite } from './contract-prepares.ts';
import { beginning, share, shareName, transactionPrefix } from './contract-shares.ts';
import { callOf, jsonOf } from './test/host.ts';

/** Operations that are not taken, and what is not ours. */
export function describeRefusals<Request>({ kind, open, count }: PreparesSuite<Request>): void {
  test('an operation that is to read may not write, and its refusal undoes all', async () => {
    const client = await open();
    const name = shareName();
    const participant = await client.join(beginning(name), callOf('write'));
    await participant.perform(share([kind().add(name)]), callOf('write'));
    const writes = share([kind().add(name)], { mode: 'read', earlier: [null] });
    const failure = await failureOf(participant.perform(writes, callOf('write')));
    expect(failure).toMatchObject({ code: 'BAD_REQUEST', details: [{ operation: 1 }] });
    await participant.close();
    expect(await count(client, name)).toBe(0);
  });
  test('what cannot be part of a share is refused with a reason, and all is undone', async () => {
    const client = await open();
    for (const { what, request } of kind().refused) {
      const name = shareName();
      const refused = share([kind().add(name), request]);
      const failure = await failureOf(client.prepare(beginning(name), refused, callOf('write')));
      expect([what, (failure as GatewayError).code]).toEqual([
        what,
        expect.stringMatching(/^(?:BAD_REQUEST|REQUEST_FAILED)$/),
      ]);
      expect((failure as GatewayError).message).not.toBe('');
      expect([what, await count(client, name)]).toEqual([what, 0]);
      const left = await client.recover(name.replace(/\d+$/, ''), callOf('write'));
      expect([what, left]).toEqual([what, []]);
    }
  });
  test('recovers by prefix only what is ours, and touches nothing else', async () => {
    const client = await open();
    const [ours, others] = [transactionPrefix(), transactionPrefix()];
    const names = [shareName(ours, 0), shareName(ours, 1), shareName(others)];
    for (const name of names) {
      await client.prepare(beginning(name), share([kind().add(name)]), callOf('write'));
    }
    const found = await client.recover(ours, callOf('write'));
    expect(found.map(({ name }) => name).toSorted()).toEqual(names.slice(0, 2));
    for (const { ageMs, owner } of found) {
      expect([ageMs !== undefined, owner !== '']).toEqual([kind().tellsOwner, kind().tellsOwner]);
      expect(ageMs ?? 0).toBeLessThan(60_000);
    }
    for (const name of names.slice(0, 2)) await client.rollback(name, '', callOf('write'));
    expect(await client.recover(ours, callOf('write'))).toEqual([]);
    expect(await client.recover(others, callOf('write'))).toHaveLength(1);
    await client.rollback(shareName(others), '', callOf('write'));
  });
}

/** Locks of what is prepared. */
export function describeLocks<Request>({ kind, open }: PreparesSuite<Request>): void {
  test('commits while all connections wait for what is prepared', async () => {
    const client = await open(2);
    const name = shareName();
    const held = share([kind().increment]);
    const { recovery } = await client.prepare(beginning(name), held, callOf('write'));
    const waiting = [0, 1].map(() => client.run(kind().increment, callOf('write')));
    const started = performance.now();
    expect(await client.commit(name, recovery, callOf('write'))).toMatchObject({ found: true });
    expect(performance.now() - started).toBeLessThan(5_000);
    await Promise.all(waiting);
  });
  test('tells which share waits for which, prepared or open, in one database', async () => {
    const [one, other] = [await open(), await open()];
    const transaction = transactionPrefix();
    const [holds, waits] = [shareName(transaction, 0), shareName(transaction, 1)];
    const participant = await one.join(beginning(holds), callOf('write'));
    await participant.perform(share([kind().increment]), callOf('write'));
    const leaving = new AbortController();
    const call = callOf('write', { signal: leaving.signal });
    const stuck = failureOf(other.prepare(beginning(waits), share([kind().increment]), call));
    const told = () => one.waits(transaction, callOf('write'));
    const expected = { shown: true, waits: [{ waiting: waits, holding: holds }] };
    await expect.poll(told, { timeout: 10_000 }).toEqual(expected);
    await participant.prepare(callOf('write'));
    await expect.poll(told, { timeout: 10_000 }).toEqual(expected);
    leaving.abort(new GatewayError('TIMED_OUT', 'told'));
    expect(await stuck).toMatchObject({ code: 'TIMED_OUT' });
    await one.rollback(holds, '', callOf('write'));
    await one.rollback(waits, '', callOf('write'));
    expect(await told()).toEqual({ shown: true, waits: [] });
  });
}

/** Levels of isolation. */
export function describeLevels<Request>({ kind, open }: PreparesSuite<Request>): void {
  test.each([
    ['read committed', 'sees'],
    ['repeatable read', 'does not see'],
    ['serializable', 'does not see'],
  ] as const)('at %s a share %s what others commit meanwhile', async (level, sees) => {
    const client = await open();
    const participant = await client.join(beginning(shareName(), level), callOf('write'));
    const look = async () => {
      const { results } = await participant.perform(
        share([kind().number], { mode: 'read' }),
        callOf('write'),
      );
      return numberIn((jsonOf(results) as readonly unknown[])[0]);
    };
    const before = await look();
    const meanwhile = client.run(kind().increment, callOf('write'));
    // At the strictest level some make the other one wait instead.
    await Promise.race([meanwhile, new Promise((resolve) => setTimeout(resolve, 500))]);
    const seen = await look();
    await participant.close();
    await meanwhile;
    expect(seen).toBe(sees === 'sees' ? before + 1 : before);
  });
  test('the level stays what was asked for', async () => {
    const client = await open();
    const participant = await client.join(beginning(shareName(), 'serializable'), callOf('write'));
    const lower = { query: 'SET TRANSACTION ISOLATION LEVEL READ COMMITTED', type: 'query' };
    // Both kinds take it as a statement of theirs.
    const failure = await failureOf(
      participant.perform(share([lower as Request]), callOf('write')),
    );
    await participant.close();
    // MySQL's servers would let the session's level be set, so none of them is asked.
    const code = kind().kind === 'mysql' ? 'BAD_REQUEST' : 'REQUEST_FAILED';
    expect(failure).toMatchObject({ code });
  });
}
