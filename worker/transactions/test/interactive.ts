/** A gateway on whose transactions a client goes on request by request, on a relay in memory. */
import type { Json } from '../../../proto/json.ts';
import { startGateway } from '../../test/gateway.ts';
import { sharingRelay } from '../../test/sharing-relay.ts';

/** A gateway with endpoints `e0` and `e1`, and calls as its SuperAdmin. */
export async function startInteractive() {
  const relay = sharingRelay();
  const gateway = await startGateway('SuperAdmin', { relay: relay.methods });
  for (const at of [0, 1]) {
    await gateway.call('POST', '/endpoints', {
      ...{ endpoint: `e${at}`, kind: 'postgres' },
      config: { write_conn: { url: 'postgresql://u:p@db.test:5432/d' } },
    });
  }
  const bearer = await gateway.token();
  return {
    ...{ gateway, relay },
    async begin(body?: Json) {
      const reply = await gateway.call('POST', '/transactions/begin', body);
      return (reply.body as { transaction_id: string }).transaction_id;
    },
    async send(
      id: string,
      path: string,
      query: string,
      token = bearer,
      more = {},
      body: Json = { query },
    ) {
      const response = await gateway.send(path, {
        method: 'POST',
        headers: {
          ...{ Authorization: `Bearer ${token}`, 'X-Transaction-Id': id, ...more },
          'Content-Type': 'application/json',
        },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: (await response.json()) as Json };
    },
    end: (id: string, how: 'commit' | 'rollback', token?: string) =>
      gateway.call('POST', `/transactions/${id}/${how}`, undefined, token),
    show: (id: string) => gateway.call('GET', `/transactions/${id}`),
  };
}
