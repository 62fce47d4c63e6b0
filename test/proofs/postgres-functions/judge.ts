/** What the guard must say of a function, whatever the way. */

import type pg from 'pg';
import { isHarmless } from '../../../kinds/postgres/dialect/server-functions.ts';
import type { Case } from './cases.ts';
import type { ServerFunction } from './catalog.ts';
import type { Verdict } from './runner.ts';

/**
 * Names that must never pass, whatever list says otherwise: files, other servers, signals, locks,
 * settings, notifications, replication, large objects, texts run as statements. Source: PostgreSQL
 * manual, "System Administration Functions" and the pages of extensions.
 */
const NEVER =
  /^(?:pg_(?:read_(?:binary_)?file|ls_(?!wait)|stat_file|(?:try_)?advisory_|terminate_backend|cancel_backend|reload_conf|rotate_logfile|switch_wal|create_|drop_|copy_(?:physical|logical)|replication_origin_(?:create|drop|advance|session|xact)|replication_slot|logical_(?:slot|emit)|backup_st|promote|wal_replay_(?:pause|resume)|notify|stat_(?:reset|clear)|stat_statements_reset|export_snapshot|file_|logdir|log_|prewarm|truncate_|import_|set_|clear_|restore_)|lo_|lo(?:read|write)$|dblink|set_config$|setseed$|setval$|nextval$|(?:query|table|schema|database|cursor)_to_xml|crosstab|connectby$|xpath_table$|heap_force|brin_(?:de)?summarize|gin_clean)/;
/** Of those, what reports and does nothing. */
const TOLD = /^pg_(?:create_logical|log_standby_snapshot$)|^pg_stat_reset_\w+_time$/;

/** Type of the text form of a value. */
const CSTRING = 2275;

/** Ways that go by a user's own VOLATILE function, which is refused whatever it does. */
const BY_VOLATILE = /^(?:parsed )?body of a function/;

/** Whether a function must be refused, from its catalog entry alone. */
function mustBeRefused({ name, schema, extension, volatility }: ServerFunction): boolean {
  if (NEVER.test(name) && !TOLD.test(name)) return true;
  if (volatility !== 'v') return false;
  const serverOwn = schema === 'pg_catalog' && extension === null;
  return !serverOwn || !isHarmless(name);
}

/** Whether a way must be refused, with what the guard said of a plain call. */
export function isForbidden({ called, way }: Case, direct: Verdict | undefined): boolean {
  if (mustBeRefused(called) || BY_VOLATILE.test(way)) return true;
  // Some calls are refused because the server cannot read them; what takes a type's text form is
  // refused by its name in the statement, and in an object its text is known.
  return direct?.is === 'refused' && direct.named === called.name && !called.args.includes(CSTRING);
}

/** Whether the server cannot make sense of a statement, so that none of it was run. */
export async function isNoStatement(outside: pg.Client, { query }: Case): Promise<boolean> {
  const bare = query
    .replace(/^COPY \(([\s\S]*)\n\) TO STDOUT$/, '$1')
    .replace(/^EXPLAIN \([^)]*\) /, '');
  try {
    await outside.query(`PREPARE tried AS ${bare}`);
    await outside.query('DEALLOCATE tried');
    return false;
  } catch {
    return true;
  }
}
