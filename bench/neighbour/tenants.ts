/** Organizations of the measured gateway: one that reads steadily, and ones that do the most that is allowed. */
import { Agent, request } from 'node:http';

/** An organization, with a token of its SuperAdmin. */
export interface Tenant {
  readonly id: string;
  readonly port: number;
  readonly token: string;
  /** Ids of what setting operations up has made, by names of theirs: calls are made in another process. */
  readonly made: Record<string, string>;
}

/** One request, as it is sent. */
export interface Call {
  readonly method: 'GET' | 'POST';
  /** From the root. */
  readonly path: string;
  readonly body?: Uint8Array | string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of the tenant's token; an empty text sends none. */
  readonly authorization?: string;
}

/** What came back. */
interface Answer {
  readonly status: number;
  /** Seconds, where it says so. */
  readonly retryAfter: number | undefined;
  readonly bytes: number;
  /** The first kilobyte. */
  readonly start: string;
}

export const PASSWORD = 'a password for measuring';
const START_LENGTH = 1024;

/** Keeps its connections; each list of callers has one of its own. */
export function agent(): Agent {
  return new Agent({ keepAlive: true });
}

/** Sends one request, and takes its reply in whole. */
export function send(tenant: Tenant, call: Call, over: Agent): Promise<Answer> {
  const body = typeof call.body === 'string' ? Buffer.from(call.body) : call.body;
  const authorization = call.authorization ?? `Bearer ${tenant.token}`;
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const sent = request({
    agent: over,
    host: '127.0.0.1',
    port: tenant.port,
    method: call.method,
    path: call.path,
    headers: {
      ...(authorization === '' ? {} : { Authorization: authorization }),
      ...(body ? { 'Content-Type': 'application/json', 'Content-Length': body.byteLength } : {}),
      ...call.headers,
    },
  });
  sent.on('error', reject);
  sent.on('response', (response) => {
    let [bytes, start] = [0, ''];
    response.on('data', (piece: Buffer) => {
      bytes += piece.byteLength;
      if (start.length < START_LENGTH) start += piece.toString('latin1', 0, START_LENGTH);
    });
    response.on('error', reject);
    response.on('end', () => {
      const { statusCode: status = 0, headers } = response;
      const wait = headers['retry-after'];
      resolve({ status, retryAfter: wait === undefined ? undefined : Number(wait), bytes, start });
    });
  });
  sent.end(body);
  return promise;
}

/**
 * Sends one request that must succeed.
 * @throws Error with the reply
 */
export async function demand(tenant: Tenant, call: Call, over: Agent): Promise<Answer> {
  const answer = await send(tenant, call, over);
  if (answer.status !== 200) {
    throw new Error(`${call.method} ${call.path}: ${answer.status} ${answer.start}`);
  }
  return answer;
}

/** A new organization with an endpoint `measured`, and another, `second`, of the same database. */
export async function found(
  port: number,
  id: string,
  backend: { readonly kind: string; readonly url: string },
): Promise<Tenant> {
  const over = agent();
  const nobody = { id, port, token: '', made: {} };
  const admins = [{ username: id, password: PASSWORD }];
  const post = (path: string, body: unknown, rest: Partial<Call> = {}): Call => ({
    method: 'POST',
    path: `/api/v1${path}`,
    body: JSON.stringify(body),
    ...rest,
  });
  await demand(nobody, post('/new', { id, super_admins: admins }, { authorization: '' }), over);
  const login = { authorization: basicOf(id, PASSWORD), headers: { 'X-Org-Id': id } };
  const { start } = await demand(nobody, post('/auth/login', {}, login), over);
  const { token } = JSON.parse(start) as { token: string };
  const tenant = { id, port, token, made: {} };
  const { kind, url } = backend;
  for (const endpoint of ['measured', 'second']) {
    const made = { endpoint, kind, config: { write_conn: { url } } };
    await demand(tenant, post('/endpoints', made), over);
  }
  over.destroy();
  return tenant;
}

/** `Authorization: Basic`. */
export function basicOf(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
