/** Texts in another encoding than they are read in: no way to run a statement tells them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PostgresRequest } from '../../../kinds/postgres/index.ts';
import { failureOf } from '../contract.ts';
import { callOf, jsonOf } from '../test/host.ts';
import type { PostgresClient } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let reads: PostgresClient;
let writes: PostgresClient;

beforeAll(async () => {
  database = await TestDatabase.create(`
    CREATE TABLE items (name text);
    CREATE TABLE words (word text);
    INSERT INTO words VALUES ('表');
    CREATE FUNCTION turned(local boolean) RETURNS text STABLE LANGUAGE plpgsql
      AS $$ BEGIN RETURN set_config('client_encoding', 'EUC_JP', local); END $$;
    CREATE PROCEDURE turns(local boolean, INOUT word text) LANGUAGE plpgsql
      AS $$ BEGIN PERFORM set_config('client_encoding', 'EUC_JP', local); word := '表'; END $$;
    CREATE PROCEDURE keeps(INOUT word text) LANGUAGE plpgsql
      AS $$ BEGIN PERFORM set_config('client_encoding', 'EUC_JP', true); COMMIT; word := '表'; END $$;`);
  reads = await database.open('read', { connections: 1 });
  writes = await database.open('write', { connections: 1 });
});
afterAll(() => database.drop());

const UNTOLD =
  'client_encoding must be UTF8: this statement has changed it, so its result cannot be told';
const APPLIED = { source: 'postgres', code: 'BAD_REQUEST', message: UNTOLD, applied: true };

type RowsRequest = Extract<PostgresRequest, { params?: unknown }>;

/** A way in which one statement runs, and the details that a refusal has there. */
interface Way {
  readonly way: string;
  readonly mode: 'read' | 'write';
  run(request: RowsRequest): Promise<unknown>;
  /** None by default, but of what is kept before it is told. */
  readonly details?: readonly unknown[];
}

async function lines(client: PostgresClient, request: PostgresRequest, mode: 'read' | 'write') {
  let text = '';
  for await (const piece of client.stream(request, callOf(mode))) text += Buffer.from(piece);
  return text;
}

async function onLease(setup: string[], request: PostgresRequest): Promise<unknown> {
  const lease = await writes.lease(callOf('write'));
  try {
    for (const text of setup) await lease.run(sql(text), callOf('write'));
    return jsonOf(await lease.run(request, callOf('write')));
  } finally {
    await lease.close();
  }
}

const readOnly = ({ query }: RowsRequest) => sql(query, [], { type: 'query_read_only' });
const inTransaction = async (request: PostgresRequest) =>
  jsonOf(await writes.transact([request], callOf('write')));

const WAYS: readonly Way[] = [
  { way: 'a read', mode: 'read', run: (one) => run(reads, one, 'read') },
  { way: 'a stream of a read', mode: 'read', run: (one) => lines(reads, one, 'read') },
  { way: 'a read on a writer', mode: 'read', run: (one) => run(writes, readOnly(one), 'write') },
  {
    way: 'a read in a transaction',
    mode: 'read',
    run: (one) => inTransaction(readOnly(one)),
    details: [{ operation: 0 }],
  },
  {
    way: 'a read in a transaction of a lease',
    mode: 'read',
    run: (one) => onLease(['BEGIN READ ONLY'], readOnly(one)),
  },
  { way: 'a write', mode: 'write', run: (one) => run(writes, one, 'write') },
  {
    way: 'a stream of a write',
    mode: 'write',
    run: (one) => lines(writes, one, 'write'),
    details: [],
  },
  {
    way: 'a write in a transaction',
    mode: 'write',
    run: inTransaction,
    details: [{ operation: 0 }],
  },
  { way: 'a write on a lease', mode: 'write', run: (one) => onLease([], one) },
  {
    way: 'a write in a transaction of a lease',
    mode: 'write',
    run: (one) => onLease(['BEGIN'], one),
    details: [],
  },
  {
    way: 'one of several',
    mode: 'write',
    run: ({ query }) => run(writes, sql(query, [], { type: 'simple' }), 'write'),
  },
];

/** Statements that tell a text after they have turned the encoding, for their transaction or the session. */
const READS = [
  "SELECT word FROM words WHERE turned(LOCAL) <> ''",
  'WITH t AS MATERIALIZED (SELECT turned(LOCAL) AS a) SELECT word, a FROM t, words',
  "EXPLAIN (ANALYZE, VERBOSE) SELECT '表' WHERE turned(LOCAL) <> ''",
];
const CHANGES = [
  "SELECT word FROM words WHERE set_config('client_encoding', 'EUC_JP', LOCAL) <> ''",
  "INSERT INTO items SELECT word FROM words WHERE turned(LOCAL) <> '' RETURNING name",
  `EXPLAIN (ANALYZE, VERBOSE) INSERT INTO items
    SELECT word FROM words WHERE turned(LOCAL) <> '' AND word = '表'`,
];
/** These are kept before they are told. */
const CALL = "CALL turns(LOCAL, '')";
const UNPARSED = `SELECT word, '${'x'.repeat(262_144)}' AS x FROM words WHERE turned(LOCAL) <> ''`;

const cases = WAYS.flatMap(({ way, mode, run, details }) => {
  const unparsed = way === 'one of several' ? [] : [UNPARSED]; // Refused there.
  const texts = mode === 'read' ? READS : [...READS, ...CHANGES, CALL, ...unparsed];
  return texts.flatMap((text) => {
    const isKept = text === CALL || text === UNPARSED;
    const applied = isKept ? [APPLIED] : [];
    const shown = text.replace(/x{9,}/, '…');
    return ['true', 'false'].map((local) => {
      const query = text.replace('LOCAL', local);
      return { way, shown, local, query, run, details: details ?? applied };
    });
  });
});

describe('a text in another encoding', () => {
  test.each(cases)('is not told by $way: $shown, $local', async ({ run, query, details }) => {
    const failure = await failureOf(run({ query, params: [], type: 'query' }));
    expect(failure).toMatchObject({ code: 'BAD_REQUEST', message: UNTOLD });
    expect(failure).toHaveProperty('details', details);
    const { rows } = await database.outside.query('SELECT name FROM items');
    expect(rows).toEqual([]);
  });

  test('is told where the encoding was back before the end', async () => {
    expect(await run(writes, sql("CALL keeps('')"), 'write')).toMatchObject({
      rows: [{ word: '表' }],
    });
  });

  test.each(['ENCODING', 'encoding'])('is not read or written by COPY with %s', async (option) => {
    const copy = (direction: string) => `COPY items ${direction} (${option} 'EUC_JP', FORMAT csv)`;
    const out = { type: 'copy_out', query: copy('TO STDOUT') } as const;
    const into = { type: 'copy_in', query: copy('FROM STDIN'), value: '表\n' } as const;
    expect(await failureOf(reads.run(out, callOf('read')))).toMatchObject({
      code: 'BAD_REQUEST',
      message: 'The type copy_out takes one COPY … TO STDOUT, in text or CSV format and in UTF8',
    });
    expect(await failureOf(writes.run(into, callOf('write')))).toMatchObject({
      code: 'BAD_REQUEST',
      message: 'The type copy_in takes one COPY … FROM STDIN, in text or CSV format and in UTF8',
    });
  });

  test.each(['UTF8', 'utf-8'])('is not what COPY with ENCODING %s tells', async (name) => {
    const out = { type: 'copy_out', query: `COPY words TO STDOUT (ENCODING '${name}')` } as const;
    expect(await run(reads, out, 'read')).toEqual({ value: '表\n' });
  });
});
