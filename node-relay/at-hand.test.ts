/** Which large requests are in memory, by a clock that only the test moves. */
import { expect, test } from 'vitest';
import { HeldBytes } from '../proto/work/held-bytes.ts';
import { type AtHand, Hands } from './at-hand.ts';

const MIB = 1024 * 1024;
const { signal } = new AbortController();

/** Hands on a clock of their own. */
function handsAt(bytesMax = 64 * MIB) {
  let at = 0;
  const sleeping: { readonly until: number; readonly wake: () => void }[] = [];
  const wait = (ms: number) => new Promise<void>((wake) => sleeping.push({ until: at + ms, wake }));
  const pass = async (ms: number) => {
    for (const until = at + ms; at < until; ) {
      at += 10;
      for (const each of sleeping.splice(0)) {
        if (each.until <= at) each.wake();
        else sleeping.push(each);
      }
      for (let turn = 0; turn < 10; turn += 1) await undefined;
    }
  };
  return { hands: new Hands({ now: () => at, wait }, new HeldBytes(bytesMax)), pass };
}

/** What was taken, in the order in which it was. */
function taking(hands: Hands) {
  const taken = new Map<string, AtHand>();
  const refused: unknown[] = [];
  const take = (name: string, mib: number, owner = 'a', until = signal) =>
    void hands.take(owner, mib * MIB, until).then(
      (each) => taken.set(name, each),
      (cause: unknown) => refused.push(cause),
    );
  return { take, taken, refused, names: () => [...taken.keys()] };
}

test('of the large requests of an owner one is at hand, in their order; small ones and other owners do not wait', async () => {
  const { hands, pass } = handsAt();
  const { take, taken, names } = taking(hands);
  take('first', 10);
  take('second', 10);
  take('third', 3);
  take('small', 1);
  take('other', 10, 'b');
  await pass(100);
  expect(names()).toEqual(['first', 'small', 'other']);
  taken.get('first')?.end();
  await pass(20);
  expect(names().slice(3)).toEqual(['second']);
});

test('one that waits for a database lets the next come in, and one that is worked on does not', async () => {
  const { hands, pass } = handsAt();
  const { take, taken, names } = taking(hands);
  take('first', 10);
  await pass(10);
  const working = Promise.withResolvers<void>();
  const worked = taken.get('first')?.during(() => working.promise);
  take('second', 10);
  await pass(5_000);
  expect(names()).toEqual(['first']);
  working.resolve();
  await worked;
  await pass(240);
  expect(names()).toEqual(['first']);
  await pass(20);
  expect(names()).toEqual(['first', 'second']);
});

test('however long they wait for a database, all of an owner have no more bytes than the bound', async () => {
  const { hands, pass } = handsAt(25 * MIB);
  const { take, taken, names } = taking(hands);
  for (const name of ['first', 'second', 'third']) take(name, 10);
  await pass(2_000);
  expect(names()).toEqual(['first', 'second']);
  taken.get('first')?.end();
  await pass(20);
  expect(names()).toEqual(['first', 'second', 'third']);
});

test('the ninth is refused after a while, and one whose call has ended waits no longer', async () => {
  const { hands, pass } = handsAt();
  const { take, refused, names } = taking(hands);
  const ending = new AbortController();
  for (let at = 0; at < 7; at += 1) take(String(at), 10);
  take('ending', 10, 'a', ending.signal);
  take('ninth', 10);
  await pass(200);
  expect(refused).toEqual([expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' })]);
  ending.abort(new Error('gone'));
  await pass(10);
  expect(refused.slice(1)).toEqual([new Error('gone')]);
  expect(names()).toEqual(['0']);
});
