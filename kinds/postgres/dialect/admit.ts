/** Looks at a request's statement before it is sent: may it be run here, and as what. Contract §6. */

import type { Mode } from '../../../proto/driver.ts';
import { badRequest, GatewayError, refusedByBackend } from '../../../proto/errors.ts';
import { refusedAt } from '../../refusals.ts';
import type { PostgresRequest } from '../index.ts';
import { postgres as kind } from '../index.ts';
import { checkAnswers } from './count.ts';
import { openingWord } from './opening-word.ts';
import { type Parsed, parseText, type Unparsed } from './statement.ts';

/** Where a statement runs: by itself, as one of a transaction's operations, on a leased connection, or over HTTP, which has neither. */
export type StatementScope = 'call' | 'transaction' | 'lease' | 'http';

/** Statements that only mean something to a later call on the same connection. */
const SESSION_KINDS = new Set([
  'TransactionStmt',
  'DeclareCursorStmt',
  'FetchStmt',
  'ClosePortalStmt',
  'PrepareStmt',
  'ExecuteStmt',
  'DeallocateStmt',
  'ListenStmt',
  'UnlistenStmt',
]);
/** What those begin with. */
const SESSION_WORDS = new Set(
  'abort begin close commit deallocate declare end execute fetch listen move prepare release rollback savepoint start unlisten'.split(
    ' ',
  ),
);
/** What leaves more on a connection than DISCARD ALL removes. */
const UNUSABLE_KINDS = new Set(['DoStmt', 'LoadStmt']);
/** A backup that was begun belongs to the connection until that ends. */
const UNUSABLE_FUNCTIONS = new Set(['pg_backup_start', 'pg_start_backup']);

/** Whether a request is run as a read: on a read connection, or because its type says so. */
export function isRead(request: PostgresRequest, mode: Mode): boolean {
  return mode === 'read' || request.type.endsWith('_read_only');
}

/**
 * Refuses types that write on a read.
 * @throws GatewayError BAD_REQUEST
 */
export function checkType({ type }: PostgresRequest, mode: Mode): void {
  if (mode === 'read' && kind.types[type] !== 'read') {
    throw refusedAt('type', `Requests of type ${type} write; send them to /write`);
  }
}

/**
 * The statement of a request that takes one. Undefined when this parser cannot read it, and it begins with none of the words of sessions; then the server decides.
 * @param looksAt whether what it does is looked at: of reads, and under `config.allow` and `config.session`
 * @throws GatewayError BAD_REQUEST; REQUEST_FAILED with the server's SQLSTATE where it is looked at and cannot be parsed
 */
export function oneStatement(
  { type, query: text }: Pick<RowsRequest, 'type' | 'query'>,
  looksAt: boolean,
  place: StatementScope,
): Parsed | undefined {
  checkText(text);
  const parsed = parseText(text);
  if ('failed' in parsed) {
    // What ends a transaction, or finishes a prepared one, is never sent unseen.
    if (looksAt || SESSION_WORDS.has(openingWord(text))) throw unparsed(parsed.failed);
    return undefined;
  }
  const [statement, ...others] = parsed.statements;
  if (!statement) throw refusedAt('query', 'The query holds no statement');
  if (others.length > 0) {
    throw refusedAt(
      'query',
      'The query holds several statements; send one, or use the type simple',
    );
  }
  checkPlace(statement, place);
  if (statement.copy === 'in' || statement.copy === 'out') {
    throw refusedAt('query', `COPY needs the type copy_${statement.copy}`);
  }
  checkAnswers(type, statement);
  return statement;
}

/**
 * The statements of a request that takes several.
 * @throws GatewayError BAD_REQUEST; REQUEST_FAILED with the server's SQLSTATE
 */
export function severalStatements(text: string, place: StatementScope): readonly Parsed[] {
  checkText(text);
  const parsed = parseText(text);
  if ('failed' in parsed) throw unparsed(parsed.failed);
  for (const statement of parsed.statements) {
    if (statement.kind === 'TransactionStmt') {
      throw refusedAt(
        'query',
        `Transaction control is not taken among several statements; ${NEEDS_SESSION}`,
      );
    }
    if (statement.copy === 'in' || statement.copy === 'out') {
      throw refusedAt('query', `COPY needs the type copy_${statement.copy}`);
    }
    if (place === 'lease') checkPlace(statement, place);
  }
  return parsed.statements;
}

/**
 * The COPY of a request of type `copy_in` or `copy_out`.
 * @throws GatewayError BAD_REQUEST; REQUEST_FAILED with the server's SQLSTATE
 */
export function copyStatement(text: string, direction: 'in' | 'out'): Parsed {
  checkText(text);
  const parsed = parseText(text);
  if ('failed' in parsed) throw unparsed(parsed.failed);
  const [statement, ...others] = parsed.statements;
  if (others.length > 0 || statement?.copy !== direction) {
    const wanted = direction === 'in' ? 'COPY … FROM STDIN' : 'COPY … TO STDOUT';
    throw refusedAt(
      'query',
      `The type copy_${direction} takes one ${wanted}, in text or CSV format and in UTF8`,
    );
  }
  return statement;
}

/** Whether a statement leaves what no reset removes. */
export function makesUnusable({ kind, references }: Parsed): boolean {
  return (
    UNUSABLE_KINDS.has(kind) ||
    references.functions.some(({ name }) => UNUSABLE_FUNCTIONS.has(name))
  );
}

const NEEDS_RELAY = 'set config.transport to "relay" to have one';
const NEEDS_SESSION = 'it needs a session: POST /endpoints/{endpoint}/sessions';

function checkPlace({ kind: name, text }: Parsed, place: StatementScope): void {
  if (name === 'TransactionStmt' && /\bprepared\b|^\s*prepare\b/i.test(text)) {
    throw refusedAt('query', 'Two-phase commit is not for requests; use POST /transactions');
  }
  if (place === 'lease' || !SESSION_KINDS.has(name)) return;
  if (place === 'http') {
    const message = `This statement needs a session: ${NEEDS_RELAY}`;
    throw new GatewayError('NOT_SUPPORTED', message);
  }
  if (place === 'call')
    throw refusedAt('query', `This statement has no effect by itself; ${NEEDS_SESSION}`);
  if (name === 'TransactionStmt') {
    throw refusedAt('query', 'The transaction begins and ends by itself; its operations may not');
  }
}

/** A NUL ends the text for the server, and a lone surrogate has no UTF-8: both would run other text than was checked. */
function checkText(text: string): void {
  if (text.includes('\0') || !text.isWellFormed()) {
    throw refusedAt('query', 'The query holds a NUL or half of a surrogate pair');
  }
}

function unparsed({ message, sqlstate, position }: Unparsed): GatewayError {
  return refusedByBackend('REQUEST_FAILED', {
    source: 'postgres',
    code: sqlstate,
    message,
    ...(position === undefined ? {} : { position }),
  });
}

/** Requests of one statement with rows. */
export type RowsRequest = Extract<PostgresRequest, { params?: unknown }>;

/** A request as an operation of a transaction. @throws GatewayError BAD_REQUEST for types that cannot be one */
export function operationFrom(request: PostgresRequest): RowsRequest {
  checkType(request, 'write');
  switch (request.type) {
    case 'simple':
    case 'simple_read_only':
    case 'batch_execute':
    case 'copy_in':
    case 'copy_out': {
      const message = `Requests of type ${request.type} cannot be part of a transaction`;
      throw badRequest('type', message, message);
    }
    default:
      oneStatement(request, isRead(request, 'write'), 'transaction');
      return request;
  }
}
