/** How often D1 is asked before a run is started for what came by itself. */
import { env } from 'cloudflare:test';
import { expect, test } from 'vitest';
import type { Bindings } from '../../context.ts';
import { startGateway } from '../../test/gateway.ts';
import { countTrips } from '../../test/trips.ts';
import { make } from '../test/definitions.ts';
import { fire } from './start.ts';

const ACTIONS = [{ id: 'done', type: 'condition', condition: 'true' }];
const TRIGGER = { type: 'event', source: 'shop', event: 'order.*', filter: 'data.starts' };
const COLUMNS = 'w.uuid, w.id, w.version, o.uuid as orgUuid, o.id as orgId, o.sealed_data_key';
const STORED = `select ${COLUMNS} from workflows w join organizations o on o.uuid = w.org_uuid where w.org_uuid = ? and w.id = ?`;

interface Stored {
  readonly uuid: string;
  readonly id: string;
  readonly version: string;
  readonly orgUuid: string;
  readonly orgId: string;
  readonly sealed_data_key: string;
}

async function start() {
  const gateway = await startGateway('SuperAdmin');
  const trips = countTrips(env.DB);
  // What is remembered is not renewed meanwhile, however slow the machine is.
  const bindings = { ...env, DB: trips.binding, POLICY_TTL_MS: '600000' } as unknown as Bindings;
  const at = { env: bindings, later: () => {} };
  for (const id of ['one', 'two']) {
    await make(gateway, { id, name: id, trigger: TRIGGER, actions: ACTIONS });
  }
  /** Answers what became of it, and the trips that it took. */
  const fired = async (id: string, event: string, starts: boolean) => {
    const stored = await env.DB.prepare(STORED).bind(gateway.organization.uuid, id).first<Stored>();
    if (!stored) throw new Error(`${id} is not stored`);
    const { uuid, version, orgUuid, orgId, sealed_data_key: sealedDataKey } = stored;
    const before = trips.count();
    const { is } = await fire(
      at,
      { orgUuid, orgId, sealedDataKey },
      {
        workflow: { uuid, id, version },
        index: 0,
        type: 'event',
        id: event,
        root: { source: 'shop', event: 'order.paid', id: event, data: { starts } },
        told: {},
        chain: 1,
        requestId: event,
        address: 'event',
      },
    );
    return [is, trips.count() - before];
  };
  return fired;
}

test('the first time once for the workflow and once for the organization, then not at all', async () => {
  const fired = await start();
  expect([
    await fired('one', 'a', false),
    await fired('one', 'b', true),
    await fired('one', 'c', true),
    await fired('two', 'd', true),
    await fired('two', 'e', true),
  ]).toEqual([
    ['filtered', 1],
    ['started', 1],
    ['started', 0],
    ['started', 1],
    ['started', 0],
  ]);
});
