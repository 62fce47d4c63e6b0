/** D1, the objects and the limits of the owner, as the code of the worker finds them in its bindings. */
import type { OwnerLine } from './owner-line.ts';
import { OBJECT_HEADER, type Statement, type StatementMode } from './service.ts';

/** It begins like this and names no change: it may run twice. */
const READ = /^\s*select\b/i;

const changesOf = (statements: readonly Statement[]) =>
  statements.every(({ sql }) => READ.test(sql)) ? 'nothing' : 'something';

/** A statement with its parameters, on its way. */
class RemoteStatement {
  readonly #line: OwnerLine;
  readonly statement: Statement;

  constructor(line: OwnerLine, statement: Statement) {
    this.#line = line;
    this.statement = statement;
  }

  bind(...params: unknown[]): RemoteStatement {
    return new RemoteStatement(this.#line, { sql: this.statement.sql, params });
  }

  all(): Promise<unknown> {
    return this.#run('all');
  }

  raw(): Promise<unknown> {
    return this.#run('raw');
  }

  run(): Promise<unknown> {
    return this.#run('run');
  }

  #run(way: StatementMode): Promise<unknown> {
    const { statement } = this;
    return this.#line.ask((owner) => owner.query(way, statement), changesOf([statement]));
  }
}

/** What Drizzle calls of D1, at the owner's. */
class RemoteDatabase {
  readonly #line: OwnerLine;

  constructor(line: OwnerLine) {
    this.#line = line;
  }

  prepare(sql: string): RemoteStatement {
    return new RemoteStatement(this.#line, { sql, params: [] });
  }

  batch(prepared: readonly RemoteStatement[]): Promise<unknown> {
    const statements = prepared.map(({ statement }) => statement);
    return this.#line.ask((owner) => owner.batch(statements), changesOf(statements));
  }

  /** There are no replicas: every session is the database. */
  withSession(): RemoteDatabase {
    return this;
  }
}

/** The owner's D1. */
export function remoteDatabase(line: OwnerLine): D1Database {
  // Drizzle calls nothing else of it, and db/replicas.ts sessions alone.
  return new RemoteDatabase(line) as unknown as D1Database;
}

/** The owner's objects of a namespace; they are known by their names alone. */
export function remoteObjects(line: OwnerLine, binding: string): DurableObjectNamespace {
  const getByName = (name: string) =>
    new Proxy(
      { name },
      {
        get(known, member) {
          // Awaited, it is no promise.
          if (typeof member === 'symbol' || member === 'then') return undefined;
          if (member === 'name') return known.name;
          if (member === 'fetch') return passing(line, `${binding}/${name}`);
          return (...args: unknown[]) =>
            line.ask((owner) => owner.call(binding, name, member, args), 'something');
        },
      },
    );
  // The worker names objects in no other way.
  return { getByName } as unknown as DurableObjectNamespace;
}

/** Tells the owner by a header for which object a request is. */
function passing(line: OwnerLine, object: string) {
  return (input: string | Request, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(
      init.headers ?? (typeof input === 'string' ? undefined : input.headers),
    );
    headers.set(OBJECT_HEADER, object);
    return line.pass(input, { ...init, headers });
  };
}

/** A limit that all runtimes share. One that was lost counts twice at most. */
export function remoteLimit(line: OwnerLine, binding: string): RateLimit {
  return { limit: ({ key }) => line.ask((owner) => owner.limit(binding, key), 'nothing') };
}
