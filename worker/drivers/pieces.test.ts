import { describe, expect, test } from 'vitest';
import { GatewayError } from '../../proto/errors.ts';
import { bodyOf, open } from './pieces.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

/** Messages of a stream, and how many were asked for. */
function messagesOf(chunks: readonly string[], failure?: Error) {
  const asked = { count: 0 };
  async function* messages() {
    for (const chunk of chunks) {
      asked.count += 1;
      yield { chunk: bytes(chunk) };
    }
    if (failure) throw failure;
  }
  return { messages: messages(), asked };
}

function endings(last?: string) {
  const seen: string[] = [];
  return {
    seen,
    passed: async () => {},
    ended: () => void seen.push('ended'),
    cancelled: () => void seen.push('cancelled'),
    failed(thrown: unknown) {
      seen.push(`failed: ${thrown}`);
      return last === undefined ? new GatewayError('NODE_UNAVAILABLE', 'lost') : bytes(last);
    },
  };
}

describe('a body made of pieces', () => {
  test('is the pieces in their order, empty ones left out', async () => {
    const how = endings();
    const { messages } = messagesOf(['', 'a', '', '', 'b', '']);
    const body = new Response(bodyOf(await open(messages), how));
    expect([await body.text(), how.seen]).toEqual(['ab', ['ended']]);
  });

  test('may be empty', async () => {
    const how = endings();
    const body = new Response(bodyOf(await open(messagesOf([]).messages), how));
    expect([await body.text(), how.seen]).toEqual(['', ['ended']]);
  });

  test('asks for a piece only when one is read', async () => {
    const { messages, asked } = messagesOf(['a', 'b', 'c', 'd']);
    const reader = bodyOf(await open(messages), endings()).getReader();
    expect(asked.count).toBe(1);
    await reader.read();
    await reader.read();
    expect(asked.count).toBe(2);
  });

  test('ends with the bytes that tell of a failure', async () => {
    const how = endings('!');
    const { messages } = messagesOf(['a'], new Error('gone'));
    const body = new Response(bodyOf(await open(messages), how));
    expect([await body.text(), how.seen]).toEqual(['a!', ['failed: Error: gone']]);
  });

  test('breaks off where nothing can tell of a failure', async () => {
    const how = endings();
    const { messages } = messagesOf(['a'], new Error('gone'));
    const body = new Response(bodyOf(await open(messages), how));
    await expect(body.text()).rejects.toThrow('lost');
    expect(how.seen).toEqual(['failed: Error: gone']);
  });

  test('waits with the next piece as long as the last one has to pass', async () => {
    const { messages, asked } = messagesOf(['a', 'b', 'c']);
    const passed: { readonly bytes: number; readonly end: () => void }[] = [];
    const beside = {
      ...endings(),
      passed: (bytes: number) => new Promise<void>((end) => passed.push({ bytes, end })),
    };
    const reader = bodyOf(await open(messages), beside).getReader();
    await reader.read();
    const second = reader.read();
    await scheduler.wait(10);
    expect([asked.count, passed.map(({ bytes }) => bytes)]).toEqual([1, [1]]);
    passed[0]?.end();
    expect(await second).toEqual({ done: false, value: bytes('b') });
  });

  test('says when its reader leaves', async () => {
    const how = endings();
    const body = bodyOf(await open(messagesOf(['a', 'b']).messages), how);
    const reader = body.getReader();
    await reader.read();
    await reader.cancel();
    expect(how.seen).toEqual(['cancelled']);
  });
});

test('a failure before the first message is the call’s own', async () => {
  await expect(open(messagesOf([], new Error('refused')).messages)).rejects.toThrow('refused');
});
