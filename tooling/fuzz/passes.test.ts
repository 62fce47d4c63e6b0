/** The flags of `npm run fuzz`, and how much is sent in which pass. */
import { describe, expect, test } from 'vitest';
import { withoutKinds } from './focus.ts';
import { readFuzzOptions } from './options.ts';
import { nextPass } from './passes.ts';

describe('flags', () => {
  test('have defaults, and a new seed each time', () => {
    const [one, other] = [readFuzzOptions([]), readFuzzOptions([])];
    expect(one).toEqual({ requests: 20_000, seed: expect.any(Number), help: false });
    expect(one.seed).not.toBe(other.seed);
  });

  test('are taken', () => {
    expect(readFuzzOptions(['--requests', '500', '--seed', '0'])).toEqual({
      requests: 500,
      seed: 0,
      help: false,
    });
  });

  test.each([
    [['--requests', '0'], "--requests takes a number from 1 to 10000000, not '0'."],
    [['--requests', 'many'], "--requests takes a number from 1 to 10000000, not 'many'."],
    [['--seed', '-1'], 'see --help.'],
    [['--seed', '4294967296'], "--seed takes a number from 0 to 4294967295, not '4294967296'."],
    [['--colour'], 'see --help.'],
    [['more'], 'see --help.'],
  ])('%j are refused', (args, message) => {
    expect(() => readFuzzOptions(args)).toThrow(message);
  });
});

describe('passes', () => {
  /** All passes of a run whose passes send as many as they are asked for. */
  function passes(wanted: number, operations: number, perCoverage = 2_000) {
    const made = [];
    for (let [index, sent] = [0, 0]; index < 20; index += 1) {
      const pass = nextPass(index, { wanted, sent, operations, seed: 7 });
      if (pass === undefined) return { made, sent };
      made.push(pass);
      if (pass.phases.includes('examples')) sent += 6 * operations;
      if (pass.phases.includes('coverage')) sent += perCoverage;
      if (pass.phases.includes('fuzzing')) sent += 0.8 * pass.examples * operations;
    }
    throw new Error('It never ends');
  }

  test('of a small run are one, of examples and chance', () => {
    expect(passes(480, 60).made).toEqual([
      { phases: 'examples,fuzzing', seed: 7, examples: 3, kinds: 'served' },
    ]);
  });

  test('of a large run begin with what covers each schema, and each has its own seed', () => {
    const { made, sent } = passes(20_000, 60);
    expect(made.map(({ phases, seed, kinds }) => [phases, seed, kinds])).toEqual([
      ['examples,coverage', 7, 'served'],
      ['fuzzing', 8, 'all'],
      ['fuzzing,stateful', 9, 'served'],
    ]);
    expect(sent).toBeGreaterThanOrEqual(20_000);
  });
});

test('a description without a kind has no choice of that kind, but where there is no other', () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const document = {
    body: { anyOf: [ref('PostgresBody'), ref('MysqlBody'), { type: 'null' }] },
    items: [{ oneOf: [ref('MongoFind')] }, ref('MysqlBody')],
  };
  expect(JSON.parse(withoutKinds(JSON.stringify(document), ['Mysql', 'Mongo']))).toEqual({
    body: { anyOf: [ref('PostgresBody'), { type: 'null' }] },
    items: [{ oneOf: [ref('MongoFind')] }, ref('MysqlBody')],
  });
});
