/** Random programs of the language, as text, for comparing it with the JavaScript engine. */
import fc from 'fast-check';
import { GRAMMAR } from './grammar.ts';

/** What programs may name: two of each type, and what is often missing. */
export const INPUT = {
  n: 3,
  m: -2.5,
  s: 'Hello, World',
  t: ' äb-c ab ',
  xs: [3, 1, 2, 10, 1],
  ys: ['b', '', 'a', 'B'],
  os: [
    { k: 'x', v: 1, w: { y: [1, 2] } },
    { k: 'y', v: 2 },
    { k: 'x', v: null },
  ],
  o: { a: 1, b: 'two', c: [1, [2, [3]]], d: { e: null } },
  u: undefined,
  z: null,
  p: true,
};

const HOLE = /‹(.*?)›/g;
/** All kinds count as one depth, so that programs stay small whatever they are made of. */
const DEPTH = { maxDepth: 7, depthSize: 'xsmall', depthIdentifier: 'program' } as const;

type Tie = (kind: string) => fc.Arbitrary<string>;

function filled(template: string, tie: Tie): fc.Arbitrary<string> {
  const holes = [...template.matchAll(HOLE)].map(([, words = '']) => hole(words, tie));
  return fc.tuple(...holes).map((parts) => {
    let at = 0;
    return template.replace(HOLE, () => parts[at++] ?? '');
  });
}

/** One of several words; a word that is a kind stands for all that it can be. */
function hole(words: string, tie: Tie): fc.Arbitrary<string> {
  const all = words
    .split('|')
    .map((word) => (Object.hasOwn(GRAMMAR, word) ? tie(word) : fc.constant(word)));
  return fc.oneof(...all);
}

const kinds = fc.letrec<Record<string, string>>((tie) =>
  Object.fromEntries(
    Object.entries(GRAMMAR).map(([kind, templates]) => [
      kind,
      fc.oneof(DEPTH, ...templates.map((each) => filled(each, tie))),
    ]),
  ),
);

const kind = (name: string): fc.Arbitrary<string> => kinds[name] ?? fc.constant('');

/** Expressions. */
export const any = kind('any');
/** Statements that are the body of a function. */
export const body = kind('body');
