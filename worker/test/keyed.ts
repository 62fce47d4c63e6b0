/** Calls with an Idempotency-Key in tests, and what is stored of them. */
import { createExecutionContext, env, runInDurableObject } from 'cloudflare:test';
import { Hono } from 'hono';
import type { RunRequest } from '../../proto/gen/relay/v1/relay_pb.ts';
import type { Json } from '../../proto/json.ts';
import type { Bindings } from '../context.ts';
import { type App, mount } from '../http/run.ts';
import { objectsOf } from '../idempotency/location.ts';
import { type CallRow, hasTable, selectCall } from '../idempotency/store.ts';
import type { AnyRoute } from '../route.ts';
import { NOW, startGateway } from './gateway.ts';
import { bytes, type RunningSetup, startRunning } from './running.ts';

/** A write; which one is the same to relays in memory. */
export const WRITE = { type: 'execute', query: 'insert into t values (1)' };

/** What a relay answers to the nth call, from 1; `signal` aborts when it is given up. */
type Answer = (n: number, signal: AbortSignal) => object | Promise<object>;

/** A gateway with an endpoint `orders`; each call that reaches the relay is counted. */
export async function startKeyed(
  answer: Answer = (n) => ({ result: bytes(`{"n":${n}}`) }),
  setup?: RunningSetup,
) {
  let ran = 0;
  const run = (_request: RunRequest, { signal }: { readonly signal: AbortSignal }) => {
    ran += 1;
    return answer(ran, signal);
  };
  const gateway = await startRunning({ run }, setup);
  return {
    ...gateway,
    /** How many calls reached the relay. */
    ran: () => ran,
    /** A write with a key. */
    write: (key: string, body: Json = WRITE, headers: Readonly<Record<string, string>> = {}) =>
      gateway.post('/write', body, { 'Idempotency-Key': key, ...headers }),
  };
}

/** A gateway of these routes alone, how to POST to them with a key as a member, and what goes on after replies. */
export async function startOwn(routes: readonly AnyRoute[]) {
  const gateway = await startGateway('Read');
  const app: App = new Hono<{ Bindings: Bindings }>();
  const outside = { now: () => NOW, fetch: () => Promise.reject(new Error('unreachable')) };
  mount(app, routes, outside);
  const Authorization = `Bearer ${await gateway.token()}`;
  const going: Promise<unknown>[] = [];
  const waitUntil = (work: Promise<unknown>) => void going.push(work);
  async function post(
    path: string,
    key: string,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const headers = { Authorization, 'Idempotency-Key': key, ...more };
    const execution = { ...createExecutionContext(), waitUntil, passThroughOnException() {} };
    const init = { method: 'POST', headers };
    return app.request(`http://gateway.test/api/v1${path}`, init, gateway.bindings, execution);
  }
  return { ...gateway, post, going };
}

/** What tests compare of a response. */
export async function seen(response: Response) {
  return {
    status: response.status,
    replayed: response.headers.get('Idempotent-Replayed'),
    body: (await response.json()) as unknown,
  };
}

/** A successful reply that runs for the first time, and the same again. */
export const fresh = (data: Json) => ({
  status: 200,
  replayed: null,
  body: { status: 'success', data },
});
export const again = (data: Json) => ({ ...fresh(data), replayed: 'true' });

/** Every object that may have keys of an organization, by its UUID; `new` for those of nobody. */
export function keysOf(owner: string) {
  return objectsOf(owner).map((name) => env.IDEMPOTENCY_KEYS.getByName(name));
}

/** What is stored of all keys. */
export async function storedCalls(owner: string): Promise<CallRow[]> {
  const found = keysOf(owner).map((keys) =>
    runInDurableObject(keys, (_keys, { storage: { sql } }) => {
      if (!hasTable(sql)) return [];
      const names = sql.exec<{ name: string }>('SELECT name FROM calls').toArray();
      return names.flatMap(({ name }) => selectCall(sql, name) ?? []);
    }),
  );
  return (await Promise.all(found)).flat();
}

/** Lets time pass for all keys of an organization. */
export async function elapse(owner: string, ms: number): Promise<void> {
  for (const keys of keysOf(owner)) {
    await runInDurableObject(keys, (_keys, { storage: { sql } }) => {
      if (!hasTable(sql)) return;
      sql.exec(
        'UPDATE calls SET since = since - ?, until = until - ?, expires = expires - ?',
        ms,
        ms,
        ms,
      );
    });
  }
}
