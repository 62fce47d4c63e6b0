/** One connection's database at Neon: how it is asked, and what was learned of it. */

import { LruMap } from '../../../../dialects/lru-map.ts';
import type { AskRows, Statement } from '../../../../dialects/postgres/ask.ts';
import { allowedFunctions, Guard } from '../../../../dialects/postgres/guard.ts';
import { Shapes } from '../../../../dialects/postgres/rows.ts';
import { TypeRegistry } from '../../../../dialects/postgres/types.ts';
import type { ConnectionEnvelope } from '../../../../proto/driver.ts';
import type { EdgeHost } from '../driver.ts';
import { type Answer, type Bounds, Exchange } from './exchange.ts';
import { neonSettings } from './settings.ts';

/** Make every value's text the same on every server. They stand last, so nothing overrides them. */
const SESSION: readonly (readonly [string, string])[] = [
  ['DateStyle', 'ISO'],
  ['IntervalStyle', 'postgres'],
  ['TimeZone', 'UTC'],
  ['extra_float_digits', '1'],
  ['bytea_output', 'hex'],
  ['array_nulls', 'on'],
  // The guard reads statements by these rules.
  ['standard_conforming_strings', 'on'],
];
const READ_ONLY = ['transaction_read_only', 'on'] as const;

const CATALOG_ONLY: Statement = {
  text: "SELECT pg_catalog.set_config('search_path', 'pg_catalog', true)",
};

/** Reply of the driver's own questions, in bytes. */
const OWN_MAX_BYTES = 4 * 1024 * 1024;

/** Asks one database. Nothing of a request stays here but what it taught. */
export class Database {
  readonly types = new TypeRegistry();
  readonly shapes = new Shapes(this.types);
  readonly guard: Guard;
  /** Parameter types by statement text. */
  readonly parameterTypes = new LruMap<string, readonly number[]>(2_000);
  readonly #exchange: Exchange;
  readonly #write: Statement;
  readonly #read: Statement;

  /** @throws GatewayError INVALID_CONFIGURATION */
  constructor({ connection, settings }: ConnectionEnvelope, host: EdgeHost) {
    const neon = neonSettings(connection);
    this.guard = new Guard(allowedFunctions(settings.allow_functions));
    this.#exchange = new Exchange(neon, host);
    const session = [...neon.sessionSettings, ...SESSION];
    this.#write = localSettings(session);
    this.#read = localSettings([...session, READ_ONLY]);
  }

  /** Statements in one transaction and one trip, with the session's settings ahead of them. */
  async together(
    statements: readonly Statement[],
    read: boolean,
    bounds: Bounds,
  ): Promise<readonly Answer[]> {
    const before = read ? this.#read : this.#write;
    const [, ...answers] = await this.#exchange.batch([before, ...statements], read, bounds);
    return answers;
  }

  /** A statement outside a transaction block, as some have to be. */
  alone(statement: Statement, bounds: Bounds): Promise<Answer> {
    return this.#exchange.alone(statement, bounds);
  }

  /** Asks over the catalog, whatever the session's search path. */
  catalog({ signal }: Pick<Bounds, 'signal'>, resultMaxBytes = OWN_MAX_BYTES): AskRows {
    return async (statement) => {
      const bounds = { signal, resultMaxBytes };
      const [, , answer] = await this.#exchange.batch(
        [this.#read, CATALOG_ONLY, statement],
        true,
        bounds,
      );
      return answer?.rows ?? [];
    };
  }

  /** Asks along the session's search path. */
  rows({ signal }: Pick<Bounds, 'signal'>): AskRows {
    return async (statement) => {
      const bounds = { signal, resultMaxBytes: OWN_MAX_BYTES };
      const [answer] = await this.together([statement], true, bounds);
      return answer?.rows ?? [];
    };
  }
}

/** The session's settings for one transaction: each trip may reach another session. */
function localSettings(settings: readonly (readonly [string, string])[]): Statement {
  const calls = settings.map(
    (_, at) => `pg_catalog.set_config($${2 * at + 1}, $${2 * at + 2}, true)`,
  );
  return { text: `SELECT ${calls.join(', ')}`, values: settings.flat() };
}
