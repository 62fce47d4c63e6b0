/** What a public suite is, as `npm run conformance` runs it. */
import type { Shutdown } from '../../server/shutdown.ts';

/** How a suite is run. */
interface SuiteOptions {
  /** Where a suite's files lie that are not part of this repository. */
  readonly from: string | undefined;
  /** Ends what the run starts. */
  readonly shutdown: Shutdown;
  /** Tells a person how far it is. */
  progress(sentence: string): void;
}

/** What a run saw. */
export interface Outcome {
  /** Cases that come out as the suite says. */
  readonly passed: number;
  /** Cases that do not, with how. */
  readonly differing: ReadonlyMap<string, string>;
  /** Cases that the suite itself leaves out here. */
  readonly skipped: number;
  /** What a reader wants to know besides the counts. */
  readonly figures?: Readonly<Record<string, number>>;
}

/** A public suite. */
export interface Suite {
  /** What is compared with what. */
  readonly compares: string;
  /** Where its cases come from, with their licence. */
  readonly cases: string;
  /** What `--from` names, where the suite needs or takes it. */
  readonly folder?: { readonly of: string; readonly needed: boolean };
  /** @throws Failure when it cannot run */
  run(options: SuiteOptions): Promise<Outcome>;
}
