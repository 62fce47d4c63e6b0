/** A gateway with one endpoint that is ready for requests, and the means to send them. */
import { type Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import type { ErrorDetails } from '../../proto/errors.ts';
import { ErrorDetailSchema, type RelayService } from '../../proto/gen/relay/v1/relay_pb.ts';
import type { Json } from '../../proto/json.ts';
import { startGateway } from './gateway.ts';

/** What differs from an endpoint with one connection on a gateway of defaults. */
export interface RunningSetup {
  readonly endpoint?: { readonly [member: string]: Json };
  readonly bindings?: Readonly<Record<string, unknown>>;
  /** What the worker fetches from the outside. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** Where the endpoint's backend is, unless a test says otherwise. */
export const WRITE_CONN = { url: 'postgresql://u:p@db.test:5432/d' };

/** A gateway whose user has an endpoint `orders`; the relay has these methods. */
export async function startRunning(
  relay: Partial<ServiceImpl<typeof RelayService>>,
  { endpoint, bindings, fetch }: RunningSetup = {},
) {
  const gateway = await startGateway('SuperAdmin', {
    relay: { ping: () => ({ latencyUs: 100n }), status: () => ({}), release: () => ({}), ...relay },
    ...(bindings ? { bindings } : {}),
    ...(fetch ? { fetch } : {}),
  });
  const made = await gateway.call('POST', '/endpoints', {
    endpoint: 'orders',
    kind: 'postgres',
    config: { write_conn: WRITE_CONN },
    ...endpoint,
  });
  if (made.status !== 200) throw new Error(`The endpoint was not made: ${JSON.stringify(made)}`);
  const { data } = made.body as { data: { uuid: string } }; // Its status says so.
  const bearer = await gateway.token();

  /** The raw response of a POST below the endpoint, as the gateway's user. */
  async function post(path: string, body: Json, headers: Readonly<Record<string, string>> = {}) {
    return gateway.send(`/endpoints/orders${path}`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${bearer}`,
        'Content-Type': 'application/json',
        ...headers,
      },
      body: JSON.stringify(body),
    });
  }

  return {
    ...gateway,
    endpointUuid: data.uuid,
    post,
    /** Status and body of a POST below the endpoint. */
    async ask(path: string, body: Json, headers?: Readonly<Record<string, string>>) {
      const response = await post(path, body, headers);
      return { status: response.status, body: await response.json() };
    },
  };
}

/** What a relay throws that names a code of ours. */
export function told(code: Code, name: string, message: string, details?: readonly ErrorDetails[]) {
  const value = { code: name, details: details ? JSON.stringify(details) : '' };
  return new ConnectError(message, code, undefined, [{ desc: ErrorDetailSchema, value }]);
}

/** Text in UTF-8. */
export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
/** UTF-8 as text. */
export const text = (given: Uint8Array): string => new TextDecoder().decode(given);

/** A body as text, whatever its media type says. */
export const textOf = async (response: Response): Promise<string> =>
  text(new Uint8Array(await response.arrayBuffer()));
