/** `npm run conformance -- NAME`: one of the public suites of `test/suites/`. */
import { parseArgs } from 'node:util';
import { Failure, runScript } from '../server/failure.ts';
import { Shutdown, stopOnSignals } from '../server/shutdown.ts';
import { suites } from '../test/suites/index.ts';
import type { Suite } from '../test/suites/suite.ts';
import { differencesOf, judge, type Verdict } from '../test/suites/verdict.ts';

/** Most differences of a run that are printed. */
const SHOWN = 50;

const HELP = `Runs a public suite. What comes out otherwise than the suite says is listed with its reason
in test/suites/differences/NAME.json; exit code 1 when a case differs that is not listed, or
one that is listed no longer differs.

Usage: npm run conformance -- NAME [flags]

  --from FOLDER   where the suite's files lie, of those that are not part of this repository
  --help          this text

Suites:
`;

await runScript(async () => {
  const { values, positionals } = parse(process.argv.slice(2));
  const [name, ...others] = positionals;
  if (values.help || name === undefined) {
    process.stdout.write(HELP + Object.entries(suites).map(describe).join(''));
    return;
  }
  if (others.length > 0) throw new Failure(`One suite at a time, not also '${others.join(' ')}'.`);
  const suite = suites[name];
  if (!suite) {
    throw new Failure(`There is no suite '${name}'; there are ${Object.keys(suites).join(', ')}.`);
  }
  const { from } = values;
  const { folder } = suite;
  if (folder?.needed && from === undefined) {
    throw new Failure(`The suite ${name} needs --from FOLDER, ${folder.of}.`);
  }
  if (!folder && from !== undefined) throw new Failure(`The suite ${name} takes no --from.`);
  const shutdown = new Shutdown();
  stopOnSignals(shutdown);
  try {
    process.exitCode = await run(name, suite, from, shutdown);
  } finally {
    await shutdown.stop();
  }
  // A driver's idle connection must not keep a suite from ending.
  process.exit();
});

async function run(name: string, suite: Suite, from: string | undefined, shutdown: Shutdown) {
  console.log(`${name}: ${suite.compares}`);
  const progress = (sentence: string) => console.log(sentence);
  const outcome = await suite.run({ from, shutdown, progress });
  const verdict = judge(outcome, await differencesOf(name));
  for (const [reason, count] of verdict.listed) console.log(`${count} listed: ${reason}`);
  const faults = [
    ...verdict.unexpected.map(([each, how]) => `✗ ${each}: ${how}`),
    ...verdict.stale.map((each) => `✗ ${each}: is listed and no longer differs`),
  ];
  for (const fault of faults.slice(0, SHOWN)) console.log(fault);
  if (faults.length > SHOWN) console.log(`… and ${faults.length - SHOWN} more`);
  for (const [what, figure] of Object.entries(outcome.figures ?? {})) {
    console.log(`${what}: ${figure}`);
  }
  if (outcome.skipped > 0) console.log(`${outcome.skipped} left out by the suite itself`);
  console.log(sumOf(verdict));
  return faults.length > 0 ? 1 : 0;
}

function sumOf({ passed, listed, unexpected, stale }: Verdict): string {
  const differ = [...listed.values()].reduce((sum, count) => sum + count, 0);
  const no = stale.length > 0 ? `, ${stale.length} listed without cause` : '';
  return `${passed} passed, ${differ} differ (listed), ${unexpected.length} unexpected${no}`;
}

function describe([name, { compares, cases, folder }]: [string, Suite]): string {
  const from = folder
    ? `\n    --from: ${folder.of}${folder.needed ? '' : '; without, fetched'}`
    : '';
  return `\n  ${name}\n    compares ${compares}\n    cases: ${cases}${from}\n`;
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: { from: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    });
  } catch (thrown) {
    const [sentence] = thrown instanceof Error ? thrown.message.split('. ') : [];
    throw new Failure(`${sentence}; see --help.`, { cause: thrown });
  }
}
