/** What of runs nobody is told, and nobody reads on the disk. Spec: workflows.md §5, `webhook`; §7, "Sealed as configurations are". */
import { env, runInDurableObject } from 'cloudflare:test';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../proto/json.ts';
import {
  hook,
  SECRET,
  type Shop,
  SIGNATURE,
  signed,
  startShop,
} from '../../facades/hooks/test/shop.ts';
import { insertEndpoint } from '../../test/gateway.ts';
import { objectNamesOf } from '../runs/names.ts';

/** Stands in every value of the runs below. */
const MARK = 'a-value-that-nobody-may-read';
const ECHO = { type: 'template', template: 'echo', input: '$.input' };

function textOf(value: unknown): string {
  if (!(value instanceof ArrayBuffer)) return String(value);
  return Array.from(new Uint8Array(value), (byte) => String.fromCharCode(byte)).join('');
}

/** What the objects of the organization's runs keep. */
async function keptByObjects({ organization }: Shop): Promise<string> {
  const kept = objectNamesOf(organization.uuid).map((name) =>
    runInDurableObject(env.WORKFLOW_RUNS.getByName(name), (_object, { storage: { sql } }) => {
      const tables = [...sql.exec("SELECT name FROM sqlite_master WHERE type = 'table'").raw()]
        .map(([table]) => String(table))
        .filter((table) => !/^_cf_|^sqlite_/.test(table));
      return tables.flatMap((table) => [...sql.exec(`SELECT * FROM "${table}"`).raw()].flat());
    }),
  );
  return (await Promise.all(kept)).flat().map(textOf).join('\n');
}

/** What D1 keeps of the organization's workflows. */
async function keptInD1({ organization }: Shop): Promise<string> {
  const all = "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'workflow%'";
  const { results } = await env.DB.prepare(all).run<{ name: string }>();
  const rows = results.map(({ name }) =>
    env.DB.prepare(`SELECT * FROM "${name}" WHERE org_uuid = ?`)
      .bind(organization.uuid)
      .raw<unknown[]>(),
  );
  return (await Promise.all(rows)).flat(2).map(textOf).join('\n');
}

test('values of runs lie sealed in their objects and in D1', async () => {
  const shop = await startShop();
  const ask = { id: 'ask', type: 'humanTask', title: '$.input.n', assignees: { roles: ['Admin'] } };
  const each = { ...ECHO, id: 'each', input: { n: '$.item' } };
  await shop.store('marked', [], {
    actions: [
      { ...ECHO, id: 'a', next: 'loop' },
      { id: 'loop', type: 'loop', collection: '[$.input.n]', action: each, next: 'ask' },
      ask,
    ],
  });
  const { body } = await shop.call('POST', '/workflows/marked', { n: MARK });
  const { run_id: run } = body as { run_id: string };
  const shown = async () =>
    JSON.stringify((await shop.call('GET', `/workflows/marked/executions/${run}`)).body);
  await expect.poll(shown).toContain('"status":"waiting"');
  expect(await shown()).toContain(MARK);
  await expect.poll(() => keptInD1(shop)).toContain(run);
  // The looks below see what is there.
  expect(await keptByObjects(shop)).toContain(run);
  expect(await keptByObjects(shop)).not.toContain(MARK);
  expect(await keptInD1(shop)).not.toContain(MARK);
});

describe('is told by no reply about its runs', () => {
  /** All that is told of the only run of a workflow. */
  async function toldOf(shop: Shop, workflow: string): Promise<string> {
    await expect.poll(() => shop.runsOf(workflow)).toHaveLength(1);
    const [entry] = await shop.runsOf(workflow);
    const path = `/workflows/${workflow}/executions/${String(entry?.run_id)}`;
    const ways = [
      ...[path, `${path}/actions`, `${path}/diff?with=${String(entry?.run_id)}`],
      ...[`/workflows/${workflow}`, `/workflows/${workflow}/executions`],
      ...[`/workflows/${workflow}/triggers`, `/workflows/${workflow}/dead-letters`],
    ];
    const replies: Json[] = [];
    for (const way of ways) {
      const reply = await shop.call('GET', way);
      expect([way, reply.status]).toEqual([way, 200]);
      replies.push(reply.body);
    }
    const headers = { Authorization: `Bearer ${await shop.token()}` };
    const live = await (await shop.send(`${path}/events`, { headers })).text();
    return JSON.stringify(replies) + live;
  }

  test('the secret of the webhook that started it', async () => {
    const shop = await startShop();
    await shop.store('signed', [hook('signed')]);
    const text = '{"n":1}';
    expect(await shop.post('signed', text, await signed(text))).toMatchObject({ status: 202 });
    const told = await toldOf(shop, 'signed');
    expect(told).toContain('"status":"succeeded"');
    expect(told).not.toContain(SECRET);
    const { [SIGNATURE]: signature = 'none' } = await signed(text);
    expect(told).not.toContain(signature);
  });

  test('the credentials and the address of an endpoint that fails', async () => {
    const shop = await startShop();
    await insertEndpoint(shop, 'orders');
    const load: JsonObject = { id: 'load', type: 'endpoint', endpoint: 'orders' };
    await shop.store('loads', [], {
      actions: [{ ...load, operation: 'read', input: { query: 'select 1' } }],
      errorHandler: { deadLetterQueue: { enabled: true, includeState: true } },
    });
    await shop.call('POST', '/workflows/loads?synchronous=true', {});
    const told = await toldOf(shop, 'loads');
    expect(told).toContain('NODE_UNAVAILABLE');
    expect(told).not.toMatch(/u:p@|db\.test|postgresql:/);
  });
});
