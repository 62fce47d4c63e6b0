/** Decides what `/read` takes, and what no caller may run. Contract §6. */
import { refusedByRule } from '../../../kinds/refusals.ts';

import { badRequest } from '../../../proto/errors.ts';
import { LruMap } from '../../../proto/lru-map.ts';
import { tokensOf } from './lexer.ts';

/** What a statement is. */
interface Statement {
  /** Its first word in capitals; empty where it begins with none. */
  readonly kind: string;
  /** Whether something is after a semicolon. */
  readonly isSeveral: boolean;
  readonly isReadable: boolean;
  /** Whether it has a LIMIT, or perhaps: the word is somewhere. */
  readonly isLimited: boolean;
}

const REMEMBERED = 2_000;
/** Longer statements are read again each time. */
const TEXT_MAX = 10_000;
const known = new LruMap<string, Statement>(REMEMBERED);
const CHANGES = new Set(['INSERT', 'UPDATE', 'DELETE']);

/** Reads a statement as far as the guard needs; it is remembered by its text. */
export function statementOf(query: string): Statement {
  const before = known.get(query);
  if (before) return before;
  const tokens = tokensOf(query);
  const end = tokens?.findIndex(({ kind, text }) => kind === 'mark' && text === ';') ?? -1;
  const first = tokens?.[0];
  const statement = {
    kind: first?.kind === 'word' ? first.text.toUpperCase() : '',
    isSeveral: end >= 0 && (tokens ?? []).slice(end).some(({ text }) => text !== ';'),
    isReadable: tokens !== undefined,
    isLimited: (tokens ?? []).some(({ text }) => text.toUpperCase() === 'LIMIT'),
  };
  if (query.length <= TEXT_MAX) known.set(query, statement);
  return statement;
}

/**
 * Lets a statement pass that may run alone.
 * @throws GatewayError BAD_REQUEST naming the rule
 */
export function admit(query: string, read: boolean): Statement {
  demandUnicode(query);
  const statement = statementOf(query);
  const { kind, isSeveral, isReadable } = statement;
  if (!isReadable)
    throw refusedByRule('unreadable', 'A quote or comment of the statement does not end');
  if (kind === 'USE') {
    throw refusedByRule(
      'session_statement',
      'USE is not taken: write keyspace.table, or name the keyspace in the connection',
    );
  }
  if (isSeveral && kind !== 'BEGIN') {
    throw refusedByRule(
      'several_statements',
      'One statement is taken; send several with type batch',
    );
  }
  if (read && kind !== 'SELECT') {
    throw refusedByRule(
      'read_statement',
      `${kind || 'This statement'} is not taken on /read, only SELECT; send it to /write`,
    );
  }
  return statement;
}

/**
 * Lets a statement of a batch or transaction pass: INSERT, UPDATE or DELETE. Contract §6.
 * @throws GatewayError BAD_REQUEST naming the rule
 */
export function admitChange(query: string): void {
  demandUnicode(query);
  const { kind, isSeveral, isReadable } = statementOf(query);
  if (!isReadable)
    throw refusedByRule('unreadable', 'A quote or comment of the statement does not end');
  if (isSeveral) throw refusedByRule('several_statements', 'Each entry holds one statement');
  if (CHANGES.has(kind)) return;
  throw refusedByRule(
    'batch_statement',
    `${kind || 'This statement'} is not taken in a batch, only INSERT, UPDATE and DELETE`,
  );
}

/** UTF-8 has no half of a pair: another text would run than was sent. */
function demandUnicode(query: string): void {
  if (!query.isWellFormed()) throw badRequest('query', 'holds half of a surrogate pair');
}
