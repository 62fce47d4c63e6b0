/** A gateway that runs transactions on relays in memory. */
import type { Json } from '../../../proto/json.ts';
import { type Setup, startGateway, type TestGateway } from '../../test/gateway.ts';
import { sharingRelay } from '../../test/sharing-relay.ts';

/** A gateway with endpoints `e0`, `e1`, … of those kinds on a relay in memory. */
export async function start(kinds: readonly string[] = ['postgres', 'mysql'], setup: Setup = {}) {
  const relay = sharingRelay();
  const gateway = await startGateway('SuperAdmin', { ...setup, relay: relay.methods });
  const uuids: string[] = [];
  for (const [at, kind] of kinds.entries()) {
    const made = await gateway.call('POST', '/endpoints', {
      ...{ endpoint: `e${at}`, kind, config: { write_conn: { url: urlOf(kind) } } },
    });
    if (made.status !== 200) throw new Error(JSON.stringify(made));
    uuids.push((made.body as { data: { uuid: string } }).data.uuid);
  }
  return { gateway, relay, uuids };
}

function urlOf(kind: string): string {
  if (kind === 'redis') return 'redis://db.test:6379';
  return kind === 'mysql' ? 'mysql://u:p@db.test:3306/d' : 'postgresql://u:p@db.test:5432/d';
}

/** An operation. */
export const op = (endpoint: string, query: string, ...params: Json[]) => ({
  endpoint,
  query,
  params,
});
/** What it answers. */
export const row = (said: string, ...values: Json[]) => ({ rows: [{ said, values }] });

/** The state of the transaction that the gateway was asked for last. */
export async function last(gateway: TestGateway): Promise<Json> {
  const { body } = await gateway.call('GET', '/transactions?limit=1');
  const [{ transaction_id: id }] = (body as { transactions: [{ transaction_id: string }] })
    .transactions;
  return (await gateway.call('GET', `/transactions/${id}`)).body;
}

/** The same once it is so, or after a while. */
export async function until(gateway: TestGateway, status: string): Promise<Json> {
  for (const end = Date.now() + 8_000; ; ) {
    const now = (await last(gateway)) as { status: string };
    if (now.status === status || Date.now() > end) return now as Json;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
