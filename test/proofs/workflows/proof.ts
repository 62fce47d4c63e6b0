/** `npm run prove -- workflows`: random workflows run by the engine as by a plain model of the specification. */
import { isDeepStrictEqual } from 'node:util';
import type { Proof, ProofOptions, ProofResult } from '../proof.ts';
import { runEngine } from './engine.ts';
import { Fate } from './fate.ts';
import { generate } from './generate.ts';
import { runModel, type Told } from './model/run.ts';

/** Of a case that differs, so many lines of each list are shown. */
const SHOWN = 6;
/** Each case is run once more in transitions that begin one node, or two, or three. */
const PIECES = 3;

/** The proof. */
export const proof: Proof = {
  promise:
    'A run has the effects, their order, the output and the statuses that the specification says.',
  count: 5_000,
  run,
};

async function run({ seed, count, progress }: ProofOptions): Promise<ProofResult> {
  const faults: string[] = [];
  const figures: Record<string, number> = {};
  const tally = (name: string) => {
    figures[name] = (figures[name] ?? 0) + 1;
  };
  let cases = 0;
  for (let at = 0; cases < count; at += 1) {
    const own = seed * 1_000_003 + at;
    const fault = await judge(own, tally);
    if (fault === 'tied') continue;
    cases += 1;
    if (fault !== undefined) faults.push(fault);
    if (cases % 1000 === 0) progress(`${cases} cases, ${faults.length} faults`);
  }
  return { cases, faults, figures };
}

/** What is wrong with a case; `tied` where the specification leaves an order open. */
async function judge(seed: number, tally: (name: string) => void): Promise<string | undefined> {
  const { definition, input } = generate(seed);
  const fate = new Fate(seed);
  try {
    const { isTied, isOpenInPieces, ...expected } = await runModel(definition, input, fate);
    if (isTied) {
      tally('left out: two things at one moment');
      return 'tied';
    }
    tally(`runs ${expected.status}`);
    const inPieces = { beginsMax: 1 + (seed % PIECES), isReadAnew: true };
    if (isOpenInPieces) tally('not run in pieces: two waits that begin at one moment');
    for (const ways of isOpenInPieces ? [{}] : [{}, inPieces]) {
      const actual = runEngine(definition, input, fate, ways);
      if (isDeepStrictEqual(actual, expected)) continue;
      return describe(seed, { definition, input, ways }, differences(actual, expected));
    }
    return undefined;
  } catch (thrown) {
    const what = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    return describe(seed, { definition, input }, [what.slice(0, 700)]);
  }
}

function describe(seed: number, made: object, lines: readonly string[]): string {
  return `case ${seed}: ${JSON.stringify(made)}\n    ${lines.join('\n    ')}`;
}

function differences(actual: Told, expected: Told): string[] {
  return (Object.keys(expected) as (keyof Told)[]).flatMap((name) => {
    const [is, should] = [actual[name], expected[name]];
    if (isDeepStrictEqual(is, should)) return [];
    if (!Array.isArray(is) || !Array.isArray(should)) {
      return [`${name}: is ${JSON.stringify(is)}, should be ${JSON.stringify(should)}`];
    }
    const more = is.filter((each) => !should.includes(each)).slice(0, SHOWN);
    const less = should.filter((each) => !is.includes(each)).slice(0, SHOWN);
    const counted = more.length + less.length === 0 ? [`${name}: counts differ`] : [];
    return [...more.map((each) => `+ ${each}`), ...less.map((each) => `- ${each}`), ...counted];
  });
}
