/** A node that opens no port: its relay dials the gateway, and is called through that. */
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../server/ports.ts';
import { dataFolder, sharedGateway, startGateway } from './gateway.ts';
import { listeningPorts } from './listeners.ts';
import { newOrganization, type Organization, success } from './organization.ts';
import {
  nodeRecord,
  placeOn,
  type RelayNode,
  runRelay,
  startRelayNode,
  untilStatus,
} from './relay-node.ts';
import { freshDatabase } from './servers/backends.ts';

let organization: Organization;
let node: RelayNode;
let endpoint: string;
beforeAll(async () => {
  organization = await newOrganization(await sharedGateway());
  const { call, gateway } = organization;
  node = await startRelayNode({ call, gateway: gateway.url });
  endpoint = await organization.addPostgres((await freshDatabase()).url);
  await placeOn(call, endpoint, node.uuid);
});
afterAll(() => node.stop());

const read = (query: string, params: unknown[] = []) =>
  organization.call('POST', `/endpoints/${endpoint}/read`, { query, params });
const rows = (reply: unknown) => ({ status: 200, body: { data: { rows: reply } } });

describe('a node behind a tunnel', () => {
  test('is listed, and listens on no port', async () => {
    expect(await nodeRecord(organization.call, node.uuid)).toMatchObject({
      transport: 'tunnel',
      status: 'available',
    });
    expect(listeningPorts(node.pid)).toEqual([]);
    // Of what does listen it is told.
    const { pid } = organization.gateway;
    expect(listeningPorts(pid).length).toBeGreaterThan(0);
  });

  test('serves reads, writes, streams and large results', async () => {
    expect(await read('select $1::int as n', [7])).toMatchObject(rows([{ n: 7 }]));
    const write = { query: 'create table t (a int)' };
    expect(await organization.call('POST', `/endpoints/${endpoint}/write`, write)).toMatchObject({
      status: 200,
    });
    const large = await read("select repeat('x', 5000000) as x");
    expect(JSON.stringify(large).length).toBeGreaterThan(5_000_000);
    const response = await organization.send(
      'POST',
      `/endpoints/${endpoint}/read`,
      { query: 'select generate_series(1, 20000) as i' },
      { headers: { Accept: 'application/x-ndjson' } },
    );
    expect((await response.text()).trimEnd().split('\n')).toHaveLength(20_000);
  });

  test('keeps the deadline of a call, at the database too', async () => {
    const reply = await organization.call('POST', `/endpoints/${endpoint}/read`, {
      query: 'select pg_sleep(60)',
      timeout_ms: 300,
    });
    expect(reply).toMatchObject({ status: 504 });
    const busy =
      "select count(*)::int as n from pg_stat_activity where query like 'select pg_sleep(60)%' and state = 'active' and pid <> pg_backend_pid()";
    await expect.poll(() => read(busy)).toMatchObject(rows([{ n: 0 }]));
  });

  test('lends sessions, which keep what they set', async () => {
    const path = `/endpoints/${endpoint}`;
    const opened = await organization.call('POST', `${path}/sessions`);
    const { session_id } = (opened.body as { data: { session_id: string } }).data;
    const inSession = (query: string) =>
      organization.call('POST', `${path}/write`, { query }, { 'X-Session-Id': session_id });
    await inSession('create temp table mine (a int)');
    expect(await inSession('select count(*)::int as n from mine')).toMatchObject(rows([{ n: 0 }]));
    expect(await organization.call('DELETE', `${path}/sessions/${session_id}`)).toEqual(
      success({ closed: true }),
    );
  });
});

describe('another process with the same keys', () => {
  test('is refused while the first answers, and takes over when it is killed', async () => {
    const { call, gateway } = organization;
    const first = await startRelayNode({ call, gateway: gateway.url });
    const second = runRelay(['--data', first.data]);
    expect(await second.ended).toEqual({ code: 1, signal: null });
    expect(second.output.stderr() + second.output.stdout()).toMatch(/is running/);
    process.kill(first.pid, 'SIGKILL');
    await first.ended;
    const third = runRelay(['--data', first.data]);
    await expect.poll(() => third.output.stdout()).toContain('tunnel open');
    await untilStatus(call, first.uuid, 'available', { relay: third });
    third.process.kill('SIGTERM');
    expect(await third.ended).toEqual({ code: 0, signal: null });
    await first.stop();
  });
});

/** Less than the ten seconds after which the runtime gives up a connection that is half closed. */
const STOP_MAX_MS = 8_000;

describe('a gateway that is started again', () => {
  test('is dialled within 2 s, and its stop waits for no tunnel', async () => {
    const data = await dataFolder();
    const port = String(await freePort('127.0.0.1'));
    const start = () => startGateway({ data, args: ['--port', port] });
    let own = await start();
    const { call } = await newOrganization(own);
    const dialling = await startRelayNode({ call, gateway: own.url });
    const stopping = performance.now();
    await own.stop();
    expect(performance.now() - stopping).toBeLessThan(STOP_MAX_MS);
    const opened = () => dialling.output.stdout().split('tunnel open').length - 1;
    expect(opened()).toBe(2);
    own = await start();
    const started = performance.now();
    await expect.poll(opened, { interval: 20 }).toBe(4);
    expect(performance.now() - started).toBeLessThan(4_000);
    await dialling.stop();
    const again = performance.now();
    await own.stop();
    expect(performance.now() - again).toBeLessThan(STOP_MAX_MS);
    await rm(data, { recursive: true, force: true });
  });
});
