/** Bytes arrive as they are, in both forms in which PostgreSQL writes them. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LongText } from '../../../proto/long-text.ts';
import { whole } from '../../../proto/work/pieces.ts';
import { byteaToJson, longBytea } from './bytea-text.ts';

/** As the server does it. Source: PostgreSQL, `byteaout`. */
function escapedBy(bytes: Uint8Array): string {
  return [...bytes]
    .map((byte) => {
      if (byte === 0x5c) return '\\\\';
      const isShown = byte >= 0x20 && byte <= 0x7e;
      return isShown ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`;
    })
    .join('');
}
const hexBy = (bytes: Uint8Array) => `\\x${Buffer.from(bytes).toString('hex')}`;

function longOf(text: string): string {
  const out = new LongText();
  whole(longBytea(text, out));
  return out.pieces.join('');
}

test.each([
  ['in hex', hexBy],
  ['escaped', escapedBy],
])('any bytes, %s', (_, writtenBy) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const told = JSON.stringify(Buffer.from(bytes).toString('base64'));
      expect(byteaToJson(writtenBy(bytes))).toBe(told);
    }),
  );
});

test('many escaped bytes, in pieces', () => {
  const bytes = Uint8Array.from({ length: 100_001 }, (_, at) => (at * 7) % 256);
  expect(longOf(escapedBy(bytes))).toBe(JSON.stringify(Buffer.from(bytes).toString('base64')));
});
