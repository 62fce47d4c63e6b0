/** What a proof is: cases by the thousand from one seed, and what is wrong with the gateway if they differ. */

/** How much is asked of one run. */
export interface ProofOptions {
  /** The same seed makes the same cases. */
  readonly seed: number;
  /** At most so many cases; a proof over a finite set may end earlier. */
  readonly count: number;
  /** Of a proof over several kinds of backend, that one alone. */
  readonly kind?: string | undefined;
  /** Tells a person how far it is; a sentence, at most every few seconds. */
  progress(sentence: string): void;
}

/** What a run has seen. */
export interface ProofResult {
  /** Cases that were really run. */
  readonly cases: number;
  /** Each is one case that breaks the promise, with all that it takes to see it again. */
  readonly faults: readonly string[];
  /** What a reader wants to know besides the count: cases by way, refused and passed. */
  readonly figures: Readonly<Record<string, number>>;
}

/** A proof by generator: `npm run prove -- NAME` runs it large, a test next to it runs it small. */
export interface Proof {
  /** One sentence: the promise that is proven. */
  readonly promise: string;
  /** Cases of a large run when no `--count` is given. */
  readonly count: number;
  /** Inside a test run, so that `backend()` hands out servers. */
  run(options: ProofOptions): Promise<ProofResult>;
}
