/** Trying an endpoint's connection. */
import { env } from 'cloudflare:test';
import { describe, expect, test } from 'vitest';
import { failure, insertEndpoint, NOW, startGateway } from '../test/gateway.ts';
import { pingingRelay, relayFailure } from '../test/pinging-relay.ts';

async function start() {
  const relay = pingingRelay();
  const gateway = await startGateway('Read', { relay: relay.methods });
  const id = await insertEndpoint(gateway);
  return {
    relay,
    gateway,
    id,
    probe: () => gateway.call('POST', `/endpoints/${id}/test`),
    seen: async () => {
      const { body } = await gateway.call('GET', `/endpoints/${id}`);
      const { connection_status, last_connected_at } = (body as { data: Record<string, unknown> })
        .data;
      return { connection_status, last_connected_at };
    },
  };
}

describe('POST /endpoints/{endpoint}/test', () => {
  test('measures both connections, and notes that the backend was seen', async () => {
    const { relay, probe, seen } = await start();
    expect(await probe()).toEqual({
      status: 200,
      body: { status: 'success', data: { connected: true, latency_ms: 2 } },
    });
    expect(relay.reached.map(({ pool }) => pool).sort()).toEqual([
      'read:production',
      'write:production',
    ]);
    expect(await seen()).toEqual({
      connection_status: 'available',
      last_connected_at: new Date(NOW).toISOString(),
    });
  });

  test('says why a backend cannot be reached, and keeps when it last was', async () => {
    const { relay, probe, seen, gateway } = await start();
    await probe();
    relay.state.unreachable = 'db.test';
    gateway.clock.now += 60_000;
    const error = {
      error: 'Connection failed',
      message: 'Unable to connect to database: connection refused',
      code: 'CONNECTION_FAILED',
    };
    expect(await probe()).toEqual({
      status: 200,
      body: { status: 'success', data: { connected: false, latency_ms: 0, error } },
    });
    expect(await seen()).toEqual({
      connection_status: 'unavailable',
      last_connected_at: new Date(NOW).toISOString(),
    });
  });

  test.each(['POOL_EXHAUSTED', 'ADDRESS_REFUSED'] as const)(
    'is an error when the backend was not tried: %s',
    async (code) => {
      const { relay, probe, seen } = await start();
      relay.state.meanwhile = () => Promise.reject(relayFailure(code, 'Not tried'));
      expect((await probe()).body).toEqual(failure(code, 'Not tried'));
      expect(await seen()).toEqual({ connection_status: 'unknown', last_connected_at: null });
    },
  );

  test('fails closed on the development profile without a route for it', async () => {
    const { relay, probe, gateway } = await start();
    await env.DB.prepare("UPDATE endpoints SET backend_profile = 'development' WHERE org_uuid = ?")
      .bind(gateway.organization.uuid)
      .run();
    expect(await probe()).toEqual({
      status: 503,
      body: failure('DEVELOPMENT_ROUTE_MISSING', expect.any(String)),
    });
    expect(relay.reached).toEqual([]);
  });
});
