/** Statements, as guards and lexers take them apart before a server does. */
import { AllowedNames } from '../../../../kinds/allow.ts';
import { longString } from '../../../../kinds/long-values.ts';
import { calledNames, callsOf, tablesOf } from '../../../../kinds/mysql/dialect/calls.ts';
import { tokensOf as mysqlTokens } from '../../../../kinds/mysql/dialect/lexer.ts';
import { namingOf as mysqlNaming } from '../../../../kinds/mysql/dialect/named.ts';
import { parseText as mysqlStatement } from '../../../../kinds/mysql/dialect/statement.ts';
import { asksForTraces, mayLeaveTraces } from '../../../../kinds/mysql/dialect/traces.ts';
import {
  arrayToJson,
  type ElementForm,
  longArray,
  quotedElement,
} from '../../../../kinds/postgres/dialect/array-text.ts';
import { openingWord } from '../../../../kinds/postgres/dialect/opening-word.ts';
import { hasLongRuns } from '../../../../kinds/postgres/dialect/operator-runs.ts';
import { parseWhole as postgresStatement } from '../../../../kinds/postgres/dialect/statement.ts';
import { admit as admitCql } from '../../../../node-relay/drivers/cassandra/guard.ts';
import { tokensOf as cqlTokens } from '../../../../node-relay/drivers/cassandra/lexer.ts';
import { admit as admitClickhouse } from '../../../../node-relay/drivers/clickhouse/guard.ts';
import { tokensOf as clickhouseTokens } from '../../../../node-relay/drivers/clickhouse/lexer.ts';
import { namingOf as clickhouseNaming } from '../../../../node-relay/drivers/clickhouse/named.ts';
import { typeTree } from '../../../../node-relay/drivers/clickhouse/type-tree.ts';
import '../../../../node-relay/drivers/postgres/parser.ts';
import { LongText } from '../../../../proto/long-text.ts';
import { whole } from '../../../../proto/work/pieces.ts';
import { parametersOfText, withTypes } from '../../../../worker/drivers/edge/neon/rewrite.ts';
import { withValues } from '../../../../worker/drivers/edge/planetscale/literal.ts';
import { type Subject, text } from '../subject.ts';

/** What a statement may begin with that a guard lets on. */
const BEGINNINGS = ['', 'select '];

const TEXTS: ElementForm = {
  delimiter: ',',
  encode: (element) => JSON.stringify(element),
  encodeLong: longString,
  keepsIntegers: true,
};

const each = (name: string, files: readonly string[], run: (text: string) => unknown): Subject[] =>
  BEGINNINGS.map((before) => text(`${name} ${before}`.trim(), files, (rest) => run(before + rest)));

export const SQL: readonly Subject[] = [
  ...each(
    'a statement of PostgreSQL',
    [
      'kinds/postgres/dialect/statement.ts',
      'kinds/postgres/dialect/parser.ts',
      'kinds/postgres/dialect/tree.ts',
    ],
    postgresStatement,
  ),
  text(
    'the word that a statement begins with',
    ['kinds/postgres/dialect/opening-word.ts'],
    openingWord,
  ),
  text('runs of operators', ['kinds/postgres/dialect/operator-runs.ts'], hasLongRuns),
  ...['explain ', 'explain select ', 'copy (select '].map((before) =>
    text(
      `a query in a statement of PostgreSQL: ${before}`,
      ['kinds/postgres/dialect/inner-query.ts'],
      (rest) => {
        return postgresStatement(before + rest + (before.includes('(') ? ') to stdout' : ''));
      },
    ),
  ),
  text(
    'an array of PostgreSQL',
    ['kinds/postgres/dialect/array-text.ts', 'kinds/long-values.ts'],
    (rest) => [
      quotedElement(rest),
      arrayToJson(rest, TEXTS),
      arrayToJson(`{${rest}`, TEXTS),
      whole(longArray(`{"${rest}`, TEXTS, new LongText())),
    ],
  ),
  text('types of parameters for Neon', ['worker/drivers/edge/neon/rewrite.ts'], (rest) => [
    withTypes(`select ${rest}`, ['int8']),
    parametersOfText(rest),
  ]),
  ...each(
    'tokens of MySQL',
    [
      'kinds/mysql/dialect/lexer.ts',
      'kinds/mysql/dialect/calls.ts',
      'kinds/mysql/dialect/traces.ts',
    ],
    (rest) => {
      const tokens = mysqlTokens(rest);
      return [callsOf(tokens), calledNames(tokens), tablesOf(tokens)];
    },
  ),
  ...each(
    'a statement of MySQL',
    ['kinds/mysql/dialect/statement.ts', 'kinds/mysql/dialect/traces.ts'],
    (rest) => {
      const parsed = mysqlStatement(rest, true);
      return 'statements' in parsed
        ? parsed.statements.map((one) => [mayLeaveTraces(one), asksForTraces(one)])
        : undefined;
    },
  ),
  ...each('literals for PlanetScale', ['worker/drivers/edge/planetscale/literal.ts'], (rest) =>
    withValues(`${rest} ?`, [1]),
  ),
  ...each(
    'a statement of CQL',
    ['node-relay/drivers/cassandra/lexer.ts', 'node-relay/drivers/cassandra/guard.ts'],
    (rest) => [cqlTokens(rest), admitCql(rest, true)],
  ),
  ...each(
    'a statement of ClickHouse',
    [
      'node-relay/drivers/clickhouse/lexer.ts',
      'node-relay/drivers/clickhouse/quotes.ts',
      'kinds/dollar-quotes.ts',
      'node-relay/drivers/clickhouse/statement.ts',
      'node-relay/drivers/clickhouse/guard.ts',
    ],
    (rest) => [
      clickhouseTokens(rest),
      admitClickhouse({ type: 'query', query: rest }, true, new Set()),
    ],
  ),
  ...each('names in a statement of MySQL', ['kinds/mysql/dialect/named.ts'], (rest) => {
    const parsed = mysqlStatement(rest, true);
    return 'statements' in parsed ? parsed.statements.map(mysqlNaming) : undefined;
  }),
  ...each(
    'names in a statement of ClickHouse',
    ['node-relay/drivers/clickhouse/named.ts'],
    (rest) => {
      const tokens = clickhouseTokens(rest);
      return 'unreadable' in tokens ? undefined : clickhouseNaming(tokens);
    },
  ),
  text('a name beside patterns', ['kinds/allow.ts'], (rest) =>
    new AllowedNames(['*a*b*c*', '*.*', `${'*a'.repeat(50)}*`]).opens(rest),
  ),
  text('a type of ClickHouse', ['node-relay/drivers/clickhouse/type-tree.ts'], typeTree),
];
