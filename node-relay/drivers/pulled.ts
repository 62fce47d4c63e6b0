/** A connection from which messages are pulled one by one: nothing is read before it is asked for. */
import type { Duplex } from 'node:stream';
import { ConnectionLost } from './loss.ts';

/** Cuts what comes into pieces. */
interface Cutting<Piece> {
  /** Whether bytes are left that were not given out. */
  readonly has: boolean;
  give(chunk: Buffer): void;
  /** The next piece; undefined until more has come. */
  next(): Piece | undefined;
}

/** Takes a stream over from the process that read it before. */
export class Pulled<Piece> {
  readonly #stream: Duplex;
  readonly #cut: Cutting<Piece>;
  #lost: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(stream: Duplex, cut: Cutting<Piece>) {
    this.#stream = stream;
    this.#cut = cut;
    stream.pause();
    stream.removeAllListeners('data');
    stream.on('readable', () => this.#wake?.());
    stream.on('close', () => this.lose(new Error('closed')));
    stream.on('end', () => this.lose(new Error('ended')));
    stream.on('error', (cause) => this.lose(cause));
  }

  /** Whether something has come that was not taken. */
  get hasMore(): boolean {
    return this.#cut.has || this.#stream.readableLength > 0;
  }

  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /** Nothing more comes than what is there. */
  lose(cause: Error): void {
    this.#lost ??= cause;
    this.#wake?.();
  }

  /**
   * What comes next; undefined when nothing does for so long.
   * @param waitMs milliseconds; `Infinity` for as long as the signal lets it
   * @throws ConnectionLost, Unreadable, the signal's reason
   */
  async next(signal: AbortSignal, waitMs: number): Promise<Piece | undefined> {
    const end = performance.now() + waitMs;
    for (;;) {
      signal.throwIfAborted();
      const piece = this.#cut.next();
      if (piece !== undefined) return piece;
      const chunk: unknown = this.#stream.read();
      if (chunk instanceof Buffer) {
        this.#cut.give(chunk);
        continue;
      }
      if (this.#lost) throw new ConnectionLost('The connection was lost', { cause: this.#lost });
      const left = end - performance.now();
      if (left <= 0) return undefined;
      await this.#woken(signal, left);
    }
  }

  /** Waits until something has come, the time is over, or nobody waits any more. */
  #woken(signal: AbortSignal, ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    const timer = Number.isFinite(ms) ? setTimeout(wake, ms) : undefined;
    signal.addEventListener('abort', wake, { once: true });
    this.#wake = wake;
    return promise.finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', wake);
      this.#wake = undefined;
    });
  }
}
