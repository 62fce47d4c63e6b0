/** Transactions that wait for their turn: each is told when it has what it asked for, or why it has not. */
import { type Answer, type Changed, type Claims, Locks } from './locks.ts';

/** How waiting ended. */
type Turn =
  | { readonly is: 'held' | 'circle' | 'late' | 'left' }
  | { readonly is: 'doubt'; readonly holder: string };

export class Turns {
  readonly #locks = new Locks();
  readonly #waiting = new Map<string, (turn: Turn) => void>();

  /** Whether one waits for what others hold. */
  get areAwaited(): boolean {
    return this.#waiting.size > 0;
  }

  /** Takes what is claimed, at once or when it is free, within so many milliseconds. */
  async take(transaction: string, claims: Claims, timeoutMs: number): Promise<Turn> {
    const { answer, changed } = this.#locks.ask(transaction, claims);
    this.#tell(changed);
    if (answer.is !== 'waits') return answer;
    const { promise, resolve } = Promise.withResolvers<Turn>();
    this.#waiting.set(transaction, resolve);
    const timer = setTimeout(() => this.#end(transaction, 'late'), timeoutMs);
    return promise.finally(() => clearTimeout(timer));
  }

  /** Gives back to one what it held before the object began again. */
  restore(transaction: string, claims: Claims): void {
    this.#tell(this.#locks.ask(transaction, claims).changed);
  }

  /** Ends the wait of one that is not waited for any more. Answers whether it waited. */
  leave(transaction: string): boolean {
    return this.#end(transaction, 'left');
  }

  release(transaction: string): void {
    this.#waiting.delete(transaction);
    this.#tell(this.#locks.release(transaction));
  }

  /** Whom it holds up is told so, from now on at once. */
  doubt(transaction: string): void {
    this.#tell(this.#locks.doubt(transaction));
  }

  #end(transaction: string, is: 'late' | 'left'): boolean {
    const tell = this.#waiting.get(transaction);
    if (!tell) return false;
    this.#waiting.delete(transaction);
    this.#tell(this.#locks.leave(transaction));
    tell({ is });
    return true;
  }

  #tell(changed: readonly Changed[]): void {
    for (const { transaction, answer } of changed) {
      const tell = this.#waiting.get(transaction);
      this.#waiting.delete(transaction);
      tell?.(answer satisfies Answer);
    }
  }
}
