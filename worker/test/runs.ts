/** How large tests of random events are: `TEST_RUNS` asks for larger ones. */
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    readonly runs: number;
  }
}

/** How many times as many cases as usual. */
export const TIMES = inject('runs');
