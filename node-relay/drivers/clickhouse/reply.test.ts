/** Replies in pieces of any size, and errors among their rows. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GatewayError } from '../../../proto/errors.ts';
import { callOf } from '../test/host.ts';
import { ServerFault } from './errors.ts';
import { ReplyReader } from './reply.ts';

const HEAD = '["n","x é"]\n["UInt64","String"]\n';
const ROWS = '[1,"a\\"]\\n"]\n[18446744073709551615,"🐫"]\n';
const options = { numbersAsStrings: false, rowFormat: 'object' } as const;
const bounds = {
  rowMax: 1_000,
  tooLong: (column = '') => new GatewayError('RESULT_TOO_LARGE', column),
  call: callOf('read'),
};

async function rowsOf(body: Buffer, sizes: readonly number[], within = bounds): Promise<string[]> {
  const rows: string[] = [];
  const reader = new ReplyReader(options, within, (row) => rows.push(row));
  async function* pieces() {
    let at = 0;
    for (const size of [...sizes, body.length]) {
      yield body.subarray(at, at + size);
      at += size;
    }
  }
  for await (const _ of reader.taken(pieces()));
  return rows.map((row) => Buffer.from(row, 'latin1').toString());
}

const sizes = fc.array(fc.nat(12), { maxLength: 40 });

test('rows are the same however the reply is cut', async () => {
  await fc.assert(
    fc.asyncProperty(sizes, async (cuts) => {
      expect(await rowsOf(Buffer.from(HEAD + ROWS), cuts)).toEqual([
        '{"n":1,"x é":"a\\"]\\n"}',
        '{"n":"18446744073709551615","x é":"🐫"}',
      ]);
    }),
  );
});

describe('an error among rows', () => {
  const WORDS =
    "Code: 395. DB::Exception: It broke: while executing 'FUNCTION x'. (SOME_NAME) (version 25.8.1.1 (official build))";
  test.each([
    ['after whole rows', `${HEAD}${ROWS}${WORDS}\n`],
    ['in the middle of a row', `${HEAD}[1,"aa${WORDS}\n`],
    ['before any row', `${HEAD}${WORDS}`],
    ['before the columns', WORDS],
    [
      'in a frame',
      `${HEAD}${ROWS}\r\n__exception__\r\nabcdef\r\n${WORDS}\n132 abcdef\r\n__exception__\r\n`,
    ],
    ['as a member', `${HEAD}${ROWS}{"exception": "${WORDS}"}\n`],
  ])('is told by number and words, however it is cut: %s', async (_, body) => {
    await fc.assert(
      fc.asyncProperty(sizes, async (cuts) => {
        const failure = await rowsOf(Buffer.from(body), cuts).catch((thrown: unknown) => thrown);
        expect(failure).toBeInstanceOf(ServerFault);
        expect(failure).toMatchObject({
          code: '395',
          message: "It broke: while executing 'FUNCTION x'",
        });
      }),
    );
  });

  test('is not read beyond a bound', async () => {
    const reader = new ReplyReader(options, bounds, () => {});
    const read = async (piece: Buffer) => {
      for await (const _ of reader.read(piece));
    };
    await read(Buffer.from(`${HEAD}${ROWS}${WORDS}\n`));
    let pieces = 0;
    const more = async () => {
      for (; pieces < 100; pieces += 1) await read(Buffer.alloc(10_000, 'x'));
    };
    await expect(more()).rejects.toThrow(ServerFault);
    expect(pieces).toBeLessThan(10);
  });

  test('a row that looks like one is a row', async () => {
    const body = `${HEAD}[1,"Code: 395. DB::Exception: x\\n__exception__"]\n`;
    expect(await rowsOf(Buffer.from(body), [])).toHaveLength(1);
  });
});

describe('what is no row', () => {
  const HEADER = '["a","b"]\n["Array(Int64)","String"]\n';
  test.each([
    '[[}],"x"]',
    '[[1,],"x"]',
    '[[1 2],"x"]',
    '[[,1],"x"]',
    '[[1],"x"',
    '[[1]]',
    '[[1],"x",2]',
    '[[1];"x"]',
    '[[1],x]',
    '[[1],"\\x"]',
    '[[1],"\\u12g4"]',
    '[[1],"\u0001"]',
    '[[01],"x"]',
    '[[1e],"x"]',
    '[[--1],"x"]',
    '[[1],"x]',
    '[[{"a" 1}],"x"]',
    '[[{a:1}],"x"]',
    `[${'['.repeat(100_000)},"x"]`,
  ])('is never data, and ends: %#', async (line) => {
    const body = Buffer.from(`${HEADER}${line}\n[[1],"x"]\n`);
    const failure = await rowsOf(body, [], { ...bounds, rowMax: 1_000_000 }).catch((e) => e);
    expect(failure).toBeInstanceOf(ServerFault);
  });

  test.each([
    '["a",1]\n["Int64","Int64"]\n',
    '["a"]\n["Int64","Int64"]\n',
    '["a"]\n[1]\n',
    '["a"\n["Int64"]\n',
    `${'['.repeat(500_000)}\n`,
  ])('names no columns: %#', async (body) => {
    await expect(rowsOf(Buffer.from(body), [])).rejects.toThrow(ServerFault);
  });

  test('is not kept beyond a bound, and told by its column', async () => {
    async function* endless() {
      yield Buffer.from(`${HEADER}[[1,2,{"x,":[","]}],"`);
      for (let pieces = 0; pieces < 1_000; pieces += 1) yield Buffer.alloc(100, 'x');
    }
    const reader = new ReplyReader(options, bounds, () => {});
    const drain = async () => {
      for await (const _ of reader.taken(endless()));
    };
    await expect(drain()).rejects.toMatchObject({ code: 'RESULT_TOO_LARGE', message: 'b' });
  });

  test('is as long as a type of ten thousand others, and read all the same', async () => {
    const type = `${'Array('.repeat(10_000)}Int64${')'.repeat(10_000)}`;
    expect(await rowsOf(Buffer.from(`["a"]\n["${type}"]\n[[1]]\n`), [])).toEqual(['{"a":[1]}']);
  });

  test('gives its taker a turn, however long names make rows', async () => {
    const head = `["${'n'.repeat(100_000)}"]\n["Int8"]\n`;
    const reader = new ReplyReader(options, bounds, () => {});
    async function* body() {
      yield Buffer.from(head + '[1]\n'.repeat(1_000));
    }
    let turns = 0;
    for await (const _ of reader.taken(body())) turns += 1;
    expect(turns).toBeGreaterThan(300);
  });
});
