/** Lets the calls of one organization go before the process holds more memory than it may. */
import { getHeapStatistics } from 'node:v8';

/** Share of what the process may hold: of bytes outside of the heap, where what servers send is kept. */
const OUTSIDE_SHARE = 0.4;
/** Share of the heap's limit. */
const HEAP_SHARE = 0.8;
/** Those that were let go have that long to give back what they hold, in milliseconds. */
const PAUSE_MS = 1_000;

/** What a process holds, in bytes. */
export interface MemoryUse {
  readonly outside: number;
  readonly heap: number;
  readonly heapMax: number;
}

/** What a guard is made of. */
interface MemoryGuardOptions {
  /** Bytes of memory beyond which the process is ended. */
  readonly memoryBytes: number;
  /** Ends calls so that memory becomes free. */
  readonly shed: () => void;
  /** By default what this process holds. */
  readonly held?: () => MemoryUse;
}

/** Looks now and then whether memory runs short. */
export class MemoryGuard {
  readonly #options: MemoryGuardOptions;
  #shedAt = Number.NEGATIVE_INFINITY;

  constructor(options: MemoryGuardOptions) {
    this.#options = options;
  }

  /** @param now milliseconds on any clock that does not go back */
  look(now: number): void {
    if (now - this.#shedAt < PAUSE_MS) return;
    const { memoryBytes, shed, held = heldHere } = this.#options;
    const { outside, heap, heapMax } = held();
    if (outside <= memoryBytes * OUTSIDE_SHARE && heap <= heapMax * HEAP_SHARE) return;
    this.#shedAt = now;
    shed();
  }
}

function heldHere(): MemoryUse {
  const { external, heapUsed } = process.memoryUsage();
  return { outside: external, heap: heapUsed, heapMax: getHeapStatistics().heap_size_limit };
}
