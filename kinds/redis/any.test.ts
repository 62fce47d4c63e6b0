/** Whatever comes, it is a command of words or it is refused; and the keys of any command can be looked for. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isForAdmins, modeOfCommand } from './effects.ts';
import { keysOf } from './keys.ts';
import { RedisRequest } from './request.ts';
import { allCommands } from './table.ts';

const commands = [...allCommands()];
const isWord = (word: unknown) =>
  typeof word === 'string' ||
  (typeof word === 'object' && word !== null && Object.keys(word).join() === '$bytes');

/** A command with members of its own names, and values of any sort. */
const request = fc.constantFrom(...commands).chain(({ name, grammar }) => {
  const own = [...(grammar?.slots.keys() ?? [])];
  const member = own.length === 0 ? fc.string() : fc.oneof(fc.constantFrom(...own), fc.string());
  const nested = fc.dictionary(member, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 });
  const value = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    nested,
    fc.array(fc.oneof(fc.string(), fc.integer(), nested), { maxLength: 3 }),
  );
  return fc
    .dictionary(member, value, { maxKeys: 6 })
    .map((members) => ({ ...members, type: name }));
});

test('any members of any command', () => {
  void fc.assert(
    fc.property(request, (given) => {
      const { success, data, error } = RedisRequest.safeParse(given);
      if (!success) {
        expect(error.issues.length).toBeGreaterThan(0);
        return;
      }
      const args = 'args' in data ? data.args : [];
      expect(args.every(isWord)).toBe(true);
      expect(RedisRequest.parse(JSON.parse(JSON.stringify(data)))).toEqual(data);
    }),
    { numRuns: 3000 },
  );
});

test('any words of any command', () => {
  const word = fc.oneof(
    fc.string(),
    fc.integer().map(String),
    fc.constantFrom('STREAMS', 'KEYS', 'STORE', 'BLOCK', '-1', '99999999999'),
    fc.uint8Array().map((each) => ({ $bytes: btoa(String.fromCharCode(...each)) })),
  );
  void fc.assert(
    fc.property(fc.constantFrom(...commands), fc.array(word), ({ name }, args) => {
      const command = { type: name, args };
      const keys = keysOf(command);
      expect(keys.every((key) => args.includes(key))).toBe(true);
      expect(['read', 'write']).toContain(modeOfCommand(command));
      // MONITOR alone reports others and changes nothing.
      if (isForAdmins(command) && name !== 'monitor') {
        expect(modeOfCommand(command)).toBe('write');
      }
    }),
    { numRuns: 3000 },
  );
});
