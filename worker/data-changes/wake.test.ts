/** What the clock does for objects that follow changes: it finds all of them, and wakes them. */
import { env, runInDurableObject } from 'cloudflare:test';
import { drizzle } from 'drizzle-orm/d1';
import { expect, test } from 'vitest';
import { workflowTriggers } from '../db/workflows.ts';
import { selectEndpoint } from '../endpoints/store.ts';
import { insertEndpoint, startGateway } from '../test/gateway.ts';
import { ChangesStore } from './changes-store.ts';
import type { DataChanges } from './data-changes.ts';
import { changesNameOf } from './object.ts';
import { selectWatched } from './store.ts';

const HOUR_MS = 3_600_000;

test('every endpoint that is watched is found, page by page', async () => {
  const gateway = await startGateway('SuperAdmin');
  const db = drizzle(env.DB);
  const { uuid: orgUuid } = gateway.organization;
  const all: string[] = [];
  for (let at = 0; at < 3; at += 1) {
    const [row] = await selectEndpoint(db, orgUuid, { id: await insertEndpoint(gateway) });
    const endpointUuid = row?.uuid ?? '';
    all.push(endpointUuid);
    const of = { orgUuid, workflowUuid: crypto.randomUUID(), index: 0 };
    await db
      .insert(workflowTriggers)
      .values({ ...of, type: 'dataChange', endpointUuid, detail: '{}' });
  }
  const found: string[] = [];
  for (let after = ''; ; ) {
    const [row] = await selectWatched(db, after, 1);
    if (!row) break;
    after = row.endpoint;
    if (row.orgUuid === orgUuid) found.push(after);
  }
  expect(found).toEqual(all.toSorted());
});

test('an alarm that is far off, since the clock was put back, is set again', async () => {
  const [orgUuid, endpoint] = [crypto.randomUUID(), crypto.randomUUID()];
  const stub = env.DATA_CHANGES.getByName(changesNameOf(orgUuid, endpoint));
  await runInDurableObject(stub, async (object: DataChanges, { storage }) => {
    new ChangesStore(storage.sql).open({ orgUuid, orgId: 'org', sealedDataKey: 'key', endpoint });
    const now = Date.now();
    await storage.setAlarm(now + HOUR_MS);
    await object.wake();
    expect(await storage.getAlarm()).toBeLessThan(now + 60_000);
    const soon = now + 2 * 60_000;
    await storage.setAlarm(soon);
    await object.wake();
    expect(await storage.getAlarm()).toBe(soon);
    await storage.deleteAlarm();
  });
});
