/** Programs in small budgets, and programs with mistakes: they end in a value or a fault of the language. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  Budget,
  compileFunctions,
  Fault,
  SyntaxFault,
} from '../../worker/language/expressions/index.ts';
import { body, INPUT } from './program.ts';

const NAMES = Object.keys(INPUT);
const ROOMY = { fuel: 1_000_000, depth: 100, outputBytes: 1_000_000 };

/** The error of a program, if it ends in one. */
function errorOf(source: string, bounds: ConstructorParameters<typeof Budget>[0]): unknown {
  try {
    const functions = compileFunctions({ f: `function f(${NAMES}) { ${source} }` });
    functions.call('f', Object.values(INPUT), new Budget(bounds, 0));
    return undefined;
  } catch (error) {
    return error;
  }
}

test('a program in any budget comes to a value or a fault with its place', () => {
  const bounds = fc.record({
    fuel: fc.integer({ min: 0, max: 3000 }),
    depth: fc.integer({ min: 0, max: 20 }),
    outputBytes: fc.integer({ min: 0, max: 10_000 }),
  });
  fc.assert(
    fc.property(body, bounds, (source, given) => {
      const error = errorOf(source, given);
      if (error === undefined) return;
      expect(error, source).toBeInstanceOf(Fault);
      expect(error).toMatchObject({ line: 1, column: expect.any(Number) });
    }),
    { numRuns: 5_000 },
  );
});

test('a program with a mistake is refused or comes to a value or a fault', () => {
  const cut = fc.tuple(
    body,
    fc.nat(),
    fc.nat(5),
    fc.constantFrom('', '(', '}', '`', 'in', '?.', '#', '\\', '=>'),
  );
  fc.assert(
    fc.property(cut, ([source, at, count, instead]) => {
      const start = at % source.length;
      const broken = source.slice(0, start) + instead + source.slice(start + count);
      const error = errorOf(broken, ROOMY);
      if (error !== undefined) expect(error, broken).toBeInstanceOf(Fault);
      if (error instanceof SyntaxFault) expect(error.column).toBeGreaterThan(0);
    }),
    { numRuns: 5_000 },
  );
});
