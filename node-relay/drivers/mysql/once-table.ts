/** The table that marks of writes are kept in. Spec: transactions.md §7. */
import { ServerError } from '../../../kinds/mysql/dialect/failures.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { ONCE_KEPT_MS, type OnceMark } from '../../../proto/once.ts';
import type { KeptReply } from '../kept-reply.ts';
import { lacksPlace, PURGE_STEP } from '../once.ts';
import type { Connection } from './connection.ts';

/** Marks that were made before no longer hold. */
const OLDEST = `UTC_TIMESTAMP(6) - INTERVAL ${ONCE_KEPT_MS / 1000} SECOND`;
const NO_SUCH_TABLE = 1146;
/** What is said of a table that is not there, not as it should be, or not for this credential. */
const ABOUT_TABLE = new Set([
  ...[1044, 1046, 1049, 1054, 1142, 1143, NO_SUCH_TABLE, 1348, 1356, 1364, 1406, 1471],
]);
const DUPLICATE = 1062;

/** Its engine, whether that has transactions, and how many keys are of `id` alone. */
const ABOUT = `SELECT t.TABLE_NAME, COALESCE(t.ENGINE, ''), COALESCE(e.TRANSACTIONS, ''),
  CAST((SELECT COUNT(*) FROM information_schema.STATISTICS s
    WHERE s.TABLE_SCHEMA = t.TABLE_SCHEMA AND s.TABLE_NAME = t.TABLE_NAME AND s.NON_UNIQUE = 0
    AND s.COLUMN_NAME = 'id' AND s.SEQ_IN_INDEX = 1 AND s.SUB_PART IS NULL AND NOT EXISTS
    (SELECT 1 FROM information_schema.STATISTICS o WHERE o.TABLE_SCHEMA = s.TABLE_SCHEMA
      AND o.TABLE_NAME = s.TABLE_NAME AND o.INDEX_NAME = s.INDEX_NAME AND o.SEQ_IN_INDEX > 1)) AS CHAR)
  FROM information_schema.TABLES t LEFT JOIN information_schema.ENGINES e ON e.ENGINE = t.ENGINE
  WHERE t.TABLE_NAME = ? AND t.TABLE_SCHEMA = `;

/** Finds the table, or makes it, and looks whether it can keep marks. @throws GatewayError BAD_REQUEST with the statement that makes it */
export async function openTable(connection: Connection, place: string): Promise<void> {
  try {
    await connection.query(`SELECT id, body, reply, made_at FROM ${quoted(place)} LIMIT 0`);
  } catch (cause) {
    if (!isAbout(cause)) throw cause;
    if (cause.errno !== NO_SUCH_TABLE) throw lacks(place, cause);
    await connection.query(making(place)).catch((refused: unknown) => {
      throw refused instanceof ServerError ? lacks(place, refused) : refused;
    });
  }
  const why = await whyUnfit(connection, place);
  if (why !== undefined) throw lacksPlace(`table ${place}`, why, making(place));
}

/** Whether the failure of a mark says that there is no table. */
export function isMissing(error: unknown): boolean {
  return (
    error instanceof GatewayError &&
    error.cause instanceof ServerError &&
    error.cause.errno === NO_SUCH_TABLE
  );
}

/** Why it cannot keep marks with what they are of; what the credential may not see is taken to be fit. */
async function whyUnfit(connection: Connection, place: string): Promise<string | undefined> {
  const [name = '', schema] = place.split('.').toReversed();
  const rows = await (schema === undefined
    ? connection.rows(`${ABOUT}DATABASE()`, [name])
    : connection.rows(`${ABOUT}?`, [name, schema]));
  // Names may differ in their case alone.
  const [, engine, transactions, keys] = rows.find(([found]) => found === name) ?? rows[0] ?? [];
  if (engine === undefined) return undefined;
  if (engine === '') return 'it is no table';
  if (transactions !== 'YES') return `it has the engine ${engine}, which has no transactions`;
  return keys === '0' ? 'it has no primary key of id' : undefined;
}

/** Keeps a mark without a reply; false where it is there. @throws GatewayError BAD_REQUEST */
export async function keepMark(connection: Connection, mark: OnceMark): Promise<boolean> {
  const { key, body, place } = mark;
  try {
    await connection.query(
      `INSERT INTO ${quoted(place)} (id, body, made_at) VALUES ('${key}', '${body}', UTC_TIMESTAMP(6))`,
    );
    return true;
  } catch (cause) {
    if (cause instanceof ServerError && cause.errno === DUPLICATE) return false;
    throw isAbout(cause) ? lacks(place, cause) : cause;
  }
}

/** What is kept; undefined where it is gone, or was too old. */
export async function keptMark(
  connection: Connection,
  { key, place }: OnceMark,
): Promise<KeptReply | undefined> {
  const [row] = await connection.rows(
    `SELECT body, HEX(reply), CAST(made_at < ${OLDEST} AS CHAR) FROM ${quoted(place)} WHERE id = ?`,
    [key],
  );
  const [body, reply = '', isOld] = row ?? [];
  if (body === undefined) return undefined;
  if (isOld === '1') {
    await connection.query(
      `DELETE FROM ${quoted(place)} WHERE id = '${key}' AND made_at < ${OLDEST}`,
    );
    return undefined;
  }
  return { body, reply: reply === '' ? null : Buffer.from(reply, 'hex') };
}

/** Keeps the reply of a mark. */
export async function keepReply(
  connection: Connection,
  { key, place }: OnceMark,
  reply: Uint8Array,
): Promise<void> {
  const hex = Buffer.from(reply.buffer, reply.byteOffset, reply.byteLength).toString('hex');
  const text = `UPDATE ${quoted(place)} SET reply = x'${hex}' WHERE id = '${key}'`;
  await connection.query(text).catch((cause: unknown) => {
    throw isAbout(cause) ? lacks(place, cause) : cause;
  });
}

/** Removes some old marks; answers how many. */
export async function purgeMarks(connection: Connection, place: string): Promise<number> {
  const { affected } = await connection.query(
    `DELETE FROM ${quoted(place)} WHERE made_at < ${OLDEST} ORDER BY made_at LIMIT ${PURGE_STEP}`,
  );
  return Number(affected);
}

function isAbout(error: unknown): error is ServerError {
  return error instanceof ServerError && ABOUT_TABLE.has(error.errno);
}

function lacks(place: string, cause: ServerError): GatewayError {
  const refusal = lacksPlace(
    `table ${place}`,
    `the database says: ${cause.message}`,
    making(place),
  );
  return new GatewayError(refusal.code, refusal.message, { cause, details: refusal.details });
}

function making(place: string): string {
  return `CREATE TABLE IF NOT EXISTS ${quoted(place)} (id CHAR(64) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY, body CHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, reply MEDIUMBLOB, made_at DATETIME(6) NOT NULL, KEY (made_at)) ENGINE=InnoDB`;
}

function quoted(place: string): string {
  return place
    .split('.')
    .map((part) => `\`${part.replaceAll('`', '``')}\``)
    .join('.');
}
