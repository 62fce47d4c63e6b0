/** Which known name a wrong one stands for. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hintFor, meantName } from './near-name.ts';

describe('a wrong name', () => {
  test.each([
    ['endpont', ['config', 'endpoint', 'kind'], 'endpoint'],
    ['enpdoint', ['config', 'endpoint', 'kind'], 'endpoint'],
    ['tpye', ['type', 'query'], 'type'],
    ['Query', ['type', 'query'], 'query'],
    ['superAdmins', ['id', 'super_admins'], 'super_admins'],
    ['id', ['endpoint', 'kind', 'config'], 'endpoint'],
    ['sql', ['query', 'params'], 'query'],
    ['args', ['query', 'params'], 'params'],
    ['args', ['type', 'args'], 'args'],
    ['password', ['url', 'auth'], 'auth'],
  ])('%s among %j means %s', (given, known, meant) => {
    expect(meantName(given, known)).toBe(meant);
    expect(hintFor(given, known)).toBe(`did you mean "${meant}"?`);
  });

  test.each([
    ['colour', ['endpoint', 'kind'], 'known are endpoint, kind'],
    ['sql', ['url'], 'known are url'],
    ['by', ['id'], 'known are id'],
    ['x', [], 'nothing is taken here'],
  ])('%s among %j means none of them', (given, known, hint) => {
    expect([meantName(given, known), hintFor(given, known)]).toEqual([undefined, hint]);
  });

  test('of at most two edits means the name that was edited', () => {
    const name = 'backend_pool_limits';
    const letter = fc.constantFrom(...'abcxyz_');
    const edit = fc.record({ at: fc.nat(name.length - 2), letter, how: fc.constantFrom(0, 1, 2) });
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 2 }), (edits) => {
        const given = edits.reduce(
          (text, { at, letter: one, how }) =>
            text.slice(0, at) + (how === 0 ? '' : one) + text.slice(how === 1 ? at : at + 1),
          name,
        );
        expect(meantName(given, ['kind', name, 'config'])).toBe(name);
      }),
    );
  });
});

test('a name longer than any that is known means none, and is not compared', () => {
  expect(meantName(`${'x'.repeat(10_000_000)}`, ['query', 'params'])).toBeUndefined();
});
