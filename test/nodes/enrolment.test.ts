/** A relay becomes a node, keeps what it needs, and two of one key are told apart. Spec: nodes.md §1. */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JWK } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Gateway, Joined } from '../../node-relay/node/gateway.ts';
import { filesIn, readKeys } from '../../node-relay/node/settings.ts';
import { sharedGateway } from '../gateway.ts';
import { newOrganization, type Organization, success } from '../organization.ts';
import { nodeRecord, untilStatus } from '../relay-node.ts';
import { backend, freshDatabase } from '../servers/backends.ts';
import { type RelayNode, runRelay, startNode } from './node-process.ts';

/** Sets a relay's clock wrong by so many milliseconds. */
function wrongClock(aheadMs: number): string {
  const script = `const now = Date.now; Date.now = () => now() + ${aheadMs};`;
  return `data:text/javascript,${encodeURIComponent(script)}`;
}

let organization: Organization;
let node: RelayNode;
let folder: string;
beforeAll(async () => {
  organization = await newOrganization(await sharedGateway());
  node = await startNode(organization, 'first');
  folder = await mkdtemp(join(tmpdir(), 'causeway-node-'));
});
afterAll(async () => {
  await node?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** An endpoint that is placed on a node alone. */
async function placed(uuid: string): Promise<string> {
  const { url } = await freshDatabase(await backend('postgres'));
  const endpoint = await organization.addPostgres(url);
  const reply = await organization.call('PUT', `/endpoints/${endpoint}/nodes/${uuid}`, {});
  expect(reply.status).toBe(200);
  return endpoint;
}

const one = (endpoint: string) =>
  organization.call('POST', `/endpoints/${endpoint}/read`, { query: 'select 1 as n' });
const ONE = success({ columns: [{ name: 'n', type: 'integer' }], rows: [{ n: 1 }], row_count: 1 });

test('its keys and all that it keeps are for its own user alone', async () => {
  const files = await readdir(node.data);
  expect(files.sort()).toEqual([
    ...['node.json', 'part-keys.env', 'sealing-key.jwk', 'signing-key.jwk'],
  ]);
  for (const file of files) {
    expect(((await stat(join(node.data, file))).mode & 0o777).toString(8)).toBe('600');
  }
});

test('it serves what is placed on it, and again after a start without flags', async () => {
  const endpoint = await placed(node.uuid);
  expect(await one(endpoint)).toEqual(ONE);
  expect(await nodeRecord(organization.call, node.uuid)).toMatchObject({
    status: 'available',
    transport: 'direct',
    kinds: expect.arrayContaining(['postgres', 'redis']),
  });
  node.run.signal('SIGTERM');
  expect(await node.run.ended).toBe(0);
  await untilStatus(organization.call, node.uuid, 'draining');
  await node.restart();
  await untilStatus(organization.call, node.uuid, 'available');
  expect(await one(endpoint)).toEqual(ONE);
});

test.each<[how: string, secret: () => string]>([
  ['wrong', () => 'cwn_wrong'],
  ['used', () => node.secret],
])('a %s secret is one sentence and exit code 1', async (_how, secret) => {
  const { gateway } = organization;
  const run = runRelay(['--gateway', gateway.url, '--enroll', secret(), '--data', folder]);
  expect(await run.ended).toBe(1);
  expect(run.output()).toBe('The enrolment secret is unknown, was used, or has expired\n');
});

test('what cannot be a node says what it lacks', async () => {
  const alone = runRelay(['--enroll', 'cwn_any', '--data', folder]);
  expect(await alone.ended).toBe(1);
  expect(alone.output()).toBe('--enroll needs the gateway: --gateway URL\n');
  const nowhere = ['--gateway', 'http://127.0.0.1:9', '--enroll', 'cwn_any', '--data', folder];
  const lost = runRelay(nowhere);
  expect(await lost.ended).toBe(1);
  expect(lost.output()).toBe('The gateway at http://127.0.0.1:9 cannot be reached\n');
});

test('a second process with its key is refused while the first lives, and takes over within a second after its end', async () => {
  const second = runRelay(['--data', node.data, '--port', '0']);
  expect(await second.ended).toBe(1);
  expect(second.output()).toBe(
    'Another process with the key of this node is running, and answers\n',
  );
  const other = processOf(node);
  await expect(other.join()).rejects.toMatchObject({ status: 409, code: 'NODE_RUNNING' });
  node.run.signal('SIGKILL');
  await node.run.ended;
  const began = performance.now();
  expect(await other.join()).toMatchObject({ uuid: node.uuid });
  expect(performance.now() - began).toBeLessThan(1_000);
  await node.restart();
  await expect(other.join()).rejects.toMatchObject({ status: 409, code: 'NODE_RUNNING' });
  await untilStatus(organization.call, node.uuid, 'available');
}, 120_000);

/** Another process with the keys of a node, which serves nothing: how long a relay takes to start is left out. */
function processOf({ data }: RelayNode) {
  const keys = readKeys(filesIn(data));
  if (keys === undefined) throw new Error('The node has no keys');
  const gateway = new Gateway(organization.gateway.url, keys);
  const publicHalf = ({ d: _, ...key }: JWK) => JSON.stringify(key);
  const body = {
    signing_key: publicHalf(keys.signing),
    sealing_key: publicHalf(keys.sealing),
    version: '0',
    kinds: [],
  };
  return { join: () => gateway.post('/nodes/enrol', body, Joined) };
}

test.each([
  ['ahead', 600_000],
  ['behind', -600_000],
])(
  'one whose clock is 10 minutes %s is told, and serves calls and sessions',
  async (way, offMs) => {
    const env = { NODE_OPTIONS: `--import=${wrongClock(offMs)}` };
    const wrong = await startNode(organization, `clock-${way}`, { env });
    try {
      const { clock_offset_ms: offset } = await nodeRecord(organization.call, wrong.uuid);
      expect(Math.abs(Number(offset) - offMs)).toBeLessThan(2_000);
      const endpoint = await placed(wrong.uuid);
      expect(await one(endpoint)).toEqual(ONE);
      const opened = await organization.call('POST', `/endpoints/${endpoint}/sessions`);
      const { data } = opened.body as { data: { session_id: string; expires: string } };
      const left = Date.parse(data.expires) - Date.now();
      expect(left).toBeGreaterThan(60_000);
      expect(left).toBeLessThan(330_000);
      const headers = { 'X-Session-Id': data.session_id };
      const query = { query: 'select 1 as n' };
      expect(
        await organization.call('POST', `/endpoints/${endpoint}/read`, query, headers),
      ).toEqual(ONE);
    } finally {
      await wrong.stop();
    }
  },
);
