/** Transitions begin anew once the large values that they read are parsed. docs/heavy-work.md. */
import { expect, test } from 'vitest';
import { whole } from '../../../proto/work/pieces.ts';
import { LARGE_TEXT, NotReady } from '../engine/ready-values.ts';
import type { Computing } from './computing.ts';
import type { Keeper } from './keeper.ts';
import { type Beforehand, whenParsed } from './when-parsed.ts';

const TEXT = JSON.stringify({ all: 'x'.repeat(LARGE_TEXT) });
const VALUE: unknown = JSON.parse(TEXT);

/** Who does transitions, with what was asked of them: the value 7 of a run is large. */
function startDoer(text = TEXT) {
  const run = crypto.randomUUID();
  const seen = { resets: 0, reads: 0, pieces: 0 };
  const keeper = {
    reset() {
      seen.resets += 1;
    },
    valueName: (_: number, ref: number) => `${run}:${ref}`,
    text: () => {
      seen.reads += 1;
      return text;
    },
  } as unknown as Keeper; // All that is asked of it.
  const computing = {
    inTurn: async (pieces: Parameters<typeof whole>[0]) => {
      seen.pieces += 1;
      return whole(pieces);
    },
  } as unknown as Computing; // All that is asked of it.
  return { doer: { keeper, computing }, seen };
}

const reading =
  (...wanted: (number | string)[]) =>
  ({ values, mayAsk }: Beforehand) =>
    wanted.map((each) => {
      if (!values.has(each) && mayAsk) throw new NotReady(each);
      return values.get(each);
    });

test('one that reads nothing large is done at once', () => {
  const { doer, seen } = startDoer();
  expect(whenParsed(doer, 1, reading())).toEqual([]);
  expect(seen).toEqual({ resets: 0, reads: 0, pieces: 0 });
});

test('each value is parsed once, in turn, and what the transition did before is taken back', async () => {
  const { doer, seen } = startDoer();
  expect(await whenParsed(doer, 1, reading(7, TEXT))).toEqual([VALUE, VALUE]);
  expect(seen).toEqual({ resets: 2, reads: 1, pieces: 2 });
});

test('two that wait for one value read it once', async () => {
  const { doer, seen } = startDoer();
  const both = [1, 1].map((run) => whenParsed(doer, run, reading(7)));
  expect(await Promise.all(both)).toEqual([[VALUE], [VALUE]]);
  expect(seen).toMatchObject({ resets: 2, reads: 1 });
});

test('one whose value cannot be parsed is asked to read it itself', async () => {
  const { doer } = startDoer('['.repeat(2_000));
  expect(await whenParsed(doer, 1, reading(7))).toEqual([undefined]);
});

test('what the transition throws besides is passed on', async () => {
  const { doer } = startDoer();
  const fails = (beforehand: Beforehand) => {
    reading(7)(beforehand);
    throw new Error('no');
  };
  await expect(async () => whenParsed(doer, 1, fails)).rejects.toThrow('no');
});
