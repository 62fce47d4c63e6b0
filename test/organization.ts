/** An organization of a test's own on a running gateway, and calls to it over a real socket. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { ERRORS, type ErrorCode } from '../proto/errors.ts';
import type { Gateway } from './gateway.ts';
import { checkedFetch } from './openapi/checked-fetch.ts';

/** A reply as tests compare it. */
export interface Reply {
  readonly status: number;
  readonly body: unknown;
}

/** An organization with a SuperAdmin who is logged in. */
export interface Organization {
  readonly id: string;
  readonly username: string;
  readonly password: string;
  readonly token: string;
  readonly gateway: Gateway;
  /** Calls as the SuperAdmin; `path` is below /api/v1. */
  call(method: string, path: string, body?: unknown, headers?: Headers): Promise<Reply>;
  /** The raw response. */
  send(method: string, path: string, body?: unknown, init?: RequestInit): Promise<Response>;
  /** Makes a member of that level; answers their token. */
  member(level: 'None' | 'Read' | 'Write' | 'Admin'): Promise<string>;
  /** Makes an endpoint on a PostgreSQL database; answers its id. */
  addPostgres(url: string, more?: Readonly<Record<string, unknown>>): Promise<string>;
}

type Headers = Readonly<Record<string, string>>;

const PASSWORD = 'a long enough password';

/** Creates an organization through the API, of an id of its own unless one is given, and logs in. */
export async function newOrganization(
  gateway: Gateway,
  id = `org-${randomUUID().slice(0, 8)}`,
): Promise<Organization> {
  const username = `${id}@example.com`;
  await ask(gateway, 'POST', '/new', { id, super_admins: [{ username, password: PASSWORD }] });
  const token = await logIn(gateway, id, username);
  const authorization = { Authorization: `Bearer ${token}` };
  const call: Organization['call'] = (method, path, body, headers) =>
    ask(gateway, method, path, body, { ...authorization, ...headers });
  return {
    id,
    username,
    password: PASSWORD,
    token,
    gateway,
    call,
    send: (method, path, body, init) =>
      checkedFetch(`${gateway.url}/api/v1${path}`, {
        ...request(method, body, { ...authorization, ...(init?.headers as Headers) }),
        ...(init?.signal ? { signal: init.signal } : {}),
      }),
    async member(level) {
      const member = `${level.toLowerCase()}-${randomUUID().slice(0, 8)}@example.com`;
      const user = { username: member, password: PASSWORD, access_level: level };
      expect(await call('POST', '/iam/users', user)).toMatchObject({ status: 200 });
      return logIn(gateway, id, member);
    },
    async addPostgres(url, more = {}) {
      const endpoint = `pg-${randomUUID().slice(0, 8)}`;
      const config = { write_conn: { url } };
      const reply = await call('POST', '/endpoints', {
        endpoint,
        kind: 'postgres',
        config,
        ...more,
      });
      expect(reply).toMatchObject({ status: 200 });
      return endpoint;
    },
  };
}

async function logIn(gateway: Gateway, id: string, username: string): Promise<string> {
  const login = await ask(gateway, 'POST', '/auth/login', undefined, {
    Authorization: `Basic ${Buffer.from(`${username}:${PASSWORD}`).toString('base64')}`,
    'X-Org-Id': id,
  });
  return (login.body as { token: string }).token;
}

/** One call; the body of the reply is parsed as JSON. */
export async function ask(
  gateway: Gateway,
  method: string,
  path: string,
  body?: unknown,
  headers: Headers = {},
): Promise<Reply> {
  const response = await checkedFetch(
    `${gateway.url}/api/v1${path}`,
    request(method, body, headers),
  );
  return { status: response.status, body: await response.json() };
}

function request(method: string, body: unknown, headers: Headers): RequestInit {
  if (body === undefined) return { method, headers };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { method, headers: { 'Content-Type': 'application/json', ...headers }, body: text };
}

/** The reply for a row of the error table, with any request id. */
export function refusal(code: ErrorCode, message: unknown, details?: unknown): Reply {
  return {
    status: ERRORS[code].status,
    body: {
      error: ERRORS[code].error,
      message,
      code,
      request_id: expect.any(String),
      ...(details === undefined ? {} : { details }),
    },
  };
}

/** The reply of an operation that wraps its result. */
export function success(data: unknown): Reply {
  return { status: 200, body: { status: 'success', data } };
}
