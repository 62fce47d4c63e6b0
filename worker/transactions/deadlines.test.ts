/** Deadlines of `POST /transactions` that pass before the decision, on relays in memory. Spec: transactions.md §1. */
import { Code } from '@connectrpc/connect';
import { describe, expect, test } from 'vitest';
import { told } from '../test/running.ts';
import { op, start, until } from './test/started.ts';

describe('a deadline that passes before the decision', () => {
  const GONE = ['OUTCOME_UNKNOWN', 'SESSION_NOT_FOUND', 'CONNECTION_FAILED'] as const;
  const timedOut = { code: 'TIMED_OUT' };

  test.each(GONE)('is 504, though a backend ends it as %s', async (code) => {
    const { gateway, relay } = await start();
    relay.before = (method) => {
      if (method !== 'prepare') return;
      gateway.clock.now += 250;
      throw told(Code.Unavailable, code, 'It is gone');
    };
    const operations = [op('e0', 'update a'), op('e1', 'update b')];
    const reply = await gateway.call('POST', '/transactions', { operations, timeout_ms: 200 });
    expect(reply).toMatchObject({ status: 504, body: timedOut });
    expect(await until(gateway, 'rolled_back')).toMatchObject({ status: 'rolled_back' });
  });

  test('is told although what is to be undone does not answer', async () => {
    const { gateway, relay } = await start();
    const { promise, resolve } = Promise.withResolvers<void>();
    relay.before = async (method) => {
      if (method === 'rollback') await promise;
      if (method !== 'prepare') return;
      gateway.clock.now += 250;
      throw told(Code.DeadlineExceeded, 'TIMED_OUT', 'The deadline passed');
    };
    const began = performance.now();
    const operations = [op('e0', 'update a')];
    const reply = await gateway.call('POST', '/transactions', { operations, timeout_ms: 200 });
    expect(reply).toMatchObject({ status: 504, body: timedOut });
    expect(performance.now() - began).toBeLessThan(2_000);
    resolve();
    expect(await until(gateway, 'rolled_back')).toMatchObject({ status: 'rolled_back' });
  });

  test('leaves an operation its own error', async () => {
    const { gateway, relay } = await start();
    relay.before = (method) => {
      if (method !== 'prepare') return;
      gateway.clock.now += 250;
      throw told(Code.InvalidArgument, 'CONSTRAINT_VIOLATED', 'It is there already');
    };
    const operations = [op('e0', 'update a')];
    const reply = await gateway.call('POST', '/transactions', { operations, timeout_ms: 200 });
    expect(reply).toMatchObject({ status: 409, body: { code: 'CONSTRAINT_VIOLATED' } });
  });
});
