/** The proof of the same name, small; and that no reader is left out of it. */
import { expect, test } from 'vitest';
import { faultNamed, proof } from './proof.ts';
import { ASIDE_BY_REASON, readers } from './readers.ts';
import { SUBJECTS } from './subjects/index.ts';

test('twice the input takes no more than 2.5 times as long', async () => {
  const { faults } = await proof.run({ seed: 1, count: 150, progress: () => {} });
  expect(faults).toEqual([]);
});

/** What once took the square of its length, or longer. */
const ONCE = [
  ["MongoDB's $binary", 'text "" "="… "a"'],
  ["MongoDB's $numberDouble", 'text "" "9"… "x"'],
  ["a value of CQL's double", 'text "" "9"… "x"'],
  ["a parameter of ClickHouse's Array(Float64)", 'text "" "9"… "x"'],
  ['a number that Redis answers', '"" "9"… "x"'],
  ['named parameters of MySQL', 'many members'],
  ['canonicalHost', '"" "%"… "\\n"'],
  ['canonicalHost', '":" "1"… "x"'],
  ['a connection of mysql of PlanetScale', '"ssl={" "rejectUnauthorized"… ""'],
  ['a connection of https of Upstash', '"" "/"… "a"'],
  ['a base of an http endpoint', '"" "a"… ""'],
  ['a name of a header', '"" "VERB"… ""'],
  ['a name of a header', '"" "URL"… ""'],
  ['a name in a template of mongo', '"" ".$"… ""'],
  ['a version of MySQL', '"" "9"… "x"'],
] as const;

test.for(ONCE)('%s of %s takes what its length says', ([subject, shape]) => {
  expect(faultNamed(subject, shape)).toBeUndefined();
});

test('each file that reads texts by hand is a subject, or is named with why it is none', async () => {
  const known = [...SUBJECTS.flatMap(({ files }) => files), ...Object.keys(ASIDE_BY_REASON)];
  const isKnown = (file: string) =>
    known.some((each) => file === each || file.startsWith(`${each}/`));
  expect((await readers()).filter((file) => !isKnown(file))).toEqual([]);
});
