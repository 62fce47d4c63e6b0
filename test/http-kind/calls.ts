/** An endpoint of kind `http` on a server of the test's own, and calls to it. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Organization, Reply } from '../organization.ts';
import { placeOn } from '../relay-node.ts';
import type { HttpServer } from './server.ts';

/** Headers that the endpoint seals. */
const SEALED = { Authorization: 'Bearer s3cr3t', 'X-Sealed': 'ours' };

/** Calls to one endpoint. */
export interface HttpCalls {
  readonly id: string;
  read(body: object, headers?: Record<string, string>): Promise<Reply>;
  write(body: object): Promise<Reply>;
  /** What the server sees of a request to its `/echo`. */
  echoed(path: 'read' | 'write', body: object): Promise<Record<string, unknown>>;
}

/**
 * Makes the endpoint; what the server was asked for that is forgotten.
 * @param route the node that it has to be reached over, on which it is then placed
 */
export async function addHttp(
  organization: Organization,
  server: HttpServer,
  transport: string,
  route: { readonly vpn_route?: string } = {},
): Promise<HttpCalls> {
  const id = `http-${randomUUID().slice(0, 8)}`;
  const made = await organization.call('POST', '/endpoints', {
    endpoint: id,
    kind: 'http',
    config: { write_conn: { url: `${server.url}/v1`, headers: SEALED }, transport, ...route },
  });
  expect(made).toMatchObject({ status: 200, body: { data: { kind: 'Http' } } });
  if (route.vpn_route) await placeOn(organization.call, id, route.vpn_route);
  server.seen();
  const call = (path: string, body: object, headers?: Record<string, string>) =>
    organization.call('POST', `/endpoints/${id}/${path}`, body, headers);
  return {
    id,
    read: (body, headers) => call('read', body, headers),
    write: (body) => call('write', body),
    async echoed(path, body) {
      const reply = await call(path, body);
      expect(reply).toMatchObject({ status: 200, body: { data: { status: 200 } } });
      return dataOf(reply).body as Record<string, unknown>; // The server echoes an object.
    },
  };
}

/** What a reply wraps. */
export function dataOf({ body }: Reply): Record<string, unknown> {
  return (body as { data: Record<string, unknown> }).data; // Its status says so.
}
