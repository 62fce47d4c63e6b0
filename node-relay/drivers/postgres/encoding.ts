/** In which encoding texts travel: a caller's statement may change it, and then says other texts than were meant. */
import { isAscii } from 'node:buffer';
import type { Statement } from '../../../kinds/postgres/dialect/ask.ts';
import { isUtf8Name } from '../../../kinds/postgres/dialect/encoding-name.ts';
import { openingWord } from '../../../kinds/postgres/dialect/opening-word.ts';
import type { Parsed } from '../../../kinds/postgres/dialect/statement.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import type { Execution } from './execute.ts';
import { OwnRows } from './own-rows.ts';

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

/** Asks right behind a statement, in its message: what undoes the statement undoes the setting, too. */
export class EncodingQuestion {
  readonly statement = ENCODING;
  readonly sink = new OwnRows();

  /** Whether the statement's texts were told in UTF-8, once it is answered. */
  get isUtf8(): boolean {
    const [[encoding] = []] = this.sink.rows;
    return isUtf8Name(encoding ?? '');
  }
}

/** A result, and what is known of how it was told. */
interface Told {
  readonly whole: Buffer;
  readonly read: boolean;
  readonly question: EncodingQuestion | undefined;
}

/** Refuses the result of a statement that has changed what texts are told in: ASCII alone is the same in all. @throws GatewayError BAD_REQUEST; `applied` of a change that is kept */
export function demandTold(
  { connection, place }: Pick<Execution, 'connection' | 'place'>,
  { whole, read, question }: Told,
): void {
  const isTold = connection.isUtf8 && question?.isUtf8 !== false;
  if (isTold || isAscii(whole)) return;
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

/** Kinds beside the plain ones whose rows can be looked at before their change is kept: none of them commits inside. */
const HELD_KINDS = new Set(['ExplainStmt', 'ExecuteStmt']);
/** Words that begin what answers rows. */
const WITH_ROWS = new Set([
  'call',
  'delete',
  'execute',
  'explain',
  'insert',
  'merge',
  'select',
  'table',
  'update',
  'values',
  'with',
]);

/** Whether a statement's rows may be looked at before its change is kept. */
export function mayBeHeld(parsed: Parsed | undefined): boolean {
  return parsed !== undefined && (parsed.returnsRows || HELD_KINDS.has(parsed.kind));
}

interface Write extends MayBeParsed {
  readonly statement: Statement;
  readonly undone: boolean;
}

/**
 * What to ask behind a write that is not held: of one that is undone, and of one that is kept at once and answers rows.
 * @param commits whether it is kept at once
 */
export function questionBehind(
  database: Database,
  write: Write,
  commits: boolean,
): EncodingQuestion | undefined {
  const { parsed, statement, undone } = write;
  const answers = parsed ? parsed.kind === 'CallStmt' : WITH_ROWS.has(openingWord(statement.text));
  const turns = commits && answers && maySet(database, write);
  return undone || turns ? new EncodingQuestion() : undefined;
}

const UNTOLD =
  'client_encoding must be UTF8: this statement has changed it, so its result cannot be told';
const ENCODING: Statement = { text: "SELECT pg_catalog.current_setting('client_encoding')" };

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
