/** `npm run prove -- NAME`: one of the proofs of `test/proofs/`, as large as one asks for. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { ROOT } from '../server/bundle.ts';
import { Failure, runScript } from '../server/failure.ts';
import { Shutdown, stopOnSignals } from '../server/shutdown.ts';
import type { Proof, ProofOptions } from '../test/proofs/proof.ts';
import { setup } from '../test/run.ts';

const PROOFS = join(ROOT, 'test/proofs');
/** Most faults of a run that are printed. */
const SHOWN = 50;

const HELP = `Proves a promise by generated cases against real servers; exit code 1 when one breaks it.

Usage: npm run prove -- NAME [flags]

  --count N   at most so many cases (each proof has its own default)
  --kind K    of a proof over several kinds of backend, that one alone
  --seed S    makes the same cases again (1)
  --help      this text
`;

await runScript(async () => {
  const { values, positionals } = parse(process.argv.slice(2));
  const [name, ...others] = positionals;
  if (values.help || name === undefined) {
    process.stdout.write(`${HELP}\nProofs:\n${(await describeAll()).join('\n')}\n`);
    return;
  }
  if (others.length > 0) throw new Failure(`One proof at a time, not also '${others.join(' ')}'.`);
  const proof = await load(name);
  const seed = wholeNumber('seed', values.seed ?? '1', 0);
  const count = wholeNumber('count', values.count ?? String(proof.count), 1);
  const shutdown = new Shutdown();
  stopOnSignals(shutdown);
  try {
    await shutdown.add(await setup());
    process.exitCode = await prove(name, proof, { seed, count, kind: values.kind });
  } finally {
    await shutdown.stop();
  }
  // A driver's idle connection must not keep a proof from ending.
  process.exit();
});

async function prove(name: string, proof: Proof, asked: Omit<ProofOptions, 'progress'>) {
  console.log(`${proof.promise}\n${name} --seed ${asked.seed} --count ${asked.count}`);
  const started = performance.now();
  const { cases, faults, figures } = await proof.run({
    ...asked,
    progress: (sentence) => console.log(sentence),
  });
  const seconds = Math.round((performance.now() - started) / 1000);
  for (const fault of faults.slice(0, SHOWN)) console.log(`✗ ${fault}`);
  if (faults.length > SHOWN) console.log(`… and ${faults.length - SHOWN} more`);
  for (const [what, figure] of Object.entries(figures)) console.log(`${what}: ${figure}`);
  console.log(`${cases} cases, ${faults.length} faults, ${seconds} s`);
  return faults.length === 0 && cases > 0 ? 0 : 1;
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        count: { type: 'string' },
        seed: { type: 'string' },
        kind: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (thrown) {
    const [sentence] = thrown instanceof Error ? thrown.message.split('. ') : [];
    throw new Failure(`${sentence}; see --help.`, { cause: thrown });
  }
}

function wholeNumber(flag: string, text: string, min: number): number {
  const value = Number(text);
  if (/^\d{1,9}$/.test(text) && value >= min) return value;
  throw new Failure(`--${flag} takes a whole number from ${min}, not '${text}'.`);
}

async function names(): Promise<string[]> {
  const entries = await readdir(PROOFS, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

async function describeAll(): Promise<string[]> {
  const all = await names();
  return Promise.all(all.map(async (name) => `  ${name.padEnd(28)}${(await load(name)).promise}`));
}

/** `test/proofs/NAME/proof.ts` exports `proof`. */
async function load(name: string): Promise<Proof> {
  const known = await names();
  if (!known.includes(name)) {
    throw new Failure(`There is no proof '${name}'; there are ${known.join(', ') || 'none'}.`);
  }
  const file = pathToFileURL(join(PROOFS, name, 'proof.ts')).href;
  const { proof } = (await import(file)) as { proof: Proof }; // By convention of the folder.
  return proof;
}
