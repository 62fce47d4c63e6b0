/** Which settings a session has, how it gets them, and how it is cleared of what calls have set. */
import { randomBytes } from 'node:crypto';
import { TIMEOUT_MAX_MS } from '../../../kinds/members.ts';
import type { Statement } from '../../../kinds/postgres/dialect/ask.ts';
import { SESSION_SETTINGS, type Settings } from '../../../kinds/postgres/dialect/settings.ts';
import type { Mode } from '../../../proto/driver.ts';

/** What a session is for. */
interface SessionUse {
  readonly settings: Settings;
  readonly mode: Mode;
}

const READ_ONLY = ['default_transaction_read_only', 'on'] as const;
const NOW_READ_ONLY = 'transaction_read_only';

/** Milliseconds after which the server itself ends what no relay waits for any more. */
const ABANDONED_MS = TIMEOUT_MAX_MS + 5_000;
/** Those that are not set yet; a server that does not know one is left as it is. */
const TIMEOUTS = [
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'transaction_timeout',
];

/**
 * Languages whose functions share nothing beyond what a reset clears; others keep variables of their own.
 * The extensions keep state of their own: connections to other servers, labels, variables.
 */
const CLEAN_LANGUAGES = "'internal', 'c', 'sql', 'plpgsql'";
const LASTING_EXTENSIONS = "'dblink', 'sepgsql', 'pg_variables'";

/** Whether the session has what no statement clears. */
const OUTLASTS = `EXISTS (SELECT FROM pg_language WHERE lanname NOT IN (${CLEAN_LANGUAGES}))
  OR EXISTS (SELECT FROM pg_extension WHERE extname IN (${LASTING_EXTENSIONS}))
  OR EXISTS (SELECT FROM pg_replication_slots WHERE temporary AND active_pid = pg_backend_pid())`;
/** Asking is for superusers alone, as is making it. */
const OUTLASTS_SUPERUSER = `${OUTLASTS} OR pg_replication_origin_session_is_setup()`;

/** For the rest of a transaction, names mean the server's own. */
export const CATALOG_ONLY: Statement = {
  text: "SELECT pg_catalog.set_config('search_path', 'pg_catalog', true)",
};

/** The session's settings at startup, as the server's command line has them. */
export function startupOptions(use: SessionUse): string {
  return sessionOf(use)
    .map(([name, value]) => `-c ${name}=${value.replace(/[\\\s]/g, '\\$&')}`)
    .join(' ');
}

/** The session's settings for one transaction, where the server did not take them at startup. */
export function localSettings(use: SessionUse): Statement {
  const settings = sessionOf(use).flatMap(([name, value]) =>
    // The default counts from the next transaction on.
    name === READ_ONLY[0]
      ? [[name, value] as const, [NOW_READ_ONLY, value] as const]
      : [[name, value] as const],
  );
  const calls = settings.map(
    (_, at) => `pg_catalog.set_config($${2 * at + 1}, $${2 * at + 2}, true)`,
  );
  return {
    text: `SELECT ${[...calls, ...limitsOf(use, true)].join(', ')}`,
    values: settings.flat(),
  };
}

function sessionOf({ settings, mode }: SessionUse): readonly (readonly [string, string])[] {
  if (mode === 'write') return [...settings.sessionSettings, ...SESSION_SETTINGS];
  const given = settings.sessionSettings.filter(([name]) => !/transaction_read_only$/i.test(name));
  return [...given, ...SESSION_SETTINGS, READ_ONLY];
}

/**
 * Asks a new session for the process that serves it. Where that is the one that answered the login, the session is
 * the caller's own, and gets its limits.
 */
export function greeting(use: SessionUse, processId: number): Statement {
  const own = `pg_catalog.pg_backend_pid() OPERATOR(pg_catalog.=) ${processId}`;
  return {
    text: `SELECT ${['pg_catalog.pg_backend_pid()', ...limitsOf(use, false, own)].join(', ')}`,
  };
}

/**
 * Clears a session of what calls have set: the last answers the process that serves it, and whether something is left.
 * The seed of `random()` outlives DISCARD ALL, so it gets a random one.
 */
export function resetStatements(use: SessionUse, superuser: boolean): readonly Statement[] {
  const columns = [
    'pg_backend_pid()',
    superuser ? OUTLASTS_SUPERUSER : OUTLASTS,
    'setseed($1)',
    ...limitsOf(use, false),
  ];
  return [
    { text: 'DISCARD ALL' },
    CATALOG_ONLY,
    { text: `SELECT ${columns.join(', ')}`, values: [String(randomSeed())] },
  ];
}

/** What limits a session for reads beyond being read-only; in the syntax of a list of columns. */
function limitsOf({ mode }: SessionUse, local: boolean, when = 'true'): string[] {
  if (mode !== 'read') return [];
  const limit = (name: string, unlimited: string, value: string, also = when) =>
    `CASE WHEN ${also} AND pg_catalog.current_setting('${name}', true) OPERATOR(pg_catalog.=) '${unlimited}' ` +
    `THEN pg_catalog.set_config('${name}', '${value}', ${local}) END`;
  const superuser = `${when} AND pg_catalog.current_setting('is_superuser') OPERATOR(pg_catalog.=) 'on'`;
  return [
    ...TIMEOUTS.map((name) => limit(name, '0', String(ABANDONED_MS))),
    limit('event_triggers', 'on', 'off', superuser),
  ];
}

/** Between -1 and 1, as `setseed` takes it. */
function randomSeed(): number {
  return randomBytes(6).readUIntBE(0, 6) / 2 ** 47 - 1;
}
