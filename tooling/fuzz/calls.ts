/** Calls to the gateway that are no part of the fuzzing: they make what it works on. */

/** A reply whose body is JSON. */
interface Reply {
  readonly status: number;
  readonly body: unknown;
}

/** Calls a gateway; `path` is below /api/v1. */
export async function call(
  gateway: string,
  method: string,
  path: string,
  { token, body, headers = {} }: CallOptions = {},
): Promise<Reply> {
  const response = await fetch(`${gateway}/api/v1${path}`, {
    method,
    headers: {
      ...headers,
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

/** What a call carries besides its path. */
interface CallOptions {
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * As `call`, for what must succeed.
 * @throws Error with the reply when it does not
 */
export async function must(
  gateway: string,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<unknown> {
  const reply = await call(gateway, method, path, options);
  if (reply.status === 200) return reply.body;
  throw new Error(
    `${method} ${path} was answered with ${reply.status} ${JSON.stringify(reply.body)}`,
  );
}

/** The user who logs in, and the organization. */
interface Login {
  readonly organization: string;
  readonly username: string;
  readonly password: string;
}

/** A token of a user. */
export async function logIn(gateway: string, login: Login): Promise<string> {
  const basic = Buffer.from(`${login.username}:${login.password}`).toString('base64');
  const body = await must(gateway, 'POST', '/auth/login', {
    headers: { Authorization: `Basic ${basic}`, 'X-Org-Id': login.organization },
  });
  return textAt(body, 'token');
}

/**
 * The text at a place of a reply.
 * @throws Error when there is none
 */
export function textAt(value: unknown, ...path: readonly (string | number)[]): string {
  const found = path.reduce<unknown>(
    (at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined),
    value,
  );
  if (typeof found === 'string') return found;
  throw new Error(`There is no text at ${path.join('.')} of ${JSON.stringify(value)}`);
}
