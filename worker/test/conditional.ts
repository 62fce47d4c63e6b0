/** Conditional requests to a gateway under test, and their replies. */
import type { Json } from '../../proto/json.ts';
import { failure, type TestGateway } from './gateway.ts';

/** A reply with its tag. */
interface TaggedReply {
  readonly status: number;
  readonly etag: string | null;
  /** `undefined` when it is empty. */
  readonly body: unknown;
}

/** What a request brings besides its method and path. */
interface Bringing {
  readonly ifMatch?: string;
  readonly ifNoneMatch?: string;
  readonly body?: Json;
  /** Bearer token of another user than the gateway's. */
  readonly bearer?: string;
}

/** Sends a request. */
export async function ask(
  gateway: TestGateway,
  method: string,
  path: string,
  { ifMatch, ifNoneMatch, body, bearer }: Bringing = {},
): Promise<TaggedReply> {
  const response = await gateway.send(path, {
    method,
    headers: {
      Authorization: `Bearer ${bearer ?? (await gateway.token())}`,
      ...(ifMatch === undefined ? {} : { 'If-Match': ifMatch }),
      ...(ifNoneMatch === undefined ? {} : { 'If-None-Match': ifNoneMatch }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    etag: response.headers.get('ETag'),
    body: text === '' ? undefined : JSON.parse(text),
  };
}

/**
 * The tag that a GET answers.
 * @throws Error when it answers none
 */
export async function etagOf(gateway: TestGateway, path: string): Promise<string> {
  const { etag, status } = await ask(gateway, 'GET', path);
  if (etag === null) throw new Error(`GET ${path} answers ${status} without an ETag`);
  return etag;
}

/** The reply to a request for a revision that no longer exists, or never did. */
export const STALE: TaggedReply = {
  status: 412,
  etag: null,
  body: failure(
    'PRECONDITION_FAILED',
    'The resource is not as If-Match or If-None-Match asks: read it again',
  ),
};
