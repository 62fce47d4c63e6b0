/** Gateways with registered nodes, and nodes whose relay has enrolled. */
import type { Json } from '../../proto/json.ts';
import { failure, relayInMemory, startGateway, type TestGateway } from './gateway.ts';
import { pingingRelay } from './pinging-relay.ts';
import { type Change, type RelayKeys, relayKeys, relayProcess } from './relay-keys.ts';

/** What registering answers. */
export type Made = { uuid: string; name: string; enrolment_secret: string; expires: string };

/** What relays say of themselves. */
export const TOLD = { version: '1.2.3', kinds: ['postgres'] };
/** A time as replies tell it. */
export const at = (ms: number) => new Date(ms).toISOString();

/** A gateway with a relay that answers. */
export async function start() {
  const { methods } = pingingRelay();
  const fetch = (request: Request) => relayInMemory(methods).fetch(request);
  const gateway = await startGateway('Admin', { relay: methods, fetch });
  const register = async (body: Json = { name: 'berlin-1' }) =>
    (await gateway.call('POST', '/nodes', body)).body as Made;
  const list = async () => {
    const { body } = await gateway.call('GET', '/nodes');
    return (body as { nodes: Record<string, Json>[] }).nodes;
  };
  return { gateway, register, list };
}

/** A node whose relay has enrolled. */
export async function enrolled() {
  const { gateway, register, list } = await start();
  const node = await register({ name: 'berlin-1', url: 'https://berlin-1.test' });
  const keys = await relayKeys();
  const reply = await enrol(gateway, node.enrolment_secret, keys);
  return { gateway, register, list, node, keys, reply, relay: relayProcess(gateway, keys) };
}

/** Enrols a relay; `change` makes it another than an honest one. */
export async function enrol(
  gateway: TestGateway,
  secret: string,
  keys: RelayKeys,
  change: Change = {},
) {
  const body = { secret, ...keys.told, ...TOLD };
  const reply = await relayProcess(gateway, keys).post('/nodes/enrol', body, change);
  return { status: reply.status, body: reply.body };
}

/** The refusal of a secret. */
export const SPENT = {
  status: 401,
  body: failure('ENROLMENT_INVALID', 'The enrolment secret is unknown, was used, or has expired'),
};
/** The refusal of a signature. */
export const unsigned = (message: string) => ({
  status: 401,
  body: failure('NODE_SIGNATURE_INVALID', message),
});
