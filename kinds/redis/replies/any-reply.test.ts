/** Whatever a server replies, to whatever command, is JSON. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ReplyDouble,
  ReplyError,
  ReplyMap,
  ReplySet,
  ReplyStatus,
  type ReplyValue,
} from '../reply-value.ts';
import { allCommands } from '../table.ts';
import { replyJson } from './index.ts';

const encoder = new TextEncoder();
const text = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom('1', '-1', '1.5', 'nan', '{', 'total_results', 'results', 'fields'),
);
const scalar: fc.Arbitrary<ReplyValue> = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer(),
  fc.bigInt(),
  text,
  text.map((each) => encoder.encode(each)),
  fc.uint8Array({ maxLength: 6 }),
  text.map((each) => new ReplyStatus(each)),
  text.map((each) => new ReplyError(`ERR ${each}`)),
  fc.double().map((each) => new ReplyDouble(each)),
);
const { reply } = fc.letrec<{ reply: ReplyValue; items: ReplyValue[] }>((tie) => ({
  reply: fc.oneof(
    { maxDepth: 4 },
    scalar,
    tie('items'),
    tie('items').map((items) => new ReplySet(items)),
    tie('items').map((items) => new ReplyMap(items.slice(items.length % 2))),
  ),
  items: fc.array(tie('reply'), { maxLength: 5 }),
}));
const words = fc.array(
  fc.constantFrom(
    'a',
    '1',
    '$',
    'WITHSCORES',
    'WITHSCORE',
    'RAW',
    'LIMIT',
    'NOCONTENT',
    'RETURN',
    '0',
    'WITHVALUES',
    'JUSTID',
  ),
  { maxLength: 6 },
);

test('is JSON', () => {
  const types = [...allCommands()].map(({ name }) => name);
  expect(types.length).toBeGreaterThan(300);
  void fc.assert(
    fc.property(fc.constantFrom(...types), words, reply, (type, args, value) => {
      JSON.parse(replyJson({ type, args }, value));
    }),
    { numRuns: 3_000 },
  );
});
