import { env } from 'cloudflare:test';
import { Code } from '@connectrpc/connect';
import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { describe, expect, test } from 'vitest';
import type { CloseSessionRequest, RunRequest } from '../../proto/gen/relay/v1/relay_pb.ts';
import { endpoints } from '../db/schema.ts';
import { failure, NOW } from '../test/gateway.ts';
import { bytes, startRunning, told } from '../test/running.ts';

const QUERY = { type: 'query', query: 'select 1' };
const NOT_FOUND = {
  status: 404,
  body: failure('SESSION_NOT_FOUND', 'There is no such session: it may have expired'),
};

/** A relay that leases connections for five minutes. */
function leasing() {
  const runs: string[] = [];
  const closed: [string, string][] = [];
  return {
    runs,
    closed,
    openSession: () => ({ sessionId: 'lease-1', expiresMs: BigInt(NOW + 300_000) }),
    closeSession({ sessionId, endpoint }: CloseSessionRequest) {
      closed.push([sessionId, endpoint]);
      return { found: closed.length === 1 };
    },
    run({ sessionId }: RunRequest) {
      runs.push(sessionId);
      return { result: bytes('{}') };
    },
  };
}

async function startSession(relay = leasing()) {
  const gateway = await startRunning(relay);
  const opened = await gateway.ask('/sessions', {});
  const { data } = opened.body as { data: { session_id: string } };
  return { ...gateway, relay, opened, session: data.session_id };
}

describe('a session', () => {
  test('is opened with its end, and names neither node nor lease in clear', async () => {
    const { opened, session } = await startSession();
    expect(opened).toEqual({
      status: 200,
      body: {
        status: 'success',
        data: { session_id: expect.any(String), expires: new Date(NOW + 300_000).toISOString() },
      },
    });
    expect(session).not.toContain('lease-1');
    expect(
      session
        .split('.')
        .map((part) => atobUrl(part))
        .join(),
    ).not.toContain('lease-1');
  });

  test('serves the reads and writes that name it, and no others', async () => {
    const { ask, relay, session } = await startSession();
    await ask('/read', QUERY, { 'X-Session-Id': session });
    await ask('/write', QUERY, { 'X-Session-Id': session });
    await ask('/write', QUERY);
    expect(relay.runs).toEqual(['lease-1', 'lease-1', '']);
  });

  test('answers JSON to who takes it beside rows, and streams none', async () => {
    const { ask, session, relay } = await startSession();
    const asking = (Accept: string) => ask('/read', QUERY, { 'X-Session-Id': session, Accept });
    expect(await asking('text/csv, application/json')).toEqual({
      status: 200,
      body: { status: 'success', data: {} },
    });
    expect(relay.runs).toEqual(['lease-1']);
  });

  test('ends once', async () => {
    const { call, relay, session, endpointUuid } = await startSession();
    const path = `/endpoints/orders/sessions/${session}`;
    expect(await call('DELETE', path)).toEqual({
      status: 200,
      body: { status: 'success', data: { closed: true } },
    });
    expect(await call('DELETE', path)).toEqual(NOT_FOUND);
    expect(relay.closed[0]).toEqual(['lease-1', endpointUuid]);
  });

  test('of another user is not found, nor does it end', async () => {
    const gateway = await startSession();
    const bearer = await gateway.token(await gateway.addUser('SuperAdmin'));
    const path = `/endpoints/orders/sessions/${gateway.session}`;
    expect(await gateway.call('DELETE', path, undefined, bearer)).toEqual(NOT_FOUND);
    const response = await gateway.send('/endpoints/orders/read', {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${bearer}`,
        'Content-Type': 'application/json',
        'X-Session-Id': gateway.session,
      },
      body: JSON.stringify(QUERY),
    });
    expect({ status: response.status, body: await response.json() }).toEqual(NOT_FOUND);
    expect([gateway.relay.runs, gateway.relay.closed]).toEqual([[], []]);
  });

  test('of another endpoint is not found', async () => {
    const gateway = await startSession();
    const config = { write_conn: { url: 'postgresql://u:p@other.test/d' } };
    await gateway.call('POST', '/endpoints', { endpoint: 'other', kind: 'postgres', config });
    const path = `/endpoints/other/sessions/${gateway.session}`;
    const message = 'The session was opened on another endpoint, and belongs to that one alone';
    expect(await gateway.call('DELETE', path)).toEqual({
      status: 404,
      body: failure('SESSION_NOT_FOUND', message),
    });
  });

  test('of another organization is not found', async () => {
    const { session } = await startSession();
    const stranger = await startRunning(leasing());
    expect(await stranger.ask('/read', QUERY, { 'X-Session-Id': session })).toEqual(NOT_FOUND);
  });

  test.each([
    ['empty', () => ''],
    [
      'garbled',
      (session: string) =>
        session.replace(/^(.{9})(.)/, (_, before, next) => before + (next === 'x' ? 'y' : 'x')),
    ],
    ['made up', () => 'v1.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAA'],
    ['no sealed text at all', () => 'lease-1'],
  ])('that is %s is not found', async (_, change) => {
    const { ask, relay, session } = await startSession();
    expect(await ask('/write', QUERY, { 'X-Session-Id': change(session) })).toEqual(NOT_FOUND);
    expect(relay.runs).toEqual([]);
  });

  test('that has expired is not found', async () => {
    const { ask, clock, session } = await startSession();
    clock.now += 300_000;
    expect(await ask('/read', QUERY, { 'X-Session-Id': session })).toEqual(NOT_FOUND);
  });

  test('does not outlive a change of its endpoint', async () => {
    const { ask, session, endpointUuid, clock } = await startSession();
    await drizzle(env.DB)
      .update(endpoints)
      .set({ poolRevision: 2 })
      .where(eq(endpoints.uuid, endpointUuid));
    clock.now += 2_000;
    expect(await ask('/read', QUERY, { 'X-Session-Id': session })).toEqual(NOT_FOUND);
  });

  test.each([
    [501, Code.Unimplemented, 'NOT_SUPPORTED'],
    [503, Code.ResourceExhausted, 'SESSIONS_EXHAUSTED'],
  ] as const)('is refused with %i where the relay has none to give', async (status, code, name) => {
    const gateway = await startRunning({
      openSession() {
        throw told(code, name, 'None to give');
      },
    });
    expect(await gateway.ask('/sessions', {})).toEqual({
      status,
      body: failure(name, 'None to give'),
    });
  });
});

function atobUrl(part: string): string {
  try {
    return atob(part.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return part;
  }
}
