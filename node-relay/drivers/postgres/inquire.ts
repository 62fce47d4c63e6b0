/** Asks on a connection what a statement calls, leaving nothing there. */
import { DatabaseError } from 'pg';
import type { Statement } from '../../../kinds/postgres/dialect/ask.ts';
import type { Inquirer } from '../../../kinds/postgres/dialect/inquirer.ts';
import type { Question } from '../../../kinds/postgres/dialect/question.ts';
import { LOOK_UP_SETTINGS } from '../../../kinds/postgres/dialect/reach.ts';
import type { Connection } from './connection.ts';
import { parameterQuestion, statementMessages } from './messages.ts';
import { OwnRows } from './own-rows.ts';

const CONFORMING: Statement = {
  text: "SELECT pg_catalog.set_config('standard_conforming_strings', 'on', true)",
};

/** What undoes statements, outside or inside a transaction that is open. */
interface Undoing {
  readonly before: readonly Statement[];
  readonly after: readonly Statement[];
}

const SAVED: Undoing = {
  before: [{ text: 'SAVEPOINT causeway_read' }],
  after: [
    { text: 'ROLLBACK TO SAVEPOINT causeway_read' },
    { text: 'RELEASE SAVEPOINT causeway_read' },
  ],
};

/** What a savepoint sets ends with it. Source: PostgreSQL manual, "SET TRANSACTION". */
const SAVED_READ_ONLY: Undoing = {
  before: [
    ...SAVED.before,
    { text: "SELECT pg_catalog.set_config('transaction_read_only', 'on', true)" },
  ],
  after: SAVED.after,
};

/** Statements to send around others so that none of them stays. */
export function undoing({ wire }: Connection, access: 'READ ONLY' | 'READ WRITE'): Undoing {
  if (!wire.idle) return access === 'READ ONLY' ? SAVED_READ_ONLY : SAVED;
  return { before: [{ text: `BEGIN ${access}` }], after: [{ text: 'ROLLBACK' }] };
}

/** Asks on this connection. */
export function inquirerOn(connection: Connection): Inquirer {
  return {
    pristine: !connection.altered,
    lookUp: (statement) => lookUp(connection, statement),
    parameterTypes: (statement) => parameterTypes(connection, statement),
    ask: (question) => ask(connection, question),
  };
}

/** Asks on connections that `on` lends, each question on one that nothing was set on. */
export function inquirerBeside(
  on: <Value>(work: (connection: Connection) => Promise<Value>) => Promise<Value>,
): Inquirer {
  return {
    pristine: true,
    lookUp: (statement) => on((connection) => lookUp(connection, statement)),
    parameterTypes: (statement) => on((connection) => parameterTypes(connection, statement)),
    ask: (question) => on((connection) => ask(connection, question)),
  };
}

async function lookUp(connection: Connection, statement: Statement) {
  const around = connection.wire.idle ? NOTHING : SAVED;
  const before = [...around.before, ...connection.preamble, LOOK_UP_SETTINGS];
  const own = new OwnRows();
  await connection.wire.exchange({
    bytes: statementMessages([...before, statement, ...around.after], 'sync'),
    until: 'ready',
    main: before.length,
    sink: own,
  });
  return own.rows;
}

const NOTHING: Undoing = { before: [], after: [] };

/** The types that the server gives a statement's parameters. @throws DatabaseError as the statement itself gives */
export async function parameterTypes(
  { wire, preamble }: Connection,
  statement: Statement,
): Promise<readonly number[]> {
  const before = wire.idle ? [CONFORMING, ...preamble] : preamble;
  let oids: readonly number[] = [];
  await wire.exchange({
    bytes: Buffer.concat([statementMessages(before, 'flush'), parameterQuestion(statement)]),
    until: 'ready',
    runs: false,
    sink: { parameters: (found) => (oids = found) },
  });
  return oids;
}

async function ask(connection: Connection, { statements }: Question) {
  const { wire, settings } = connection;
  const begun = !wire.idle;
  const { before, after } = undoing(connection, 'READ WRITE');
  const ahead = [...before, ...settings, ...statements];
  const own = new OwnRows();
  try {
    await wire.exchange({
      bytes: statementMessages([...ahead, ...after], 'sync'),
      until: 'ready',
      main: ahead.length - 1,
      sink: own,
    });
    return own.rows;
  } catch (error) {
    if (!(error instanceof DatabaseError) || wire.lost) throw error;
    for (const statement of begun || !wire.idle ? after : []) await connection.rows(statement);
    return undefined;
  }
}
