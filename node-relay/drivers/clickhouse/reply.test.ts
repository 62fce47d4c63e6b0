/** Replies in pieces of any size, and errors among their rows. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ServerFault } from './errors.ts';
import { ReplyReader } from './reply.ts';

const HEAD = '["n","x é"]\n["UInt64","String"]\n';
const ROWS = '[1,"a\\"]\\n"]\n[18446744073709551615,"🐫"]\n';
const options = { numbersAsStrings: false, rowFormat: 'object' } as const;

async function rowsOf(body: Buffer, sizes: readonly number[]): Promise<string[]> {
  const rows: string[] = [];
  const reader = new ReplyReader(options, (row) => rows.push(row));
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

  test('is not read beyond a bound', () => {
    const reader = new ReplyReader(options, () => {});
    reader.read(Buffer.from(`${HEAD}${ROWS}${WORDS}\n`));
    let pieces = 0;
    const more = () => {
      for (; pieces < 100; pieces += 1) reader.read(Buffer.alloc(10_000, 'x'));
    };
    expect(more).toThrow(ServerFault);
    expect(pieces).toBeLessThan(10);
  });

  test('a row that looks like one is a row', async () => {
    const body = `${HEAD}[1,"Code: 395. DB::Exception: x\\n__exception__"]\n`;
    expect(await rowsOf(Buffer.from(body), [])).toHaveLength(1);
  });
});
