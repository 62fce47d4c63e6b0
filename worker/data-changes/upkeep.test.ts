/** What is done besides following, in a real object's database and against a relay in memory. */
import { env, runInDurableObject } from 'cloudflare:test';
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import { drizzle } from 'drizzle-orm/d1';
import { expect, test } from 'vitest';
import type { RelayService } from '../../proto/gen/relay/v1/relay_pb.ts';
import { selectEndpoint } from '../endpoints/store.ts';
import { insertEndpoint, startGateway } from '../test/gateway.ts';
import { ChangesStore } from './changes-store.ts';
import type { ChangesContext } from './context.ts';
import { Lanes } from './lanes.ts';
import { changesNameOf } from './object.ts';
import { type KeptEndpoint, readWatch } from './store.ts';
import { checkLag, dropUnwanted } from './upkeep.ts';

const GIB = 1024 ** 3;
const HOUR_MS = 3_600_000;

/** Work on an object of an endpoint, whose relay answers so. */
async function onObject(
  relay: Partial<ServiceImpl<typeof RelayService>>,
  work: (at: {
    readonly around: ChangesContext;
    readonly endpoint: KeptEndpoint;
    readonly armed: readonly number[];
    status(): Promise<unknown>;
  }) => Promise<void>,
): Promise<void> {
  const gateway = await startGateway('SuperAdmin', { relay });
  const id = await insertEndpoint(gateway);
  const { uuid: orgUuid, id: orgId, sealedDataKey } = gateway.organization;
  const status = async () => {
    const { body } = await gateway.call('GET', `/endpoints/${id}`);
    return (body as { data: { connection_status: unknown } }).data.connection_status;
  };
  const db = drizzle(env.DB);
  const [row] = await selectEndpoint(db, orgUuid, { id });
  const uuid = row?.uuid ?? '';
  const { endpoint } = await readWatch(db, { orgUuid, endpoint: uuid });
  if (!endpoint) throw new Error('There is no endpoint');
  const stub = env.DATA_CHANGES.getByName(changesNameOf(orgUuid, uuid));
  await runInDurableObject(stub, async (_object, { storage }) => {
    const armed: number[] = [];
    const kept = new ChangesStore(storage.sql);
    const owner = { orgUuid, orgId, sealedDataKey, endpoint: uuid };
    kept.open(owner);
    const around: ChangesContext = {
      ...{ env: gateway.bindings, kept, lanes: new Lanes(storage.sql) },
      owner: () => owner,
      atOnce: (write) => storage.transactionSync(write),
      later: () => {},
      arm: (at) => void armed.push(at),
    };
    await work({ around, endpoint, armed, status });
  });
}

test('a server that keeps more than 1 GiB of log makes the endpoint degraded, which is told once', async () => {
  let bytes = GIB;
  const relay = { changesLag: () => ({ bytes: BigInt(bytes), whole: true }) };
  await onObject(relay, async ({ around, endpoint, status }) => {
    const { kept } = around;
    kept.set('place', { position: '0/1', generation: 'g', collections: [] });
    await checkLag(around, endpoint);
    expect([await status(), kept.tells()]).toEqual(['unknown', []]);
    bytes = GIB + 1;
    await checkLag(around, endpoint);
    await checkLag(around, endpoint);
    expect(await status()).toBe('degraded');
    expect(kept.tells()).toEqual([
      {
        ...{ source: 'causeway', event: 'endpoint.degraded' },
        ...{ id: expect.any(String), time: expect.any(String) },
        data: JSON.stringify({ endpoint: endpoint.row.id, log_bytes: GIB + 1 }),
      },
    ]);
    bytes = 0;
    await checkLag(around, endpoint);
    expect(await status()).toBe('unknown');
  });
});

test('what a server keeps is dropped, and that is tried until it succeeds', async () => {
  let isThere = false;
  let drops = 0;
  const relay = {
    dropChanges() {
      if (!isThere) throw new ConnectError('gone', Code.Unavailable);
      drops += 1;
      return { found: true };
    },
  };
  await onObject(relay, async ({ around, endpoint, armed }) => {
    const { kept } = around;
    kept.addDrop(endpoint, true, Date.now() + HOUR_MS);
    await dropUnwanted(around);
    expect([kept.drops().length, armed.length]).toEqual([1, 1]);
    isThere = true;
    // It is not due again yet.
    await dropUnwanted(around);
    expect(drops).toBe(0);
    const [drop] = kept.drops();
    kept.dropAgain(drop?.id ?? 0, 0);
    await dropUnwanted(around);
    expect([kept.drops(), drops]).toEqual([[], 1]);
  });
});

test('a server that stays away is left with what it keeps in the end', async () => {
  const relay = {
    dropChanges() {
      throw new ConnectError('gone', Code.Unavailable);
    },
  };
  await onObject(relay, async ({ around, endpoint }) => {
    around.kept.addDrop(endpoint, true, Date.now() - 1);
    await dropUnwanted(around);
    expect(around.kept.drops()).toEqual([]);
  });
});
