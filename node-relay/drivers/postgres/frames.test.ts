/** What is kept of a server's messages while they arrive. */
import { expect, test } from 'vitest';
import { Frames } from './frames.ts';

const message = (letter: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.write(letter, 0, 'latin1');
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};
const row = (bytes: number) => message('D', Buffer.alloc(bytes, 1));
const READY = message('Z', Buffer.from('I'));

/** Frames after a login, and what they told of. */
function frames(rowMax: number) {
  const told: string[] = [];
  const made = new Frames({
    message: (letter, _buffer, at, end) => told.push(`${String.fromCharCode(letter)} ${end - at}`),
    oversize: () => told.push('too large'),
  });
  made.open = true;
  made.takeRows(rowMax);
  return { made, told };
}

test('rows that nobody waits for are left out, the one that has begun, too', () => {
  for (const cut of [1, 4, 5, 6, 100, 1_004]) {
    const { made, told } = frames(10_000);
    const begun = row(1_000);
    made.take(begun.subarray(0, cut));
    made.leaveRows();
    made.take(Buffer.concat([begun.subarray(cut), row(500).subarray(0, 300)]));
    made.take(Buffer.concat([row(500).subarray(300), READY]));
    const known = cut < 5 ? ['D 1000'] : [];
    expect([cut, ...told]).toEqual([cut, ...known, 'Z 1']);
  }
});

test('the next caller gets their rows', () => {
  const { made, told } = frames(10_000);
  made.take(row(1_000).subarray(0, 10));
  made.leaveRows();
  made.take(Buffer.concat([row(1_000).subarray(10), READY]));
  made.takeRows(600);
  made.take(row(500));
  made.take(row(700).subarray(0, 20));
  expect(told).toEqual(['Z 1', 'D 500', 'too large']);
});

test('a change of what was waited for leaves other messages whole', () => {
  const { made, told } = frames(10_000);
  const complete = message('C', Buffer.alloc(300, 65));
  made.take(complete.subarray(0, 100));
  made.leaveRows();
  made.take(complete.subarray(100));
  expect(told).toEqual(['C 300']);
});
