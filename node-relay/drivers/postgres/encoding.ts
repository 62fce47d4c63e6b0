/** In which encoding texts travel: a caller's statement may change it, and then says other texts than were meant. */
import { isAscii } from 'node:buffer';
import { openingWord } from '../../../kinds/postgres/dialect/opening-word.ts';
import type { Parsed } from '../../../kinds/postgres/dialect/statement.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import type { Execution } from './execute.ts';

/** As PostgreSQL calls it, and what stands before one or speaks like one. */
const UTF8 = /^(?:utf-?8|unicode)$/i;
const ASCII = /^[\0-\x7f]*$/;
/** Words that begin what a session may run in another encoding, which it ends by some of these: they answer no rows. */
const WITHOUT_ROWS = new Set([
  'reset',
  'set',
  'discard',
  'begin',
  'start',
  'rollback',
  'abort',
  'commit',
  'end',
]);

/** Whether a name of an encoding, as servers report it, is that of UTF-8. */
export function isUtf8Name(name: string): boolean {
  return UTF8.test(name);
}

/** Refuses what an earlier statement of a transaction or session would spoil. @throws GatewayError BAD_REQUEST */
export function demandEncoding(
  { connection, place }: Pick<Execution, 'connection' | 'place'>,
  text: string,
): void {
  const isApart = place !== 'transaction' && place !== 'lease';
  if (isApart || (place === 'lease' && leadsBack(text))) return;
  demandUtf8(connection);
}

/** Other texts than ASCII would be another value of a setting, or another name. */
function leadsBack(text: string): boolean {
  return ASCII.test(text) && WITHOUT_ROWS.has(openingWord(text));
}

/** Refuses what an earlier statement would spoil. @throws GatewayError BAD_REQUEST */
export function demandUtf8({ isUtf8 }: Connection): void {
  if (isUtf8) return;
  const message = 'client_encoding must be UTF8: a statement before this one has changed it';
  throw new GatewayError('BAD_REQUEST', message);
}

/** Refuses the result of a statement that has changed what texts are told in: ASCII alone is the same in all. @throws GatewayError BAD_REQUEST; `applied` of a change that is kept */
export function demandTold(
  { connection, place }: Pick<Execution, 'connection' | 'place'>,
  read: boolean,
  whole: Buffer,
): void {
  if (connection.isUtf8 || isAscii(whole)) return;
  const message = UNTOLD;
  const isKept = !read && place !== 'transaction' && !connection.wire.inTransaction;
  const applied = { source: 'postgres', code: 'BAD_REQUEST', message, applied: true } as const;
  throw new GatewayError('BAD_REQUEST', message, { details: isKept ? [applied] : [] });
}

/** Whether a statement may change settings. */
export function maySet({ guard }: Database, { parsed, given }: MayBeParsed): boolean {
  return !parsed || guard.leavesTraces(parsed, given) !== false;
}

interface MayBeParsed {
  readonly parsed: Parsed | undefined;
  /** Types that the request names for its parameters. */
  readonly given?: readonly number[] | undefined;
}

const UNTOLD =
  'client_encoding must be UTF8: this statement has changed it, so its result cannot be told';
const ENCODING = { text: "SELECT pg_catalog.current_setting('client_encoding')" };

/**
 * As `demandTold`, while the change may still be undone: the server reports a setting when all has ended, and one of the
 * transaction alone is back by then.
 * @param whole the result; left out where it has been told in part
 * @throws GatewayError BAD_REQUEST
 */
export async function demandTellable(connection: Connection, whole?: Buffer): Promise<void> {
  if (whole !== undefined && isAscii(whole)) return;
  const [[encoding] = []] = await connection.rows(ENCODING, true);
  if (!isUtf8Name(encoding ?? '')) throw new GatewayError('BAD_REQUEST', UNTOLD);
}
