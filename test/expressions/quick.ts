/** Random programs of the language, by the grammar: fast, because nothing is kept for making them smaller. */
import { GRAMMAR } from './grammar.ts';

/** Most kinds within each other; deeper, each becomes one of its simplest, and twice as deep the simplest. */
const DEPTH = 4;
const HOLE = /‹(.*?)›/;
/** By kind, its templates as texts between holes, and what fills each hole. */
const templates = new Map(
  Object.entries(GRAMMAR).map(([kind, texts]) => [kind, texts.map(partsOf)] as const),
);

interface Part {
  readonly text: string;
  readonly words: readonly string[];
}

function partsOf(template: string): readonly Part[] {
  // Every other piece is what was in a hole.
  const pieces = template.split(HOLE);
  return pieces.flatMap((text, at) =>
    at % 2 === 0 ? [{ text, words: pieces[at + 1]?.split('|') ?? [] }] : [],
  );
}

/** Numbers below 1, the same for the same seed: Mulberry32. */
type Random = () => number;

function randomBy(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function one<Each>(all: readonly Each[], random: Random): Each | undefined {
  return all[Math.floor(random() * all.length)];
}

/** A text of that kind. @param depth of kinds that may still be within each other */
function made(kind: string, depth: number, random: Random): string {
  const all = templates.get(kind);
  if (all === undefined) return kind;
  let text = '';
  // The simplest are first.
  for (const part of one(depth > 0 ? all : all.slice(0, 2), random) ?? []) {
    text += part.text;
    const word = one(part.words, random);
    if (word !== undefined)
      text += depth > -DEPTH ? made(word, depth - 1, random) : (LEAVES[word] ?? word);
  }
  return text;
}

/** What ends a program that grows too deep. */
const LEAVES: Readonly<Record<string, string>> = {
  num: '1',
  str: "'a'",
  bool: 'true',
  arr: '[1]',
  obj: '({a: 1})',
  any: 'null',
  fn: '(e) => e',
  stmt: ';',
  body: 'return 1;',
};

/** A text of a kind of the grammar, the same for the same seed. @param depth of kinds within each other */
export function sourceOf(kind: string, depth: number, seed: number): string {
  return made(kind, depth, randomBy(seed));
}

/** A program: an expression, or the body of a function. */
interface Source {
  readonly source: string;
  readonly isBody: boolean;
}

/** Program after program, the same for the same seed. */
export function sourcesBy(seed: number): () => Source {
  const random = randomBy(seed);
  let count = 0;
  return () => {
    count += 1;
    const depth = 1 + (count % DEPTH);
    const isBody = random() < 0.5;
    return { source: made(isBody ? 'body' : 'any', isBody ? depth - 1 : depth, random), isBody };
  };
}
