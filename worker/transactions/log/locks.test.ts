/** Which transactions hold what, and which wait. Spec: transactions.md §4. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Claims, Locks } from './locks.ts';

test('two on one endpoint: the second waits, and has it next', () => {
  const locks = new Locks();
  expect(locks.ask('one', { endpoints: ['a', 'b'] })).toEqual({
    answer: { is: 'held' },
    changed: [],
  });
  expect(locks.ask('two', { endpoints: ['b'] }).answer).toEqual({ is: 'waits' });
  expect(locks.release('one')).toEqual([{ transaction: 'two', answer: { is: 'held' } }]);
  expect(locks.heldBy('two')).toEqual(['b']);
});

test.each<[string, string[] | undefined, string[] | undefined, boolean]>([
  ['without keys', undefined, undefined, true],
  ['where one has keys', ['k'], undefined, true],
  ['with a key in common', ['k', 'l'], ['l', 'm'], true],
  ['with keys of their own', ['k'], ['l'], false],
])('two on one endpoint %s', (_, one, other, conflict) => {
  const locks = new Locks();
  locks.ask('one', { endpoints: ['a'], keys: one });
  const { answer } = locks.ask('other', { endpoints: ['a'], keys: other });
  expect(answer).toEqual({ is: conflict ? 'waits' : 'held' });
});

test('who waits for more than is free takes nothing, and is not overtaken', () => {
  const locks = new Locks();
  locks.ask('one', { endpoints: ['a'] });
  locks.ask('two', { endpoints: ['a', 'b'] });
  expect(locks.ask('three', { endpoints: ['b'] }).answer).toEqual({ is: 'waits' });
  expect(locks.release('one').map(({ transaction }) => transaction)).toEqual(['two']);
  expect(locks.release('two').map(({ transaction }) => transaction)).toEqual(['three']);
});

test('a wait that closes a circle is told at once, and leaves what is held as it is', () => {
  const locks = new Locks();
  locks.ask('one', { endpoints: ['a'] });
  locks.ask('two', { endpoints: ['b'] });
  expect(locks.ask('one', { endpoints: ['b'] }).answer).toEqual({ is: 'waits' });
  expect(locks.ask('two', { endpoints: ['a'] }).answer).toEqual({ is: 'circle' });
  expect(locks.heldBy('two')).toEqual(['b']);
  expect(locks.release('two')).toEqual([{ transaction: 'one', answer: { is: 'held' } }]);
});

test('who holds what an earlier one waits for goes before it', () => {
  const locks = new Locks();
  locks.ask('one', { endpoints: ['a'] });
  expect(locks.ask('two', { endpoints: ['a', 'b'] }).answer).toEqual({ is: 'waits' });
  expect(locks.ask('one', { endpoints: ['b'] }).answer).toEqual({ is: 'held' });
});

test('what one in doubt holds is refused by its name, also to those that wait already', () => {
  const locks = new Locks();
  locks.ask('one', { endpoints: ['a'] });
  locks.ask('two', { endpoints: ['a'] });
  const answer = { is: 'doubt', holder: 'one' };
  expect(locks.doubt('one')).toEqual([{ transaction: 'two', answer }]);
  expect(locks.ask('three', { endpoints: ['a'] }).answer).toEqual(answer);
  expect(locks.release('one')).toEqual([]);
  expect(locks.ask('three', { endpoints: ['a'] }).answer).toEqual({ is: 'held' });
});

test('who leaves the line lets those behind go on', () => {
  const locks = new Locks();
  locks.ask('one', { endpoints: ['a'] });
  locks.ask('two', { endpoints: ['a', 'b'] });
  locks.ask('three', { endpoints: ['b'] });
  expect(locks.leave('two')).toEqual([{ transaction: 'three', answer: { is: 'held' } }]);
});

const endpoints = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1 });
const keys = fc.option(fc.uniqueArray(fc.constantFrom('k', 'l', 'm')), { nil: undefined });
const steps = fc.array(
  fc.record({ who: fc.nat(5), act: fc.constantFrom('ask', 'ask', 'release', 'leave'), endpoints }),
  { maxLength: 60 },
);

/** Plays steps on locks next to a record of who was told that they hold what. */
function play(
  own: readonly (string[] | undefined)[],
  given: readonly { who: number; act: string; endpoints: string[] }[],
) {
  const locks = new Locks();
  const held = new Map<number, Set<string>>();
  const wanted = new Map<number, string[]>();
  const take = (who: number) => {
    held.set(who, new Set([...(held.get(who) ?? []), ...(wanted.get(who) ?? [])]));
    wanted.delete(who);
  };
  const told = (changed: ReturnType<Locks['release']>) => {
    for (const { transaction } of changed) take(Number(transaction));
  };
  const conflict = (one: number, other: number) => {
    const [a, b] = [own[one], own[other]];
    return !(a && b) || a.some((key) => b.includes(key));
  };
  const check = () => {
    for (const [one, mine] of held) {
      for (const [other, theirs] of held) {
        if (one !== other && conflict(one, other)) expect(mine.isDisjointFrom(theirs)).toBe(true);
      }
    }
  };
  for (const { who, act, endpoints: more } of given) {
    if (act === 'ask' && !wanted.has(who)) {
      const claims: Claims = { endpoints: more, keys: own[who] };
      const { answer, changed } = locks.ask(`${who}`, claims);
      if (answer.is !== 'circle') wanted.set(who, more);
      if (answer.is === 'held') take(who);
      told(changed);
    } else if (act === 'release') {
      held.delete(who);
      wanted.delete(who);
      told(locks.release(`${who}`));
    } else if (act === 'leave') {
      wanted.delete(who);
      told(locks.leave(`${who}`));
    }
    check();
  }
  return { locks, held, wanted, told };
}

test('no two that conflict hold one endpoint; a waiting one is let in once others give back', () => {
  fc.assert(
    fc.property(fc.array(keys, { minLength: 6, maxLength: 6 }), steps, (own, given) => {
      const { locks, held, wanted, told } = play(own, given);
      // Those that wait for nobody end, until nobody is left.
      for (let round = 0; wanted.size > 0 && round < 10; round += 1) {
        for (const who of [...held.keys()].filter((each) => !wanted.has(each))) {
          held.delete(who);
          told(locks.release(`${who}`));
        }
      }
      expect([...wanted.keys()]).toEqual([]);
    }),
    { numRuns: 500 },
  );
});
