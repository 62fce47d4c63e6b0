/** What stands behind SET STATEMENT … FOR is looked at as it is by itself. */
import { expect, test } from 'vitest';
import { GatewayError } from '../../../proto/errors.ts';
import { oneStatement, type StatementScope, severalStatements } from './admit.ts';

const PREFIXES = [
  '',
  'SET STATEMENT max_statement_time=10 FOR ',
  'SET STATEMENT max_statement_time=(10) FOR ',
  'set statement max_statement_time=(1+(2)), sort_buffer_size=DEFAULT for (',
  "SET STATEMENT max_statement_time=CHAR_LENGTH(SUBSTRING('abc' FROM 1 FOR 2)) FOR ",
  'SET STATEMENT max_statement_time=NEXT VALUE FOR s FOR ',
  'SET STATEMENT max_statement_time=10 FOR SET STATEMENT max_statement_time=11 FOR ',
];

function isTaken(query: string, place: StatementScope): boolean {
  try {
    oneStatement(query, false, place);
    return true;
  } catch (error) {
    if (error instanceof GatewayError) return false;
    throw error;
  }
}

const CONTROL = ['COMMIT AND CHAIN', 'ROLLBACK AND CHAIN', 'BEGIN', 'START TRANSACTION'];
const OF_SESSIONS = [
  ...['LOCK TABLES t WRITE', 'UNLOCK TABLES', "PREPARE x FROM 'COMMIT'", 'EXECUTE x'],
  ...["EXECUTE IMMEDIATE 'COMMIT AND CHAIN'", 'HANDLER t OPEN', 'USE other'],
];
const NOWHERE = [
  ...["XA START 'x'", "XA END 'x'", "XA COMMIT 'x' ONE PHASE", 'XA RECOVER'],
  ...["LOAD DATA LOCAL INFILE '/x' INTO TABLE t", 'SET NAMES gbk', "SET time_zone='+01:00'"],
  'SET @@session.`character_set_client`=gbk',
  "SET @@global.time_zone='+00:00', SESSION character_set_client=gbk",
  'SET GLOBAL sort_buffer_size=100000, NAMES gbk',
  "SET GLOBAL sort_buffer_size=100000, time_zone='+01:00'",
];
/** Refused as operations of transactions only. */
const COMMITTING = [
  ...['FLUSH TABLES', 'CREATE TABLE x (a int)', 'BACKUP STAGE START', 'BACKUP LOCK t'],
  ...['CREATE TEMPORARY SEQUENCE x', 'SET DEFAULT ROLE NONE', 'BEGIN NOT ATOMIC END'],
  ...['SET @@autocommit=0, @@autocommit=1', 'SET @@session.`autocommit`=1', 'SET `autocommit`=1'],
  ...['SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED', "SET @@completion_type='CHAIN'"],
  "SET @@session.tx_isolation='READ-UNCOMMITTED'",
];
const FREE = ['INSERT INTO t VALUES (1)', 'CALL p()', 'SET @autocommit=1', "SET @a='autocommit'"];

test.each(PREFIXES)('behind %j a statement is taken where it is by itself', (prefix) => {
  const taken = (queries: readonly string[], place: StatementScope) =>
    queries.filter((query) => isTaken(prefix + query, place));
  for (const place of ['call', 'transaction', 'lease', 'http'] as const) {
    expect(taken(NOWHERE, place)).toEqual([]);
    expect(taken(FREE, place)).toEqual(FREE);
    const isIn = place === 'lease' ? [...CONTROL, ...OF_SESSIONS] : [];
    expect(taken([...CONTROL, ...OF_SESSIONS], place)).toEqual(isIn);
  }
  expect(taken(COMMITTING, 'transaction')).toEqual([]);
  expect(taken(COMMITTING, 'call')).toEqual(COMMITTING);
});

test.each(PREFIXES)('behind %j several statements hold no transaction control', (prefix) => {
  for (const query of [...CONTROL, "XA START 'x'"]) {
    expect(() => severalStatements(`SELECT 1; ${prefix}${query}`, 'call')).toThrow(GatewayError);
  }
});

test.each([
  'SET STATEMENT max_statement_time=10',
  'SET STATEMENT max_statement_time=10) FOR COMMIT',
  'SET STATEMENT max_statement_time=10 /*! FOR COMMIT */ FOR SELECT 1',
  "SET STATEMENT max_statement_time=10 FOR /*! XA START 'x' */",
  "SET STATEMENT time_zone='+01:00' FOR SELECT 1",
  'SET STATEMENT max_statement_time=10 FOR',
  'SET STATEMENT max_statement_time=10 FOR `t`',
  "/*!50000 XA START 'x' */",
  '/*M!100000 COMMIT AND CHAIN */',
])('what cannot be told is taken nowhere: %s', (query) => {
  for (const place of ['call', 'transaction', 'lease', 'http'] as const) {
    expect(isTaken(query, place)).toBe(false);
  }
});

test('a global setting is changed, and a variable of a name that is kept', () => {
  expect(isTaken("SET GLOBAL time_zone='+01:00'", 'call')).toBe(true);
  expect(isTaken("SET @@global.time_zone='+01:00', SESSION sort_buffer_size=1", 'call')).toBe(true);
});
