/** Replies next to marks, whatever is done to them. Spec: transactions.md §7. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ONCE_REPLY_MAX_BYTES, type OnceMark } from '../../proto/once.ts';
import { failureOf } from './contract.ts';
import { digestOf } from './contract-once.ts';
import { answerOfKept, keptReply } from './kept-reply.ts';

function markOf(key: string, body = 'body'): OnceMark {
  const [secret, place] = [digestOf(`secret of ${key}`), 'causeway_once'];
  return { key: digestOf(key), body: digestOf(body), place, secret };
}

const MARK = markOf('k');
const CHANGED = {
  code: 'REPLY_NOT_KEPT',
  message:
    'The request with this Idempotency-Key took effect, and its reply was changed in the database since: it cannot be told',
};
const REPLY = fc.uint8Array({ maxLength: 200 });

function sealed(reply: Uint8Array): Uint8Array {
  return keptReply(reply, MARK) ?? new Uint8Array();
}

async function refusal(reply: Uint8Array, mark: OnceMark) {
  return failureOf(new Promise((resolve) => resolve(answered(reply, mark))));
}

function answered(reply: Uint8Array, mark: OnceMark) {
  return answerOfKept({ body: mark.body, reply }, mark);
}

describe('a kept reply', () => {
  test('is answered as it was', () => {
    fc.assert(
      fc.property(REPLY, (reply) => {
        const { result, isReplay } = answered(sealed(reply), MARK);
        expect([Buffer.from(result), isReplay]).toEqual([Buffer.from(reply), true]);
      }),
    );
  });

  test('shows nothing about itself, and never looks the same', () => {
    const reply = fc.uint8Array({ minLength: 16, maxLength: 200 });
    fc.assert(
      fc.property(reply, (clear) => {
        const [one, other] = [Buffer.from(sealed(clear)), Buffer.from(sealed(clear))];
        expect(one.includes(Buffer.from(clear))).toBe(false);
        expect(one.equals(other)).toBe(false);
      }),
    );
  });

  test('is answered no more once any part of it has changed', async () => {
    const flip = fc.integer({ min: 1, max: 255 });
    await fc.assert(
      fc.asyncProperty(REPLY, fc.nat(), flip, async (reply, at, change) => {
        const kept = Buffer.from(sealed(reply));
        const index = at % kept.byteLength;
        kept.writeUInt8(kept.readUInt8(index) ^ change, index);
        expect(await refusal(kept, MARK)).toMatchObject(CHANGED);
        const cut = sealed(reply).subarray(0, index);
        expect(await refusal(cut, MARK)).toMatchObject(CHANGED);
      }),
    );
  });

  test.each([
    ['key', markOf('another')],
    ['body', markOf('k', 'another')],
    ['secret', { ...MARK, secret: digestOf('another') }],
  ])('is not answered under another %s', async (_, mark) => {
    expect(await refusal(sealed(Buffer.from('reply')), mark)).toMatchObject(CHANGED);
  });

  test('is 64 KiB at most', () => {
    const largest = Buffer.alloc(ONCE_REPLY_MAX_BYTES);
    expect(Buffer.from(answered(sealed(largest), MARK).result).equals(largest)).toBe(true);
    expect(keptReply(Buffer.alloc(ONCE_REPLY_MAX_BYTES + 1), MARK)).toBeNull();
  });
});
