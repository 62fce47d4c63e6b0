/** What several runtimes behind one port ask of each other: docs/decisions/0027-several-runtimes.md. */
import type { Bindings } from '../context.ts';
import type { RuntimeSite } from './runtime-site.ts';

/** A statement of D1 with its parameters. */
export interface Statement {
  readonly sql: string;
  readonly params: readonly unknown[];
}

/** As which a statement of D1 is run. */
export type StatementMode = 'all' | 'raw' | 'run';

/** What every runtime tells another. */
export interface RuntimeService {
  /** Its own metrics, as Prometheus reads them. */
  metrics(): Promise<string>;
}

/** The runtime that has D1, the objects and the counters of limits, as the others reach it. */
export interface OwnerService extends RuntimeService {
  /** Answers as soon as the runtime runs, with the keys in force. */
  ping(): Promise<void>;
  query(way: StatementMode, statement: Statement): Promise<unknown>;
  /** Runs all or none. */
  batch(statements: readonly Statement[]): Promise<unknown>;
  /** Calls a method of an object. @param binding of its namespace */
  call(binding: string, name: string, method: string, args: readonly unknown[]): Promise<unknown>;
  /** Counts one for the key of a limit. */
  limit(binding: string, key: string): Promise<RateLimitOutcome>;
  /** Passes a request on to the object that the header `OBJECT_HEADER` names. */
  fetch(input: string | Request, init?: RequestInit): Promise<Response>;
}

/** Binding and name of an object, with a slash between them; no request of a client gets there. */
export const OBJECT_HEADER = 'x-causeway-object';

/** Bindings of one of several runtimes. */
export interface RuntimeBindings extends Bindings {
  /** Of a runtime that serves; absent from the owner. */
  readonly OWNER?: OwnerService;
  readonly PLACE?: RuntimeSite;
}
