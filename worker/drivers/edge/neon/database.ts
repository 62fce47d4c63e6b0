/** One connection's database at Neon: how it is asked, and what was learned of it. */

import { NeonDbError } from '@neondatabase/serverless';
import { allowedTables } from '../../../../kinds/allow.ts';
import { AllowGuard } from '../../../../kinds/postgres/dialect/allow-guard.ts';
import type { AskRows, Statement } from '../../../../kinds/postgres/dialect/ask.ts';
import { allowedFunctions, Guard } from '../../../../kinds/postgres/dialect/guard.ts';
import type { Inquirer } from '../../../../kinds/postgres/dialect/inquirer.ts';
import { LOOK_UP_SETTINGS } from '../../../../kinds/postgres/dialect/reach.ts';
import { Shapes } from '../../../../kinds/postgres/dialect/rows.ts';
import { SESSION_SETTINGS } from '../../../../kinds/postgres/dialect/settings.ts';
import { TypeRegistry } from '../../../../kinds/postgres/dialect/types.ts';
import type { ConnectionEnvelope } from '../../../../proto/driver.ts';
import { LruMap } from '../../../../proto/lru-map.ts';
import type { EdgeHost } from '../driver.ts';
import { Exchange, type StatementReply, type TripBounds } from './exchange.ts';
import { neonSettings } from './settings.ts';

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
  /** Undefined where requests may name everything. */
  readonly allowGuard: AllowGuard | undefined;
  /** Parameter types by statement text. */
  readonly parameterTypes = new LruMap<string, readonly number[]>(2_000);
  readonly #exchange: Exchange;
  readonly #write: Statement;
  readonly #read: Statement;

  /** @throws GatewayError INVALID_CONFIGURATION */
  constructor({ connection, settings }: ConnectionEnvelope, host: EdgeHost) {
    const neon = neonSettings(connection);
    const allowed = allowedFunctions(settings.allow_functions);
    this.guard = new Guard(allowed);
    const open = allowedTables(settings.allow);
    this.allowGuard = open && new AllowGuard(open, allowed);
    this.#exchange = new Exchange(neon, host);
    const session = [...neon.sessionSettings, ...SESSION_SETTINGS];
    this.#write = localSettings(session);
    this.#read = localSettings([...session, READ_ONLY]);
  }

  /** Statements in one transaction and one trip, with the session's settings ahead of them. */
  async together(
    statements: readonly Statement[],
    read: boolean,
    bounds: TripBounds,
  ): Promise<readonly StatementReply[]> {
    const before = read ? this.#read : this.#write;
    const [, ...answers] = await this.#exchange.batch([before, ...statements], read, bounds);
    return answers;
  }

  /** A statement outside a transaction block, as some have to be. */
  alone(statement: Statement, bounds: TripBounds): Promise<StatementReply> {
    return this.#exchange.alone(statement, bounds);
  }

  /** Asks over the catalog, whatever the session's search path. */
  catalog({ signal }: Pick<TripBounds, 'signal'>, resultMaxBytes = OWN_MAX_BYTES): AskRows {
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

  /** Asks what a statement calls; each trip is a session of its own. */
  inquirer({ signal }: Pick<TripBounds, 'signal'>): Inquirer {
    const bounds = { signal, resultMaxBytes: OWN_MAX_BYTES };
    return {
      pristine: true,
      lookUp: async (statement) => {
        const [, answer] = await this.together([LOOK_UP_SETTINGS, statement], true, bounds);
        return answer?.rows ?? [];
      },
      parameterTypes: async ({ text, types }) => types ?? this.askParameterTypes(text, bounds),
      ask: async ({ statements, undo }) => {
        try {
          const answers = await this.together([...statements, undo], false, bounds);
          return answers[statements.length - 1]?.rows ?? [];
        } catch (error) {
          if (error instanceof NeonDbError && error.code !== undefined) return undefined;
          throw error;
        }
      },
    };
  }

  /** Prepared by name and asked for in one trip, then let go: the protocol does not describe. */
  async askParameterTypes(text: string, bounds: TripBounds): Promise<readonly number[]> {
    const name = `causeway_${crypto.randomUUID().replaceAll('-', '')}`;
    const statements: Statement[] = [
      { text: `PREPARE ${name} AS\n${text}` },
      {
        text: 'SELECT parameter_types::pg_catalog.oid[]::text FROM pg_catalog.pg_prepared_statements WHERE name = $1',
        values: [name],
      },
      { text: `DEALLOCATE ${name}` },
    ];
    const [, described] = await this.together(statements, true, bounds);
    const list = described?.rows[0]?.[0] ?? '{}';
    return list.slice(1, -1).split(',').filter(Boolean).map(Number);
  }

  /** Asks along the session's search path. */
  rows({ signal }: Pick<TripBounds, 'signal'>): AskRows {
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
