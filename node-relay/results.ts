/** Large results, kept for a moment so that they travel as a stream instead of in one message. Contract §6: "Large results". */
import { randomBytes } from 'node:crypto';
import { GatewayError } from '../proto/errors.ts';

/** Larger results are kept for `Collect`, in bytes. Contract §6: "Large results". */
export const KEPT_OVER_BYTES = 256 * 1024;
/** Milliseconds after which a result that nobody collects is dropped. */
export const KEPT_MAX_MS = 30_000;
/** Bytes of kept results together; beyond, they travel in one message. Spec silent. */
const KEPT_TOTAL_BYTES = 256 * 1024 * 1024;
/** Bytes of one piece of a collected result. Spec silent. */
const CHUNK_BYTES = 64 * 1024;

interface KeptResult {
  readonly bytes: Uint8Array;
  readonly timer: NodeJS.Timeout;
}

/** Results that wait to be collected, each once. */
export class Results {
  readonly #kept = new Map<string, KeptResult>();
  readonly #totalMax: number;
  #bytes = 0;

  constructor(totalMax = KEPT_TOTAL_BYTES) {
    this.#totalMax = totalMax;
  }

  /** Bytes kept or being collected. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Keeps a result and names it; undefined when it is small or there is no room, so that it is sent at once. */
  keep(bytes: Uint8Array): string | undefined {
    const size = bytes.byteLength;
    if (size <= KEPT_OVER_BYTES || this.#bytes + size > this.#totalMax) return undefined;
    const id = randomBytes(16).toString('base64url');
    const timer = setTimeout(() => {
      this.#kept.delete(id);
      this.#bytes -= size;
    }, KEPT_MAX_MS);
    this.#kept.set(id, { bytes, timer: timer.unref() });
    this.#bytes += size;
    return id;
  }

  /** Bytes of a kept result; 0 where there is none. */
  lengthOf(id: string): number {
    return this.#kept.get(id)?.bytes.byteLength ?? 0;
  }

  /**
   * The result in pieces, read as they are taken; it is forgotten with the first.
   * @throws GatewayError NOT_FOUND
   */
  *collect(id: string, pieceBytes = CHUNK_BYTES): Generator<Uint8Array> {
    const kept = this.#kept.get(id);
    if (kept === undefined) {
      throw new GatewayError('NOT_FOUND', 'The result is gone: it is kept for 30 seconds, once');
    }
    this.#kept.delete(id);
    clearTimeout(kept.timer);
    const { bytes } = kept;
    try {
      for (let start = 0; start < bytes.byteLength; start += pieceBytes) {
        yield bytes.subarray(start, start + pieceBytes);
      }
    } finally {
      this.#bytes -= bytes.byteLength;
    }
  }

  /** Forgets all that is kept. */
  clear(): void {
    for (const { bytes, timer } of this.#kept.values()) {
      clearTimeout(timer);
      this.#bytes -= bytes.byteLength;
    }
    this.#kept.clear();
  }
}
