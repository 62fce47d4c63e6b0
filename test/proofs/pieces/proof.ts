/** The proof that work in pieces does no more in one of them than its share, whatever the shape of the JSON. */
import type { Proof, ProofOptions, ProofResult } from '../proof.ts';
import { Choices } from '../random.ts';
import { textOf } from './shapes.ts';
import { shared } from './share.ts';
import { SUBJECTS } from './subjects.ts';

/** Characters of a text: undivided work on so many short names comes to more than a share. */
const SIZE = 500_000;
/** Names and values that one piece touches at most, about. The reader takes 32 KiB of text, and touches a name a few times. */
const SHARE = 32 * 1024;

async function run({ seed, count, progress }: ProofOptions): Promise<ProofResult> {
  const faults: string[] = [];
  const choices = new Choices(seed);
  let largest = 0;
  for (let at = 0; at < count; at += 1) {
    const { name, text } = textOf(choices, at, SIZE);
    for (const subject of SUBJECTS) {
      const { most } = shared(subject.of(text));
      largest = Math.max(largest, most);
      if (most > SHARE) faults.push(`${subject.name} of ${name}: ${Math.round(most)} in one piece`);
    }
    if (at % 20 === 0) progress(`${at} of ${count}`);
  }
  const figures = { subjects: SUBJECTS.length, 'most in one piece': Math.round(largest) };
  return { cases: count * SUBJECTS.length, faults, figures };
}

export const proof: Proof = {
  promise:
    'Of work in pieces on JSON no piece does more than its share, whatever shape the JSON has.',
  count: 500,
  run,
};
