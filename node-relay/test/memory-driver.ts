/** A backend in memory for tests of the relay itself: what it answers is written in the statement. */

import type { PostgresRequest } from '../../kinds/postgres/index.ts';
import type {
  BackendClient,
  Call,
  Leases,
  ResultBytes,
  Streams,
  Transacts,
  Watches,
} from '../../proto/driver.ts';
import { GatewayError } from '../../proto/errors.ts';
import type { ConnectionPool, Driver } from '../drivers/driver.ts';

interface Backend {
  readonly name: number;
  /** What a statement `set x` left behind without a rollback. */
  value: string;
}

/** What the backend saw. */
interface Seen {
  opened: number;
  connections: number;
  connectionsMost: number;
  running: number;
  aborted: unknown[];
  rolledBack: number;
  chunks: number;
  closed: number;
  /** Ends what pauses. */
  goOn(): void;
}

/** A driver and what it saw. Statements: `hang`, `pause`, `sleep MS`, `fail`, `refuse`, `big N`, `set x`, `get`; others are echoed. Watched: `tell N` tells so many and waits, `refuse` and `break` fail before and after the first. */
export function memoryDriver() {
  const seen: Seen = {
    opened: 0,
    connections: 0,
    connectionsMost: 0,
    running: 0,
    aborted: [],
    rolledBack: 0,
    chunks: 0,
    closed: 0,
    goOn() {},
  };
  const driver: Driver<PostgresRequest> = {
    async open({ envelope }, host) {
      seen.opened += 1;
      if (envelope.settings.fails === true) {
        throw new GatewayError('INVALID_CONFIGURATION', 'Connection URL is required');
      }
      const pool = host.pool<Backend>({
        async open() {
          seen.connections += 1;
          seen.connectionsMost = Math.max(seen.connectionsMost, seen.connections);
          return { name: seen.connections, value: '' };
        },
        close() {
          seen.connections -= 1;
        },
      });
      return memorySession(pool, seen);
    },
  };
  return { driver, seen };
}

type MemorySession = BackendClient<PostgresRequest> &
  Streams<PostgresRequest> &
  Transacts<PostgresRequest> &
  Leases<PostgresRequest> &
  Watches<PostgresRequest>;

function memorySession(pool: ConnectionPool<Backend>, seen: Seen): MemorySession {
  const withBackend = async (call: Call, work: (backend: Backend) => Promise<ResultBytes>) => {
    const backend = await pool.acquire(call.signal);
    try {
      return await work(backend);
    } finally {
      pool.release(backend);
    }
  };
  return {
    run: (request, call) => withBackend(call, (backend) => answer(request, call, backend, seen)),
    transact: (requests, call) =>
      withBackend(call, async () => bytes(requests.map((each) => queryOf(each)))),
    hasColumns: false,
    async *stream(request) {
      const [, count = '0'] = /^rows (\d+)$/.exec(queryOf(request)) ?? [];
      yield new Uint8Array();
      for (let row = 0; row < Number(count); row += 1) {
        seen.chunks += 1;
        yield new TextEncoder().encode(`${JSON.stringify({ row, pad: 'x'.repeat(8192) })}\n`);
      }
      if (queryOf(request) === 'fail') throw new Error('postgres://user:hunter2@host/db');
    },
    async lease(call) {
      const backend = await pool.acquire(call.signal);
      return {
        run: (request, leased) => answer(request, leased, backend, seen),
        async close() {
          seen.rolledBack += 1;
          pool.discard(backend);
        },
      };
    },
    async *watch(request, call, resumeAfter) {
      const [verb, count = '0'] = queryOf(request).split(' ');
      if (verb === 'refuse') throw new GatewayError('REQUEST_FAILED', 'The database refused it');
      yield { data: new Uint8Array() };
      for (let at = Number(resumeAfter ?? 0) + 1; at <= Number(count); at += 1) {
        yield { id: String(at), data: bytes({ at }) };
      }
      if (verb === 'break') throw new GatewayError('CONNECTION_FAILED', 'The database was lost');
      await aborted(call, seen);
    },
    ping: async () => 1.5,
    async close() {
      seen.closed += 1;
      await pool.close();
    },
  };
}

async function answer(
  request: PostgresRequest,
  call: Call,
  backend: Backend,
  seen: Seen,
): Promise<ResultBytes> {
  const [verb, word = ''] = queryOf(request).split(' ');
  seen.running += 1;
  try {
    if (verb === 'hang') await aborted(call, seen);
    if (verb === 'fail') throw new Error(`select secret from postgres://user:hunter2@host/db`);
    if (verb === 'lose') throw new GatewayError('CONNECTION_FAILED', 'The database was lost');
    if (verb === 'refuse') {
      const details = [{ source: 'postgres', code: '42601', message: 'syntax error', position: 1 }];
      throw new GatewayError('REQUEST_FAILED', 'The database refused it', { details });
    }
    if (verb === 'big') return new TextEncoder().encode(JSON.stringify('x'.repeat(Number(word))));
    if (verb === 'set') backend.value = word;
    if (verb === 'pause') await Promise.race([paused(seen), aborted(call, seen)]);
    if (verb === 'sleep') await new Promise((resolve) => setTimeout(resolve, Number(word)));
    return bytes(verb === 'get' ? backend.value : { request, mode: call.mode });
  } finally {
    seen.running -= 1;
  }
}

function paused(seen: Seen): Promise<void> {
  return new Promise((resolve) => {
    seen.goOn = resolve;
  });
}

async function aborted({ signal }: Call, seen: Seen): Promise<never> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve());
  });
  seen.aborted.push(signal.reason);
  throw signal.reason;
}

function queryOf(request: PostgresRequest): string {
  return 'query' in request ? request.query : '';
}

function bytes(value: unknown): ResultBytes {
  return new TextEncoder().encode(JSON.stringify(value));
}
