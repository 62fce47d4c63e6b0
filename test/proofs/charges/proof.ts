/** The proof that what is charged is what it takes: of expressions, searches, checks and transformers. */
import type { Proof, ProofOptions, ProofResult } from '../proof.ts';
import { Choices } from '../random.ts';
import * as expressions from './expressions.ts';
import { Meter } from './measure.ts';
import * as paths from './paths.ts';
import * as schemas from './schemas.ts';
import * as transformers from './transformers.ts';

/** Time may be so many times what a charge stands for. */
export const TIMES_MAX = 5;
/** Sentences of progress come after so many cases. */
const TOLD = 100;

/** One of the sorts of work that have a budget. */
interface Area {
  /** Nanoseconds that a step stands for. */
  readonly STEP_NS: number;
  /** A case by chance: what it is in words, and what measures it. */
  caseBy(choices: Choices): Case;
}

/** Something that spends a budget. */
export interface Case {
  readonly name: string;
  /** Nanoseconds that each of its steps took; undefined where there are too few to tell. */
  nsPerStep(): number | undefined;
}

const AREAS: Readonly<Record<string, Area>> = { expressions, paths, schemas, transformers };

async function run({ seed, count, progress }: ProofOptions): Promise<ProofResult> {
  const choices = new Choices(seed);
  const meter = new Meter(TIMES_MAX);
  const faults: string[] = [];
  const worst: Record<string, number> = {};
  for (let cases = 0; cases < count; cases += 1) {
    const [area = '', { STEP_NS, caseBy }] = choices.pick(entries());
    const each = caseBy(choices);
    const times = meter.timesOf(each.nsPerStep, STEP_NS);
    const figure = `largest times of ${area}, in tenths`;
    worst[figure] = Math.max(worst[figure] ?? 0, Math.round(10 * times));
    if (times > TIMES_MAX)
      faults.push(`${area}: ${times.toFixed(1)} times its charge: ${each.name}`);
    if (cases % TOLD === 0) progress(`${cases} of ${count}, ${faults.length} faults`);
  }
  return { cases: count, faults, figures: worst };
}

function entries() {
  return Object.entries(AREAS) as [[string, Area], ...[string, Area][]]; // There are some.
}

export const proof: Proof = {
  promise:
    'Nothing that expressions, searches, checks of schemas and transformers do takes more than five times the time that its charge stands for.',
  count: 3_000,
  run,
};
