/** A node gets new keys by the steps of docs/nodes.md while calls run: none of them fails. */
import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { filesIn, readKeys } from '../../node-relay/node/settings.ts';
import { sharedGateway } from '../gateway.ts';
import { newOrganization, type Organization } from '../organization.ts';
import { untilStatus } from '../relay-node.ts';
import { backend, freshDatabase } from '../servers/backends.ts';
import { type RelayNode, startNode } from './node-process.ts';

let organization: Organization;
let endpoint: string;
beforeAll(async () => {
  organization = await newOrganization(await sharedGateway());
  const { url } = await freshDatabase(await backend('postgres'));
  endpoint = await organization.addPostgres(url);
  await ask('write', 'create table written (n integer primary key)');
});

function ask(door: 'read' | 'write', query: string, ...params: number[]) {
  return organization.call('POST', `/endpoints/${endpoint}/${door}`, { query, params });
}

let written = 0;
const SORTS = [
  () => ask('read', 'select count(*) from written'),
  async () => {
    written += 1;
    const reply = await ask('write', 'insert into written values ($1::integer)', written);
    kept += reply.status === 200 ? 1 : 0;
    return reply;
  },
];
/** Writes that were answered so far. */
let kept = 0;

/** Often enough to meet each step, and seldom enough for the machine to do the step. */
const PAUSE_MS = 20;
/** So many say something. */
const CALLS_MIN = 100;

/** Reads and writes, each in three lines, one after another until it is stopped; then there were over a hundred. */
function startCalls() {
  const failed = new Map<string, { ms: number[]; body: unknown }>();
  const began = Date.now();
  let calls = 0;
  let isStopped = false;
  const note = (body: unknown) => {
    const { code, message } = body as Record<string, string>;
    const alike = failed.get(`${code} ${message}`) ?? { ms: [], body };
    failed.set(`${code} ${message}`, alike);
    alike.ms.push(Date.now() - began);
  };
  const lines = [...SORTS, ...SORTS, ...SORTS].map(async (sort) => {
    for (; !isStopped; calls += 1) {
      const { status, body } = await sort();
      if (status !== 200) note(body);
      await sleep(PAUSE_MS);
    }
  });
  return {
    /** What failed: one of each message, how many there were, and from when to when. */
    async end() {
      await expect.poll(() => calls).toBeGreaterThan(CALLS_MIN);
      await this.stop();
      return [...failed.values()].map(({ ms, body }) => ({
        body,
        times: ms.length,
        fromMs: ms[0],
        toMs: ms.at(-1),
      }));
    },
    async stop() {
      isStopped = true;
      await Promise.all(lines);
    },
  };
}

const post = (node: RelayNode, verb: string) =>
  organization.call('POST', `/nodes/${node.uuid}/${verb}`);

/** The steps of the page. */
async function giveNewKeys(node: RelayNode): Promise<void> {
  await post(node, 'drain');
  const { body } = await post(node, 'enrolment');
  node.run.signal('SIGTERM');
  expect(await node.run.ended).toBe(0);
  await node.restart(['--enroll', (body as { enrolment_secret: string }).enrolment_secret]);
  await untilStatus(organization.call, node.uuid, 'draining');
  await post(node, 'resume');
  await untilStatus(organization.call, node.uuid, 'available');
}

test.each([
  ['that the gateway dials', false],
  ['with a tunnel', true],
])(
  'a node %s',
  async (_which, tunnel) => {
    const nodes = await Promise.all(
      ['turns', 'stays'].map((name) => startNode(organization, `${name}-${tunnel}`, { tunnel })),
    );
    const [node, other] = nodes;
    if (node === undefined || other === undefined) throw new Error('Two nodes were started');
    for (const { uuid } of nodes) {
      await organization.call('PUT', `/endpoints/${endpoint}/nodes/${uuid}`, {});
    }
    const calls = startCalls();
    try {
      const before = readKeys(filesIn(node.data));
      await giveNewKeys(node);
      // From now on it alone serves, with its new keys.
      await post(other, 'drain');
      expect(await ask('read', 'select 1 as n')).toMatchObject({ status: 200 });
      expect(await calls.end()).toEqual([]);
      const after = readKeys(filesIn(node.data));
      expect(after?.signing.x).not.toBe(before?.signing.x);
      expect(after?.sealing.x).not.toBe(before?.sealing.x);
      expect(await ask('read', 'select count(*)::integer as n from written')).toMatchObject({
        body: { data: { rows: [{ n: kept }] } },
      });
    } finally {
      await calls.stop();
      for (const { uuid } of nodes) {
        await organization.call('DELETE', `/endpoints/${endpoint}/nodes/${uuid}?confirm=true`);
      }
      await Promise.all(nodes.map((each) => each.stop()));
    }
  },
  120_000,
);

/** Gives a node that runs new keys while calls run; answers what failed. */
async function renew(node: RelayNode): Promise<unknown[]> {
  const calls = startCalls();
  try {
    const files = filesIn(node.data);
    const before = readKeys(files);
    const said = node.run.output().length;
    const { body } = await post(node, 'enrolment');
    const { enrolment_secret: secret } = body as { enrolment_secret: string };
    await writeFile(files.enrolment, secret, { mode: 0o600 });
    await expect.poll(() => node.run.output().slice(said)).toContain('the node has new keys');
    // It beats, and serves, with the new ones: caches of the gateway go by.
    await sleep(12_000);
    const failed = await calls.end();
    const after = readKeys(files);
    expect(after?.signing.x).not.toBe(before?.signing.x);
    expect(after?.sealing.x).not.toBe(before?.sealing.x);
    return failed;
  } finally {
    await calls.stop();
  }
}

test.each([
  ['that the gateway dials', false],
  ['with a tunnel', true],
])(
  'the only node %s gets new keys while it runs',
  async (_which, tunnel) => {
    const node = await startNode(organization, `alone-${tunnel}`, { tunnel });
    await organization.call('PUT', `/endpoints/${endpoint}/nodes/${node.uuid}`, {});
    try {
      expect(await renew(node)).toEqual([]);
      await untilStatus(organization.call, node.uuid, 'available');
      expect(await ask('read', 'select count(*)::integer as n from written')).toMatchObject({
        body: { data: { rows: [{ n: kept }] } },
      });
    } finally {
      await organization.call('DELETE', `/endpoints/${endpoint}/nodes/${node.uuid}?confirm=true`);
      await node.stop();
    }
  },
  120_000,
);

test('a secret that is none leaves a running node its keys', async () => {
  const node = await startNode(organization, 'keeps');
  try {
    await organization.call('PUT', `/endpoints/${endpoint}/nodes/${node.uuid}`, {});
    const files = filesIn(node.data);
    const before = readKeys(files);
    await writeFile(files.enrolment, 'none', { mode: 0o600 });
    await expect.poll(() => node.run.output()).toContain('the node keeps its keys');
    expect(node.run.output()).toContain(
      'The enrolment secret is unknown, was used, or has expired',
    );
    expect(readKeys(files)).toEqual(before);
    expect(await ask('read', 'select 1 as n')).toMatchObject({ status: 200 });
  } finally {
    await organization.call('DELETE', `/endpoints/${endpoint}/nodes/${node.uuid}?confirm=true`);
    await node.stop();
  }
}, 120_000);
