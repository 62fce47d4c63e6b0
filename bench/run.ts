/** `npm run bench -- NAME`: one of the measurements of this folder. A measurement is a file whose head says how to run it. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Failure, runScript } from '../server/failure.ts';

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
  if (name === undefined || name === '--help') {
    process.stdout.write(help(all));
    return;
  }
  if (!all.some((each) => each.name === name)) {
    const names = all.map((each) => each.name).join(', ');
    throw new Failure(`There is no measurement '${name}'; there are ${names}.`);
  }
  const file = join(import.meta.dirname, `${name}.ts`);
  process.argv = [process.execPath, file, ...flags];
  await import(pathToFileURL(file).href);
});

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
  const lines = all.map(({ name, flags, about }) => `  ${name} ${flags}\n      ${about}.`);
  return `Measures, each time against a baseline of the same run.

Usage: npm run bench -- NAME [flags]

${lines.join('\n')}
`;
}
