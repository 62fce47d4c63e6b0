/**
 * Compares the language with the JavaScript engine on as many random programs as one likes: the
 * programs of the tests, made without the means to make them smaller, which takes most of the time
 * there. Tells each that comes to something else, and ends with 1 if there is one.
 *
 * npm exec -c 'node server/run.mjs test/expressions/many.ts [--programs 100000] [--seed 1] [--shown 10]'
 */
import { parseArgs } from 'node:util';
import { type Results, resultsOfBody, resultsOfExpression } from './compare.ts';
import { sourcesBy } from './quick.ts';

const { values } = parseArgs({
  options: {
    programs: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    shown: { type: 'string', default: '10' },
  },
});

const next = sourcesBy(Number(values.seed));
let compared = 0;
let differing = 0;
const shown = Number(values.shown);

function compare(source: string, resultsOf: (source: string) => Results): void {
  try {
    const { expected, found } = resultsOf(source);
    if (expected === undefined || found === undefined) return;
    compared += 1;
    if (expected !== found) tell(source, `JavaScript: ${expected}\nlanguage:   ${found}`);
  } catch (error) {
    tell(source, String(error));
  }
}

function tell(source: string, what: string): void {
  differing += 1;
  if (differing <= shown) process.stdout.write(`${source}\n${what}\n\n`);
}

const programs = Number(values.programs);
for (let count = 0; count < programs; count += 1) {
  const { source, isBody } = next();
  compare(source, isBody ? resultsOfBody : resultsOfExpression);
}
process.stdout.write(
  `${programs} programs, ${compared} compared, ${differing} come to something else.\n`,
);
process.exitCode = differing === 0 ? 0 : 1;
