/** The same bytes in fewer parts. */
import { expect, test } from 'vitest';
import { inLargeParts } from './large-parts.ts';

const MIB = 1024 * 1024;

async function partsOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array[]> {
  const parts: Uint8Array[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

test('a stream of the runtime comes in parts of up to 80 KiB, and is the same', async () => {
  const sent = Uint8Array.from({ length: MIB + 5 }, (_, at) => (at * 31) % 251);
  const { body } = new Response(sent);
  if (body === null) throw new Error('It has a body');
  const parts = await partsOf(inLargeParts(body));
  expect(parts.length).toBeLessThanOrEqual(18);
  expect(Buffer.compare(Buffer.concat(parts), sent)).toBe(0);
});

test('an empty one ends', async () => {
  const { readable, writable } = new IdentityTransformStream();
  const parts = partsOf(inLargeParts(readable));
  await writable.close();
  expect(await parts).toEqual([]);
});

test('what has arrived is not held back', async () => {
  const { readable, writable } = new IdentityTransformStream();
  const reader = inLargeParts(readable).getReader();
  const writer = writable.getWriter();
  for (const byte of [1, 2]) {
    const next = reader.read();
    await writer.write(Uint8Array.of(byte));
    expect(await next).toEqual({ done: false, value: Uint8Array.of(byte) });
  }
  await Promise.all([reader.read(), writer.close()]);
});

test('one that is cancelled or fails tells its source or its reader', async () => {
  const { readable, writable } = new IdentityTransformStream();
  await inLargeParts(readable).cancel('enough');
  await expect(writable.getWriter().write(Uint8Array.of(1))).rejects.toThrow();
  const broken = new IdentityTransformStream();
  const reader = inLargeParts(broken.readable).getReader();
  const read = reader.read();
  await broken.writable.abort(new Error('broken'));
  await expect(read).rejects.toThrow('broken');
});

test('one that is not of the runtime stays as it is', () => {
  const stream = new ReadableStream<Uint8Array>();
  expect(inLargeParts(stream)).toBe(stream);
});
