/** Holds what a suite's run saw against the differences that are listed with their reasons. */
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { systemCode } from '../../server/failure.ts';
import type { Outcome } from './suite.ts';

/** Cases of one reason; `sometimes`: in some runs they do not differ. */
const Differences = z.array(
  z.strictObject({
    reason: z.string().min(1),
    sometimes: z.literal(true).optional(),
    cases: z.array(z.string()).min(1),
  }),
);
type Differences = z.infer<typeof Differences>;

/** What the command says about a run. */
export interface Verdict {
  readonly passed: number;
  /** Listed cases that differ, by reason. */
  readonly listed: ReadonlyMap<string, number>;
  /** Cases that differ and are not listed, with how. */
  readonly unexpected: readonly (readonly [name: string, how: string])[];
  /** Cases listed as always differing that no longer do, or are gone. */
  readonly stale: readonly string[];
}

/** The differences of a suite; none when it has no list. */
export async function differencesOf(name: string): Promise<Differences> {
  const file = new URL(`differences/${name}.json`, import.meta.url);
  const text = await readFile(file, 'utf8').catch((thrown: unknown) => {
    if (systemCode(thrown) === 'ENOENT') return '[]';
    throw thrown;
  });
  return Differences.parse(JSON.parse(text));
}

/** Compares a run with the list. */
export function judge({ passed, differing }: Outcome, differences: Differences): Verdict {
  const listed = new Map(
    differences.map(({ reason, cases }) => [
      reason,
      cases.filter((each) => differing.has(each)).length,
    ]),
  );
  const known = new Set(differences.flatMap(({ cases }) => cases));
  const always = differences.filter(({ sometimes }) => !sometimes).flatMap(({ cases }) => cases);
  return {
    passed,
    listed,
    unexpected: [...differing].filter(([name]) => !known.has(name)),
    stale: always.filter((name) => !differing.has(name)),
  };
}
