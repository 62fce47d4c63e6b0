/** A value of a run as bytes that come a few at a time: who reads it holds the thread of all organizations. docs/heavy-work.md. */
import { joined } from '../../../proto/gathered-bytes.ts';
import { inRecordTurn } from '../../limits/record-turns.ts';
import type { Ref } from '../engine/journal.ts';
import { startDigest } from './digest.ts';
import type { Keeper } from './keeper.ts';

/** Bytes that are read at a time, about. */
const READ_AT_ONCE = 512 * 1024;

/** The bytes of a value; undefined where the run has none. */
export function valueStream(
  keeper: Keeper,
  run: number,
  ref: Ref,
): ReadableStream<Uint8Array> | undefined {
  const next = reading(keeper, run, ref);
  if (!next) return undefined;
  return new ReadableStream({
    type: 'bytes',
    async pull(controller) {
      const { bytes, isLast } = await next();
      if (bytes.byteLength > 0) controller.enqueue(bytes);
      if (isLast) controller.close();
    },
  });
}

/** SHA-256 of a value, in hexadecimal digits; undefined where the run has none. */
export async function valueDigest(
  keeper: Keeper,
  run: number,
  ref: Ref,
): Promise<string | undefined> {
  const next = reading(keeper, run, ref);
  if (!next) return undefined;
  const digest = startDigest();
  for (;;) {
    const { bytes, isLast } = await next();
    digest.update(bytes);
    if (isLast) return digest.digest('hex');
  }
}

/** What reads the next bytes of a value in turn; undefined where the run has none. */
function reading(keeper: Keeper, run: number, ref: Ref): (() => Promise<SomeBytes>) | undefined {
  if (!keeper.vault.has(run, ref)) return undefined;
  // Never aborts: by it the reading is known as one.
  const { signal } = new AbortController();
  const of = { address: keeper.owner.orgUuid, signal };
  const pieces = keeper.vault.bytesOf(run, ref);
  const bytesOf = ({ bytes }: SomeBytes) => bytes.byteLength;
  return () => inRecordTurn(of, { work: () => someOf(pieces), bytesOf, isBegun: true });
}

interface SomeBytes {
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
}

/** The next pieces together; a copy, as what is given to a stream is gone. */
function someOf(pieces: Generator<Uint8Array>): SomeBytes {
  const some: Uint8Array[] = [];
  let size = 0;
  let isLast = false;
  while (size < READ_AT_ONCE && !isLast) {
    const { done, value } = pieces.next();
    if (done) isLast = true;
    else {
      some.push(value);
      size += value.byteLength;
    }
  }
  return { bytes: joined(some, size), isLast };
}
