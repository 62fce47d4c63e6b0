/** Looks at a request's statement before it is sent: may it be run here, and as what. Contract §6. */

import type { Mode } from '../../../proto/driver.ts';
import { GatewayError, refusedByBackend } from '../../../proto/errors.ts';
import { refusedAt } from '../../refusals.ts';
import type { MysqlRequest } from '../index.ts';
import { mysql as kind } from '../index.ts';
import { namesOne } from './commits.ts';
import { checkSet } from './fixed-settings.ts';
import { type Parsed, parseText } from './statement.ts';

/** Where a statement runs: by itself, as one of a transaction's operations, on a leased connection, or over HTTP, which has neither. */
export type StatementScope = 'call' | 'transaction' | 'lease' | 'http';

/** Statements that begin, end or part transactions. */
const TRANSACTION = new Set(['BEGIN', 'START', 'COMMIT', 'ROLLBACK', 'SAVEPOINT', 'RELEASE']);
/** Statements that only mean something to a later call on the same connection. */
const SESSION = new Set(['LOCK', 'UNLOCK', 'PREPARE', 'EXECUTE', 'DEALLOCATE', 'HANDLER', 'USE']);
const NEEDS_SESSION = 'it needs a session: POST /endpoints/{endpoint}/sessions';

/** Whether a request is run as a read: on a read connection, or because its type says so. */
export function isRead(request: MysqlRequest, mode: Mode): boolean {
  return mode === 'read' || request.type.endsWith('_read_only');
}

/**
 * Refuses types that write on a read.
 * @throws GatewayError BAD_REQUEST
 */
export function checkType({ type }: MysqlRequest, mode: Mode): void {
  if (mode === 'read' && kind.types[type] !== 'read') {
    throw refusedAt('type', `Requests of type ${type} write; send them to /write`);
  }
}

/**
 * The statement of a request that takes one.
 * @throws GatewayError BAD_REQUEST; REQUEST_FAILED with 1064 for a text that ends within a string
 */
export function oneStatement(text: string, named: boolean, place: StatementScope): Parsed {
  const [statement, ...others] = parsed(text, named);
  if (!statement) throw refusedAt('query', 'The query holds no statement');
  // A stored program's body has semicolons of its own; the protocol takes one statement only.
  const program = statement.first === 'CREATE' || statement.first === 'BEGIN';
  checkTold(statement);
  if (others.length > 0) {
    if (!program || place === 'transaction') {
      throw refusedAt(
        'query',
        'The query holds several statements; send one, or use the type simple',
      );
    }
    return { ...statement, text: text.trim().replace(/;\s*$/, ''), plain: false };
  }
  checkPlace(statement, place);
  return statement;
}

/**
 * The statements of a request that takes several.
 * @throws GatewayError BAD_REQUEST; REQUEST_FAILED with 1064
 */
export function severalStatements(text: string, place: StatementScope): readonly Parsed[] {
  const statements = parsed(text, false);
  for (const statement of statements) {
    if (statement.tokens.some(({ sort }) => sort === 'versioned')) {
      // What is in it could be the end of a statement.
      throw refusedAt('query', 'A comment with a version is not taken among several statements');
    }
    if (controlsTransaction(statement)) {
      throw refusedAt(
        'query',
        `Transaction control is not taken among several statements; ${NEEDS_SESSION}`,
      );
    }
    checkPlace(statement, place);
  }
  return statements;
}

function parsed(text: string, named: boolean): readonly Parsed[] {
  // Half of a surrogate pair has no UTF-8: other text would run than was checked.
  if (text.includes('\0') || !text.isWellFormed()) {
    throw refusedAt('query', 'The query holds a NUL or half of a surrogate pair');
  }
  const result = parseText(text, named);
  if ('statements' in result) return result.statements;
  throw refusedByBackend('REQUEST_FAILED', {
    source: 'mysql',
    code: '1064',
    message: result.unclosed,
  });
}

/** `START SLAVE` and `BEGIN NOT ATOMIC` are something else. */
function controlsTransaction({ first, second }: Parsed): boolean {
  if (first === 'START') return second === 'TRANSACTION';
  if (first === 'RELEASE') return second === 'SAVEPOINT' || second === '';
  return TRANSACTION.has(first) && !(first === 'BEGIN' && second === 'NOT');
}

/** Of a statement whose first word is not known nothing is known. */
function checkTold({ untold }: Parsed): void {
  if (untold !== undefined) throw refusedAt('query', `${untold} is not taken`);
}

function checkPlace(statement: Parsed, place: StatementScope): void {
  checkTold(statement);
  const { first } = statement;
  if (first === 'XA') {
    throw refusedAt('query', 'Two-phase commit is not for requests; use POST /transactions');
  }
  if (first === 'LOAD' && statement.tokens.some(({ text }) => text === 'LOCAL')) {
    throw refusedAt('query', 'LOAD DATA LOCAL reads files of the relay and is not taken');
  }
  checkSet(statement);
  if (place === 'lease') return;
  if (place === 'transaction') checkOperation(statement);
  const needsSession = controlsTransaction(statement) || SESSION.has(first);
  if (needsSession && place === 'http') {
    const message = 'This statement needs a session: set config.transport to "relay" to have one';
    throw new GatewayError('NOT_SUPPORTED', message);
  }
  if (needsSession) {
    throw refusedAt('query', `This statement has no effect by itself; ${NEEDS_SESSION}`);
  }
}

/** Of an operation, whose transaction begins and ends by itself. */
function checkOperation(statement: Parsed): void {
  const { first, second } = statement;
  if (controlsTransaction(statement) || first === 'USE') {
    throw refusedAt('query', 'The transaction begins and ends by itself; its operations may not');
  }
  if (mayCommit(statement)) {
    const name = [first, second].filter(Boolean).join(' ');
    throw refusedAt(
      'query',
      `${name} commits what came before it and is not taken in a transaction`,
    );
  }
  if (setsTransactions(statement)) {
    throw refusedAt('query', 'The transaction keeps its level; its operations do not change that');
  }
}

/** What a procedure or a versioned comment does cannot be seen; the server says afterwards that the transaction has ended. */
function mayCommit({ commits, tokens }: Parsed): boolean {
  return commits || tokens.some(({ sort }) => sort === 'versioned');
}

const OF_TRANSACTIONS = [
  'TRANSACTION',
  'TX_ISOLATION',
  'TRANSACTION_ISOLATION',
  'TX_READ_ONLY',
  'TRANSACTION_READ_ONLY',
  'COMPLETION_TYPE',
];

/** Whether it sets what transactions that follow are, or how one ends. */
function setsTransactions({ first, runs }: Parsed): boolean {
  return first === 'SET' && namesOne(runs, OF_TRANSACTIONS);
}
