import { env } from 'cloudflare:test';
import { Code } from '@connectrpc/connect';
import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { describe, expect, test } from 'vitest';
import { endpoints, endpointUsage } from '../../db/schema.ts';
import { NOW } from '../../test/gateway.ts';
import { bytes, startRunning, textOf, told } from '../../test/running.ts';
import { countTrips } from '../../test/trips.ts';

const QUERY = { type: 'query', query: 'select 1' };

/** A gateway of its own count, whose relay fails when told to. */
async function start() {
  const trips = countTrips(env.DB);
  const relay: { failure?: Error } = {};
  const gateway = await startRunning(
    {
      run() {
        if (relay.failure) throw relay.failure;
        return { result: bytes('{}') };
      },
      async *runStream() {
        yield { chunk: bytes('{}\n') };
        if (relay.failure) throw relay.failure;
      },
    },
    { bindings: { DB: trips.binding } },
  );
  const usage = async () => {
    await gateway.settle();
    const [row] = await drizzle(env.DB)
      .select()
      .from(endpointUsage)
      .where(eq(endpointUsage.endpointUuid, gateway.endpointUuid));
    return row;
  };
  return { ...gateway, relay, trips, usage };
}

describe('usage of an endpoint', () => {
  test('counts reads, writes and failures, and when the backend was last reached', async () => {
    const gateway = await start();
    gateway.clock.now += 5_000;
    for (let read = 0; read < 3; read += 1) await gateway.ask('/read', QUERY);
    await gateway.ask('/write', QUERY);
    await gateway.settle();
    gateway.clock.now += 1_000;
    gateway.relay.failure = told(Code.Unavailable, 'CONNECTION_FAILED', 'Unable to connect');
    await gateway.ask('/read', QUERY);
    expect(await gateway.usage()).toMatchObject({
      reads: 4,
      writes: 1,
      errors: 1,
      connectionStatus: 'unavailable',
      lastConnectedAt: NOW + 5_000,
    });
  });

  test('adds to what was counted before', async () => {
    const gateway = await start();
    await gateway.ask('/read', QUERY);
    expect((await gateway.usage())?.reads).toBe(1);
    gateway.clock.now += 1_000;
    await gateway.ask('/read', QUERY);
    expect((await gateway.usage())?.reads).toBe(2);
  });

  test('counts a stream once it has ended, with how it ended', async () => {
    const gateway = await start();
    const lines = { Accept: 'application/x-ndjson' };
    await textOf(await gateway.post('/read', QUERY, lines));
    await gateway.settle();
    gateway.clock.now += 1_000;
    gateway.relay.failure = told(Code.InvalidArgument, 'REQUEST_FAILED', 'division by zero');
    await textOf(await gateway.post('/read', QUERY, lines));
    expect(await gateway.usage()).toMatchObject({
      reads: 2,
      errors: 1,
      connectionStatus: 'available',
    });
  });

  test('does not count what never was sent', async () => {
    const gateway = await start();
    await gateway.ask('/read', { type: 'execute', query: 'delete from t' });
    await gateway.ask('/read', { type: 'nonsense' });
    expect(await gateway.usage()).toMatchObject({ reads: 0, errors: 0 });
  });

  test('is written once for many calls of a second', async () => {
    const gateway = await start();
    await gateway.ask('/read', QUERY);
    await gateway.settle();
    const before = gateway.trips.count();
    for (let read = 0; read < 20; read += 1) await gateway.ask('/read', QUERY);
    expect(gateway.trips.count()).toBe(before);
    expect((await gateway.usage())?.reads).toBe(21);
    // One for the endpoint, and one for what the user did.
    expect(gateway.trips.count()).toBe(before + 2);
  });

  test('of an endpoint that is gone is not written', async () => {
    const gateway = await start();
    await gateway.ask('/read', QUERY);
    await drizzle(env.DB).delete(endpoints).where(eq(endpoints.uuid, gateway.endpointUuid));
    await drizzle(env.DB)
      .delete(endpointUsage)
      .where(eq(endpointUsage.endpointUuid, gateway.endpointUuid));
    expect(await gateway.usage()).toBeUndefined();
  });
});
