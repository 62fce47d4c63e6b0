/** The owner's side: does for the other runtimes what only one may do. */
import { WorkerEntrypoint } from 'cloudflare:workers';
import { requestMetrics } from '../metrics.ts';
import { hasKeys, untilKeys } from './keys.ts';
import {
  OBJECT_HEADER,
  type OwnerService,
  type RuntimeBindings,
  type RuntimeService,
  type Statement,
  type StatementMode,
} from './service.ts';

/** What any runtime tells the others. */
export class Member extends WorkerEntrypoint<RuntimeBindings> implements RuntimeService {
  async metrics(): Promise<string> {
    return requestMetrics.text();
  }
}

/** Listens on a Unix socket that nobody but this gateway can reach. */
export class Owner extends Member implements OwnerService {
  async ping(): Promise<void> {
    if (!hasKeys()) await untilKeys(this.env);
  }

  query(way: StatementMode, statement: Statement): Promise<unknown> {
    return this.#prepared(statement)[way]();
  }

  batch(statements: readonly Statement[]): Promise<unknown> {
    return this.env.DB.batch(statements.map((each) => this.#prepared(each)));
  }

  call(binding: string, name: string, method: string, args: readonly unknown[]): Promise<unknown> {
    const stub = this.#object(binding, name);
    const ask: unknown = Reflect.get(stub, method);
    if (typeof ask !== 'function') throw new TypeError(`${binding} has no method ${method}`);
    // A method of a stub answers a promise.
    return Reflect.apply(ask, stub, args) as Promise<unknown>;
  }

  limit(binding: string, key: string): Promise<RateLimitOutcome> {
    const limit: unknown = Reflect.get(this.env, binding);
    if (!isLimit(limit)) throw new TypeError(`There is no limit ${binding}`);
    return limit.limit({ key });
  }

  override fetch(request: Request): Promise<Response> {
    const headers = new Headers(request.headers);
    const [, binding = '', name = ''] =
      /^([^/]+)\/(.*)$/.exec(headers.get(OBJECT_HEADER) ?? '') ?? [];
    headers.delete(OBJECT_HEADER);
    return this.#object(binding, name).fetch(new Request(request, { headers }));
  }

  #prepared({ sql, params }: Statement): D1PreparedStatement {
    return this.env.DB.prepare(sql).bind(...params);
  }

  #object(binding: string, name: string): DurableObjectStub {
    const namespace: unknown = Reflect.get(this.env, binding);
    if (!isNamespace(namespace)) throw new TypeError(`There are no objects ${binding}`);
    return namespace.getByName(name);
  }
}

function isLimit(bound: unknown): bound is RateLimit {
  return typeof bound === 'object' && bound !== null && 'limit' in bound;
}

function isNamespace(bound: unknown): bound is DurableObjectNamespace {
  return typeof bound === 'object' && bound !== null && 'getByName' in bound;
}
