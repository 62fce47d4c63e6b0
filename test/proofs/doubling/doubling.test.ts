/** The proof of the same name, small; and that no reader is left out of it. */
import { expect, test } from 'vitest';
import { proof } from './proof.ts';
import { ASIDE_BY_REASON, readers } from './readers.ts';
import { SUBJECTS } from './subjects/index.ts';

test('twice the input takes no more than 2.5 times as long', async () => {
  const { faults } = await proof.run({ seed: 1, count: 150, progress: () => {} });
  expect(faults).toEqual([]);
});

test('each file that reads texts by hand is a subject, or is named with why it is none', async () => {
  const known = [...SUBJECTS.flatMap(({ files }) => files), ...Object.keys(ASIDE_BY_REASON)];
  const isKnown = (file: string) =>
    known.some((each) => file === each || file.startsWith(`${each}/`));
  expect((await readers()).filter((file) => !isKnown(file))).toEqual([]);
});
