/** `npm run bench`: all measurements of this folder, or one by its name. A measurement is a file whose head says how to run it. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Failure, runScript, systemCode } from '../server/failure.ts';
import { thisMachine } from './whole/machine.ts';
import { measure, type Outcome } from './whole/measure.ts';
import { PLAN } from './whole/plan.ts';
import { resultsPage } from './whole/results.ts';

/** A file that measures when it is loaded. */
interface Measurement {
  readonly name: string;
  /** Such as `[--rounds 5] [--seconds 2]`. */
  readonly flags: string;
  /** What its head says before the first full stop. */
  readonly about: string;
}

await runScript(async () => {
  const [name, ...flags] = process.argv.slice(2);
  const all = await measurements();
  if (name === '--help') {
    process.stdout.write(help(all));
    return;
  }
  if (name === undefined || name.startsWith('--')) {
    await measureAll();
    return;
  }
  const asked = all.find((each) => each.name === name);
  if (asked === undefined) {
    const names = all.map((each) => each.name).join(', ');
    throw new Failure(`There is no measurement '${name}'; there are ${names}.`);
  }
  if (flags.includes('--help')) process.stdout.write(lineOf(asked));
  else await run(asked, flags);
});

/** Runs one measurement. @throws Failure for flags that it does not have */
async function run({ name, flags: known }: Measurement, flags: readonly string[]): Promise<void> {
  const file = join(import.meta.dirname, `${name}.ts`);
  process.argv = [process.execPath, file, ...flags];
  try {
    await import(pathToFileURL(file).href);
  } catch (thrown) {
    if (!systemCode(thrown)?.startsWith('ERR_PARSE_ARGS') || !(thrown instanceof Error))
      throw thrown;
    const [what] = thrown.message.split('. ', 1);
    throw new Failure(`${what}. Its flags: ${known === '' ? 'none' : known}.`);
  }
}

/** Runs all, or those that are named, and writes the page after each: what was measured is not lost. */
async function measureAll(): Promise<void> {
  const { values } = parseArgs({
    options: {
      of: { type: 'string', default: PLAN.map((each) => each.name).join() },
      results: { type: 'string', default: join(import.meta.dirname, 'RESULTS.md') },
    },
  });
  const names = values.of.split(',');
  const unknown = names.find((each) => !PLAN.some((planned) => planned.name === each));
  if (unknown !== undefined) throw new Failure(`There is no measurement '${unknown}'.`);
  const machine = await thisMachine();
  const outcomes: Outcome[] = [];
  for (const planned of PLAN.filter((each) => names.includes(each.name))) {
    console.log(`\n## ${[planned.name, ...planned.flags].join(' ')}`);
    outcomes.push(await measure([import.meta.filename], planned));
    await writeFile(values.results, resultsPage(machine, outcomes));
  }
  console.log(`\nWritten to ${values.results}.`);
}

async function measurements(): Promise<Measurement[]> {
  const files = (await readdir(import.meta.dirname)).filter((file) => file.endsWith('.ts')).sort();
  const found = await Promise.all(
    files.map(async (file) => {
      const name = file.slice(0, -'.ts'.length);
      const text = await readFile(join(import.meta.dirname, file), 'utf8');
      const [head = ''] = text.split('*/', 1);
      const usage = new RegExp(`^ \\* npm run bench -- ${name}\\b(.*)$`, 'm').exec(head);
      if (usage === null) return [];
      const words = head.replaceAll(/^\/?\*+ ?| \* ?/gm, ' ').replaceAll(/\s+/g, ' ');
      const about = words.split(/[:;.] /, 1)[0]?.trim() ?? '';
      return [{ name, flags: usage[1]?.trim() ?? '', about }];
    }),
  );
  return found.flat();
}

function help(all: readonly Measurement[]): string {
  return `Measures, each time against a baseline of the same run.

Usage: npm run bench [-- --of NAME,NAME] [--results FILE]
         all of them, or those, in less than half an hour; writes bench/RESULTS.md
       npm run bench -- NAME [flags]
         one

${all.map(lineOf).join('')}`;
}

function lineOf({ name, flags, about }: Measurement): string {
  return `  ${name} ${flags}\n      ${about}.\n`;
}
