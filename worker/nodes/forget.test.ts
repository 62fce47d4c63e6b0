/** What the sweep of an organization empties of its nodes. */
import { env } from 'cloudflare:test';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { expect, test } from 'vitest';
import { nodes } from '../db/nodes.ts';
import { contextOf } from '../test/audit.ts';
import { startGateway } from '../test/gateway.ts';
import { forgetNodes } from './forget.ts';

const db = drizzle(env.DB);

test('the objects of all nodes are emptied, however many there are', async () => {
  const gateway = await startGateway('SuperAdmin');
  const orgUuid = gateway.organization.uuid;
  const many = sql`(with recursive n(i) as (select 1 union all select i + 1 from n where i < 601) select i from n)`;
  await db.run(sql`insert into ${nodes} ("org_uuid", "uuid", "name", "created_at", "created_by")
    select ${orgUuid}, ${orgUuid} || '-' || i, 'many-' || i, 0, 'test' from ${many}`);
  const forgotten = new Set<string>();
  const RELAY_NODES = {
    getByName: (name: string) => ({ forget: async () => void forgotten.add(name) }),
  };
  const bindings = { ...gateway.bindings, RELAY_NODES } as unknown as typeof gateway.bindings; // What it asks of them.
  await forgetNodes(contextOf({ ...gateway, bindings }), orgUuid);
  expect(forgotten.size).toBe(601);
});
