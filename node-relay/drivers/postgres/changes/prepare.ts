/** Makes a server keep changes for an endpoint, reports how much it keeps, and ends that. Source: PostgreSQL manual, "Logical Decoding". */
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import { notAllowed } from '../../../../kinds/allow.ts';
import type { ChangesLag, PreparedChanges } from '../../../../proto/changes.ts';
import { type ErrorDetails, GatewayError } from '../../../../proto/errors.ts';
import { lacking, serverLacks } from '../../change-batch.ts';
import type { Connection } from '../connection.ts';
import { lsnOf, markOf } from './position.ts';
import { publish, unpublish } from './publications.ts';
import type { LookedUp, OwnChangesRequest } from './tables.ts';

/** How often it is looked whether others have ended, in milliseconds. */
const LOOK_MS = 100;
/** Looks after which a slot's reader is ended by the server. */
const LOOKS_MAX = 50;
/** Publications by way of a partition's root begin with it. */
const VERSION_MIN = 130_000;

/** One row: version, level of the log, whether this is a standby, whether publications may be made, and of the slot: whether it is there and whole. */
const SERVER = `SELECT current_setting('server_version_num'), current_setting('wal_level'), pg_is_in_recovery(),
  has_database_privilege(current_database(), 'CREATE'), quote_ident(current_user), quote_ident(current_database())`;

/** The slot, where it is there: its reader's process, whether the log that it needs is there, and how much that is. */
const SLOT = `SELECT s.active_pid, coalesce(s.wal_status, 'reserved') = 'lost' OR s.restart_lsn IS NULL,
  greatest(0, CASE WHEN pg_is_in_recovery() THEN 0 ELSE pg_wal_lsn_diff(pg_current_wal_lsn(), s.restart_lsn) END)::int8
  FROM pg_replication_slots s WHERE s.slot_name = $1 AND s.database = current_database()`;

/** Where the log ends: what is written of it, and what will be. A commit that waits for neither is in the second alone. */
const ENDS = 'SELECT pg_current_wal_lsn(), pg_current_wal_insert_lsn()';

/** Transactions other than this one, prepared ones too, that may have written to some tables before now. */
const WRITERS = `SELECT virtualtransaction FROM pg_locks WHERE locktype = 'relation'
  AND relation = ANY ($1::oid[]) AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND mode = 'RowExclusiveLock' AND pid IS DISTINCT FROM pg_backend_pid()`;

/** What is known of a slot. */
interface Slot {
  readonly pid: string | undefined;
  readonly lost: boolean;
  readonly bytes: number;
}

/**
 * Publishes those tables that can be, and makes the slot where all can.
 * @param mayStream logs in for replication, so that no slot is made that nobody could read
 * @throws GatewayError BAD_REQUEST with each thing that is lacking, FORBIDDEN for what `config.allow` does not open
 */
export async function prepare(
  connection: Connection,
  request: OwnChangesRequest,
  mayStream: () => Promise<void>,
): Promise<PreparedChanges> {
  if (connection.pooled) throw serverLacks(BEHIND_POOLER);
  await checkServer(connection);
  const { looked, added } = await publish(connection, request, { only: true }).catch(
    (error: unknown) => {
      throw unpublishable(error);
    },
  );
  const closed = looked.findIndex((each) => 'isClosed' in each);
  if (closed >= 0) {
    throw notAllowed('Table', looked[closed]?.watched.name ?? '', `collections[${closed}]`);
  }
  const faults = looked.flatMap(tableFault);
  if (faults.length > 0) throw lacking(faults);
  await mayStream().catch((error: unknown) => {
    throw unstreamable(error);
  });
  const slot = await slotOf(connection, request.slot);
  if (slot?.lost === true) await dropSlot(connection, request.slot);
  const made =
    slot === undefined || slot.lost ? await makeSlot(connection, request.slot) : undefined;
  // What wrote to them before they were published would not be told, though it may commit after this.
  if (made === undefined) await writersEnded(connection, added);
  const [row = []] = await connection.catalogRows({ text: ENDS });
  const [written, inserted] = row.map((value) => value ?? '');
  // A commit's own place is where its record begins: the next one's is there, or beyond.
  const mark = markOf((lsnOf(inserted ?? '') ?? 0n) - 1n);
  return { position: made ?? written ?? '', mark };
}

/** Drops slot and publications; answers whether there were any. */
export async function drop(connection: Connection, slot: string): Promise<boolean> {
  const hadSlot = await dropSlot(connection, slot);
  const hadPublications = await unpublish(connection, slot);
  return hadSlot || hadPublications;
}

/** How much a slot keeps; not whole where it is not there. */
export async function lag(connection: Connection, name: string): Promise<ChangesLag> {
  const slot = await slotOf(connection, name);
  return slot === undefined || slot.lost
    ? { bytes: 0, whole: false }
    : { bytes: slot.bytes, whole: true };
}

/** Ends who reads a slot, where somebody does. */
export async function endReader(connection: Connection, name: string): Promise<void> {
  const slot = await slotOf(connection, name);
  if (slot?.pid === undefined) return;
  const statement = { text: 'SELECT pg_terminate_backend($1::int4)', values: [slot.pid] };
  await connection.catalogRows(statement);
}

/** What is wrong with tables, as details of a request. */
function tableFault(each: LookedUp, at: number): ErrorDetails[] {
  return 'fault' in each ? [{ path: `collections[${at}]`, message: each.fault }] : [];
}

const BEHIND_POOLER =
  'A pooler in transaction mode stands before the server, and it cannot stream changes: name the host and port of the server itself in write_conn';

async function checkServer(connection: Connection): Promise<void> {
  const [row = []] = await connection.catalogRows({ text: SERVER });
  const [version, level, isStandby, mayCreate, role, database] = row;
  const faults: string[] = [];
  if (Number(version) < VERSION_MIN) {
    faults.push('The server is older than PostgreSQL 13, and cannot tell changes');
  }
  if (isStandby === 't') faults.push('write_conn reaches a standby: name the primary server');
  if (level !== 'logical') {
    faults.push(
      `wal_level of the server is ${level}, and must be logical: ALTER SYSTEM SET wal_level = logical; then restart it (a managed server has a parameter for it, such as rds.logical_replication or cloudsql.logical_decoding)`,
    );
  }
  if (mayCreate !== 't') {
    faults.push(
      `The role of write_conn may not make a publication: GRANT CREATE ON DATABASE ${database} TO ${role};`,
    );
  }
  if (faults.length > 0) throw serverLacks(...faults);
}

async function makeSlot(connection: Connection, slot: string): Promise<string> {
  const make = "SELECT lsn FROM pg_create_logical_replication_slot($1, 'pgoutput')";
  try {
    const [row] = await connection.catalogRows({ text: make, values: [slot] });
    return row?.[0] ?? '';
  } catch (error) {
    throw unstreamable(error);
  }
}

async function slotOf(connection: Connection, name: string): Promise<Slot | undefined> {
  const [row] = await connection.catalogRows({ text: SLOT, values: [name] });
  if (row === undefined) return undefined;
  const [pid, lost, bytes] = row;
  return { pid: pid ?? undefined, lost: lost === 't', bytes: Number(bytes ?? 0) };
}

async function dropSlot(connection: Connection, name: string): Promise<boolean> {
  for (let look = 0; ; look += 1) {
    const slot = await slotOf(connection, name);
    if (slot === undefined) return look > 0;
    try {
      if (slot.pid === undefined) {
        await connection.rows({
          text: 'SELECT pg_catalog.pg_drop_replication_slot($1)',
          values: [name],
        });
        return true;
      }
      await endReader(connection, name);
    } catch (error) {
      // Its reader came back, or it is gone already.
      const isRace =
        error instanceof DatabaseError && ['55006', '42704'].includes(error.code ?? '');
      if (!isRace || look >= LOOKS_MAX) throw error;
    }
    await sleep(LOOK_MS);
  }
}

async function writersEnded(connection: Connection, oids: readonly string[]): Promise<void> {
  if (oids.length === 0) return;
  const statement = { text: WRITERS, values: [`{${oids.join(',')}}`] };
  const now = async () => (await connection.catalogRows(statement)).map(([id]) => id);
  let left = new Set(await now());
  while (left.size > 0) {
    await sleep(LOOK_MS);
    left = left.intersection(new Set(await now()));
  }
}

/** What was refused while publications were made. */
function unpublishable(error: unknown): unknown {
  if (!(error instanceof DatabaseError) || error.code !== '42501') return error;
  const message = `The role of write_conn may not publish its tables: ${error.message}`;
  return serverLacks(message);
}

/** What was refused while somebody logged in for replication, or made a slot. */
function unstreamable(error: unknown): unknown {
  const refused = error instanceof GatewayError ? error.cause : error;
  if (!(refused instanceof DatabaseError)) return error;
  const message = wordsFor(refused);
  return message === undefined ? error : serverLacks(message);
}

function wordsFor({ code, message }: DatabaseError): string | undefined {
  if (code === '42501') {
    return 'The role of write_conn may not replicate: ALTER ROLE … REPLICATION; (on Amazon RDS and Aurora GRANT rds_replication TO …;)';
  }
  if (/max_wal_senders/.test(message)) {
    return 'All senders of the server are in use: raise max_wal_senders, and restart it';
  }
  if (code === '53400' || /max_replication_slots/.test(message)) {
    return 'All replication slots of the server are in use: raise max_replication_slots, and restart it; or drop one that nobody reads';
  }
  if (code === '08P01') return BEHIND_POOLER;
  return undefined;
}
