/** One connection's database at PlanetScale: how it is asked, and what was learned of it. */
import { allowedTables } from '../../../../kinds/allow.ts';
import { AllowGuard } from '../../../../kinds/mysql/dialect/allow-guard.ts';
import { allowedFunctions } from '../../../../kinds/mysql/dialect/allowed-functions.ts';
import { type AskRows, Catalog } from '../../../../kinds/mysql/dialect/catalog.ts';
import { ServerError } from '../../../../kinds/mysql/dialect/failures.ts';
import { Guard } from '../../../../kinds/mysql/dialect/guard.ts';
import type { ConnectionEnvelope } from '../../../../proto/driver.ts';
import { GatewayError } from '../../../../proto/errors.ts';
import type { EdgeHost } from '../driver.ts';
import { utf8Of } from './columns.ts';
import { PlanetScaleConnection, type TripBounds } from './connection.ts';
import { serverError } from './failures.ts';
import { withValues } from './literal.ts';
import { planetScaleSettings } from './settings.ts';

/** Reply of the driver's own questions, in bytes. */
const OWN_MAX_BYTES = 4 * 1024 * 1024;
/** How long what was seen of the sessions' settings is valid, in milliseconds. */
const SEEN_MS = 60_000;

/** The session's way to quote, its characters, and two moments that only UTC writes so. */
const PROBE =
  'SELECT @@sql_mode, @@character_set_client, FROM_UNIXTIME(1720000000), FROM_UNIXTIME(1704067200)';
const UTC = ['2024-07-03 09:46:40', '2024-01-01 00:00:00'];
const QUOTING = /ANSI|NO_BACKSLASH_ESCAPES|DB2|MAXDB|MSSQL|ORACLE|POSTGRESQL/;

/** Asks one database. Nothing of a request stays here but what it taught. */
export class Database {
  readonly guard: Guard;
  /** Undefined where requests may name everything. */
  readonly allowGuard: AllowGuard | undefined;
  readonly #settings: ReturnType<typeof planetScaleSettings>;
  readonly #host: EdgeHost;
  #soundUntil = 0;

  /** @throws GatewayError INVALID_CONFIGURATION */
  constructor({ connection, settings }: ConnectionEnvelope, host: EdgeHost) {
    this.#settings = planetScaleSettings(connection);
    this.#host = host;
    const functions = allowedFunctions(settings.allow_functions);
    this.guard = new Guard(functions);
    const open = allowedTables(settings.allow);
    this.allowGuard = open && new AllowGuard(open, functions, '');
  }

  /** A line for one call. */
  line(bounds: TripBounds): PlanetScaleConnection {
    return new PlanetScaleConnection(this.#settings, this.#host, bounds);
  }

  /** What the guard asks. */
  catalog(bounds: Pick<TripBounds, 'signal'>): Catalog {
    return new Catalog(this.rows(bounds));
  }

  /** Answers rows of the driver's own questions as texts; NULL is an empty one. */
  rows({ signal }: Pick<TripBounds, 'signal'>, resultMaxBytes = OWN_MAX_BYTES): AskRows {
    return async (query, values) => {
      try {
        const { rows } = await this.line({ signal, resultMaxBytes }).send(
          withValues(query, values),
        );
        return rows.map((row) => row.map((value) => utf8Of(value ?? '')));
      } catch (error) {
        throw serverError(error) ?? unknownTable(error);
      }
    };
  }

  /**
   * Makes sure that sessions read text and write moments as this driver takes them to.
   * @throws GatewayError INVALID_CONFIGURATION
   */
  async demandSound({ signal }: Pick<TripBounds, 'signal'>): Promise<void> {
    if (this.#soundUntil > Date.now()) return;
    const [row = []] = await this.rows({ signal })(PROBE, []);
    const [mode = '', charset = '', ...moments] = row;
    if (QUOTING.test(mode)) {
      throw unsound('its sql_mode may not hold ANSI_QUOTES, NO_BACKSLASH_ESCAPES or their groups');
    }
    if (!charset.startsWith('utf8')) throw unsound('its character_set_client must be utf8mb4');
    if (moments.some((moment, at) => !moment.startsWith(UTC[at] ?? '')))
      throw unsound('its time_zone must be UTC');
    this.#soundUntil = Date.now() + SEEN_MS;
  }
}

/** Vitess refuses tables that it does not route to without a number of the database's. */
function unknownTable(error: unknown): unknown {
  const { body } = (error ?? {}) as { body?: { code?: unknown } }; // Of the vendor's error, or of none.
  const codes = ['NOT_FOUND', 'PERMISSION_DENIED', 'UNIMPLEMENTED', 'INVALID_ARGUMENT'];
  const isRefusal = typeof body?.code === 'string' && codes.includes(body.code);
  return isRefusal ? new ServerError(1146, '42S02', 'not to be looked at') : error;
}

function unsound(why: string): GatewayError {
  const message = `The database cannot be served over HTTP: ${why}`;
  return new GatewayError('INVALID_CONFIGURATION', message);
}
