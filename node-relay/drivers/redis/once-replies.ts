/** Replies that a script wrote down in RESP2. */
import type { ReplyValue } from '../../../kinds/redis/reply-value.ts';
import { Decoder } from './decode.ts';

/** The replies, one after the other. @throws ProtocolError */
export function repliesIn(text: Uint8Array): readonly ReplyValue[] {
  const replies: ReplyValue[] = [];
  const decoder = new Decoder({
    // What came already is not held back.
    room: () => Number.POSITIVE_INFINITY,
    dropped: () => {},
    reply: (value) => replies.push(typeof value === 'symbol' ? null : value),
    push: () => {},
  });
  decoder.write(Buffer.from(text));
  return replies;
}
