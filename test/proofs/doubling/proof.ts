/** The proof that nothing which reads what a caller sends takes longer than its length says. */
import { setImmediate } from 'node:timers/promises';
import type { Json } from '../../../proto/json.ts';
import type { Proof, ProofOptions, ProofResult } from '../proof.ts';
import { Choices } from '../random.ts';
import { growthOf } from './measure.ts';
import { type Shape, NAMED as TEXTS, shapeOf as textShapeOf } from './shapes.ts';
import type { Subject } from './subject.ts';
import { SUBJECTS } from './subjects/index.ts';
import { NAMED as VALUES, shapeOf as valueShapeOf } from './values.ts';

/** No input is larger, where a subject says nothing else. */
const MOST = 1_048_576;
/** Sentences of progress come after so many cases. */
const TOLD = 500;

/** One subject with one shape. */
interface Case {
  readonly subject: Subject;
  readonly shape: Shape<string> | Shape<Json>;
}

async function run({ seed, count, progress }: ProofOptions): Promise<ProofResult> {
  const faults: string[] = [];
  const choices = new Choices(seed);
  const named = choices.shuffled(SUBJECTS.flatMap(namedCases));
  let cases = 0;
  for (; cases < count; cases += 1) {
    const fault = faultOf(named[cases] ?? caseOf(choices));
    // What promises hold is let go of between two turns alone.
    await setImmediate();
    if (fault !== undefined) faults.push(fault);
    if (fault !== undefined || cases % TOLD === 0) progress(fault ?? `${cases} of ${count}`);
  }
  return { cases, faults, figures: { subjects: SUBJECTS.length, 'named cases': named.length } };
}

function namedCases(subject: Subject): Case[] {
  return (subject.reads === 'text' ? TEXTS : VALUES).map((shape) => ({ subject, shape }));
}

function caseOf(choices: Choices): Case {
  const subject = choices.pickAny(SUBJECTS);
  if (subject === undefined) throw new Error('There are subjects.');
  return {
    subject,
    shape: subject.reads === 'text' ? textShapeOf(choices) : valueShapeOf(choices),
  };
}

/** What is wrong with a case, in words; a stack that is too small is wrong too. */
function faultOf({ subject, shape }: Case): string | undefined {
  let overflow = false;
  const growth = growthOf((size, round) => {
    const run = prepared(subject, shape, size, round);
    return () => {
      try {
        // Of what answers a promise, the work is done by now.
        Promise.resolve(run()).catch(() => {});
      } catch (error) {
        // Whatever else is thrown is a refusal, which takes time as well.
        overflow ||= error instanceof RangeError && /call stack/.test(error.message);
      }
    };
  }, subject.most ?? MOST);
  const what = `${subject.name} of ${shape.name}`;
  if (overflow) return `${what}: the stack is too small`;
  if (growth === undefined) return undefined;
  const { size, ms } = growth;
  return `${what}: ${ms.map((each) => each.toFixed(1)).join(', ')} ms at ${size} and twice and four times that`;
}

/** Inputs of one size differ, so that nothing is remembered from one to the next. */
function prepared(
  subject: Subject,
  shape: Case['shape'],
  size: number,
  round: number,
): () => unknown {
  const made = shape.make(size);
  if (subject.reads === 'value') return () => subject.run(made);
  const input = `${made}${' '.repeat(round)}`;
  return () => subject.run(input);
}

/** What is wrong with a case by the names of its subject and its shape. */
export function faultNamed(subject: string, shape: string): string | undefined {
  const found = SUBJECTS.filter(({ name }) => name === subject)
    .flatMap(namedCases)
    .find((each) => each.shape.name === shape);
  if (found === undefined) throw new Error(`There is no case ${subject} of ${shape}.`);
  return faultOf(found);
}

export const proof: Proof = {
  promise:
    'Twice the input takes no more than 2.5 times as long, in whatever reads what a caller sends.',
  count: 20_000,
  run,
};
