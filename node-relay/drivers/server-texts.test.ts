/** What a hostile server says in its own words holds nobody up, and is told in part. */
import cassandra from 'cassandra-driver';
import { MongoServerError } from 'mongodb';
import { DatabaseError } from 'pg';
import { describe, expect, test } from 'vitest';
import { fromServer as mysqlFailure, ServerError } from '../../kinds/mysql/dialect/failures.ts';
import { fromReply as redisFailure } from '../../kinds/redis/dialect/errors.ts';
import { ReplyError } from '../../kinds/redis/reply-value.ts';
import { errorBody, GatewayError } from '../../proto/errors.ts';
import { fromFailure as cassandraFailure } from './cassandra/errors.ts';
import { fromServer as clickhouseFailure, ServerFault } from './clickhouse/errors.ts';
import { fromFailure as mongoFailure } from './mongo/errors.ts';
import { connectFailure, fromFailure as postgresFailure } from './postgres/errors.ts';

const BYTES = 4_000_000;
/** What each may take, in milliseconds; read to the end, most of these texts take minutes. */
const WITHIN_MS = 500;
/** Characters of the error that a caller is told. */
const LENGTH_MAX = 20_000;

const { signal } = new AbortController();
const circumstances = { mode: 'read', uncertain: false, signal, max: 1_000_000 } as const;

const refusal = (code: string, text: string) =>
  Object.assign(new DatabaseError(text, 0, 'error'), { code });

/** Each kind's failures, made of a server's text. */
const KINDS: { readonly [name: string]: (text: string) => unknown } = {
  postgres: (text) => postgresFailure(refusal('42601', text), circumstances),
  'postgres, code': (text) => postgresFailure(refusal(text, 'no'), circumstances),
  'postgres, login by a pooler': (text) => connectFailure(refusal('08P01', text)),
  mysql: (text) => mysqlFailure(new ServerError(1064, '42000', text), 'read'),
  mongo: (text) => mongoFailure(new MongoServerError({ message: text }), circumstances),
  cassandra: (text) =>
    cassandraFailure(new cassandra.errors.ResponseError(0x2200, text), circumstances),
  clickhouse: (text) =>
    clickhouseFailure(ServerFault.ofReply('62', `Code: 62. DB::Exception: ${text}`), true),
  redis: (text) => redisFailure(new ReplyError(`ERR ${text}`)),
};

const PIECES = [
  'a',
  '-',
  'a-',
  'a.',
  "'",
  "''a'@",
  '1.',
  '[:',
  '/.',
  '://',
  'database ',
  '(AA)',
  '\n1',
];

describe.each(Object.keys(KINDS))('a text of %s', (name) => {
  test.each(PIECES)('%j again and again', (piece) => {
    const text = piece.repeat(BYTES / piece.length);
    const started = performance.now();
    const failure = KINDS[name]?.(text);
    if (!(failure instanceof GatewayError)) throw new Error('No failure that is foreseen');
    const body = JSON.stringify(errorBody(failure, 'request'));
    expect(performance.now() - started).toBeLessThan(WITHIN_MS);
    expect(body.length).toBeLessThan(LENGTH_MAX);
  });
});
