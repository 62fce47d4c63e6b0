/** The gateway under measurement: `npm start` as a child, with an organization, a token and an endpoint. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { Running } from './baseline.ts';

/** A running gateway and what a request to its endpoint needs. */
export interface MeasuredGateway extends Running {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** As `headers`, of an application that comes with an API key. */
  readonly keyHeaders: Readonly<Record<string, string>>;
  /** Of the process that the others are children of. */
  readonly pid: number;
}

const START = join(import.meta.dirname, '../server/start.ts');
const PASSWORD = 'a password for measuring';

/** What differs from the usual. */
interface GatewayOptions {
  /** Of the endpoint; `postgres` by default. */
  readonly kind?: string;
  /** Whether the limits per user and organization hold, as they do by default elsewhere; most measurements are of what lies below them. */
  readonly rateLimits?: 'on' | 'off';
  /** Its data folder, which is removed at the end; a new one by default. */
  readonly folder?: string;
  /** Hears each line of its log, which is not printed then. */
  readonly onLog?: ((line: string) => void) | undefined;
  /** Runtimes; 1 by default, whatever the machine has. */
  readonly workers?: number;
}

/** Starts it on free ports and a folder of its own, with an endpoint on the database at `url`. */
export async function startGateway(
  url: string,
  { kind = 'postgres', rateLimits = 'off', folder, onLog, workers = 1 }: GatewayOptions = {},
): Promise<MeasuredGateway> {
  const data = folder ?? (await mkdtemp(join(tmpdir(), 'causeway-bench-')));
  const child = spawn(
    process.execPath,
    [START, '--port=0', '--relay-port=0', '--data', data, '--workers', String(workers)],
    {
      stdio: ['ignore', 'pipe', onLog ? 'pipe' : 'inherit'],
      env: { ...process.env, RATE_LIMITS: rateLimits },
    },
  );
  if (onLog && child.stderr) createInterface({ input: child.stderr }).on('line', onLog);
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await rm(data, { recursive: true, force: true });
  };
  try {
    const port = await printedPort(createInterface({ input: child.stdout ?? Readable.from([]) }));
    const token = await makeOrganization(port, url, kind);
    const key = await makeKey(port, token);
    return {
      port,
      path: '/api/v1/endpoints/measured/read',
      headers: { Authorization: `Bearer ${token}` },
      keyHeaders: { Authorization: `Bearer ${key}` },
      pid: child.pid ?? 0,
      stop,
    };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}

async function printedPort(lines: AsyncIterable<string>): Promise<number> {
  for await (const line of lines) {
    const port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1];
    if (port !== undefined) return Number(port);
  }
  throw new Error('The gateway ended before it printed its address');
}

/** Makes an organization with the endpoint `measured`; answers a token of its SuperAdmin. */
export async function makeOrganization(
  port: number,
  url: string,
  kind = 'postgres',
  id = 'bench',
): Promise<string> {
  const call = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    post(`http://127.0.0.1:${port}/api/v1${path}`, body, headers);
  await call('/new', { id, super_admins: [{ username: id, password: PASSWORD }] });
  const basic = Buffer.from(`${id}:${PASSWORD}`).toString('base64');
  const { token } = await call('/auth/login', undefined, {
    Authorization: `Basic ${basic}`,
    'X-Org-Id': id,
  });
  await call(
    '/endpoints',
    { endpoint: 'measured', kind, config: { write_conn: { url } } },
    { Authorization: `Bearer ${token}` },
  );
  return String(token);
}

/** Makes another endpoint in the organization that is measured. */
export async function addEndpoint(
  { port, headers }: Pick<MeasuredGateway, 'port' | 'headers'>,
  id: string,
  kind: string,
  url: string,
): Promise<void> {
  const made = { endpoint: id, kind, config: { write_conn: { url } } };
  await post(`http://127.0.0.1:${port}/api/v1/endpoints`, made, { ...headers });
}

/** Makes a key that reads the endpoint `measured` alone. */
async function makeKey(port: number, token: string): Promise<string> {
  const body = { name: 'measured', endpoints: { measured: 'Read' } };
  const headers = { Authorization: `Bearer ${token}` };
  const { key } = await post(`http://127.0.0.1:${port}/api/v1/iam/keys`, body, headers);
  return String(key);
}

/** Posts JSON. @throws Error at a reply that is no success */
export async function post(
  url: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<{ [member: string]: unknown }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
  return JSON.parse(text) as { [member: string]: unknown };
}
