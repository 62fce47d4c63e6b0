/** The ends of replies are found wherever a socket cuts what it brings. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Replies } from '../bench/load/replies.ts';

const HEAD = 'HTTP/1.1 200 OK\r\nDate: Mon, 01 Jan 2026 00:00:00 GMT\r\n';

const sized = (body: string) =>
  `${HEAD}Content-Length: ${Buffer.byteLength(body)}\r\nX-Last: 1\r\n\r\n${body}`;

function chunked(pieces: readonly string[], { extension = '', trailer = '' } = {}): string {
  const chunks = pieces
    .filter((piece) => piece !== '')
    .map((piece) => `${Buffer.byteLength(piece).toString(16)}${extension}\r\n${piece}\r\n`);
  return `${HEAD}transfer-encoding: Chunked\r\n\r\n${chunks.join('')}0\r\n${trailer}\r\n`;
}

function count(text: string, replies = new Replies()): number {
  return replies.take(Buffer.from(text));
}

describe('a reply', () => {
  test.each([
    ['of a given length', sized('{"a":1}')],
    ['of length 0', sized('')],
    ['whose body looks like a head', sized('HTTP/1.1 200 OK\r\n\r\n')],
    ['in chunks', chunked(['{"a"', ':1}'])],
    ['in chunks with extensions', chunked(['ab', 'c'], { extension: ';name=f' })],
    ['in chunks with a trailer', chunked(['abc'], { trailer: 'Checksum: 0\r\nMore: f\r\n' })],
    ['in chunks that look like the last one', chunked(['0\r\n\r\n', 'x'])],
    ['of no chunks', chunked([])],
    ['of a length in other letters', 'HTTP/1.1 200 \r\ncontent-LENGTH:   3\r\n\r\nabc'],
  ])('%s counts as one, and no byte before its last ends it', (_, text) => {
    expect(count(text)).toBe(1);
    expect(count(text.repeat(3))).toBe(3);
    for (let cut = 1; cut < text.length; cut += 1) {
      const replies = new Replies();
      expect([count(text.slice(0, cut), replies), count(text.slice(cut), replies)]).toEqual([0, 1]);
    }
  });

  test.each([
    [
      'is no 200',
      'HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n',
      /^Not a 200: HTTP\/1\.1 503 Busy/,
    ],
    ['has no length', `${HEAD}\r\n`, 'The reply has no length'],
    ['is coded otherwise', `${HEAD}Transfer-Encoding: gzip\r\n\r\n`, 'Transfer-Encoding: gzip'],
    [
      'has a chunk of no size',
      `${HEAD}Transfer-Encoding: chunked\r\n\r\nxyz\r\n`,
      'The size of a chunk is no number',
    ],
    ['has an endless head', `${HEAD}X: ${'x'.repeat(70_000)}`, 'The head of a reply does not end'],
  ])('that %s is a fault', (_, text, message) => {
    expect(() => count(text)).toThrow(message);
  });
});

test('replies of any sort, cut anywhere, are all counted at their last byte', () => {
  const anyReply = fc.oneof(
    fc.string({ maxLength: 40 }).map(sized),
    fc.array(fc.string({ maxLength: 20 }), { maxLength: 4 }).map((pieces) => chunked(pieces)),
  );
  fc.assert(
    fc.property(
      fc.array(anyReply, { minLength: 1, maxLength: 5 }),
      fc.array(fc.nat(), { maxLength: 8 }),
      (texts, places) => {
        const bytes = Buffer.from(texts.join(''));
        const cuts = [0, ...places.map((place) => place % bytes.length), bytes.length];
        cuts.sort((one, other) => one - other);
        const ends = texts.map((_, at) => Buffer.byteLength(texts.slice(0, at + 1).join('')));
        const replies = new Replies();
        // A socket reads into one buffer over and over.
        const buffer = Buffer.alloc(bytes.length);
        let counted = 0;
        for (const [at, cut] of cuts.slice(1).entries()) {
          const piece = bytes.subarray(cuts[at], cut);
          piece.copy(buffer);
          counted += replies.take(buffer.subarray(0, piece.length));
          buffer.fill(0);
          expect(counted).toBe(ends.filter((end) => end <= cut).length);
        }
        expect(counted).toBe(texts.length);
      },
    ),
  );
});
