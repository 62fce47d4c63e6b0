/** `npm run image -- FOLDER`: does the steps of the Dockerfile in a folder, where there is no Docker. */
import { parseArgs } from 'node:util';
import { Failure, runScript } from '../server/failure.ts';
import { buildImage } from './image-folder.ts';

const HELP = `Does the steps of the Dockerfile in a folder, where there is no Docker.

Usage: npm run image -- FOLDER

  FOLDER   new or empty; becomes what the image has in /causeway
  --help   this text
`;

await runScript(async () => {
  const { values, positionals } = parse(process.argv.slice(2));
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const [folder, ...others] = positionals;
  if (folder === undefined || others.length > 0) {
    throw new Failure('One folder is to be named: npm run image -- FOLDER.');
  }
  await buildImage(folder);
  console.log(`${folder} is as the image's /causeway.`);
});

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: { help: { type: 'boolean' } }, allowPositionals: true });
  } catch (cause) {
    throw new Failure('There is no such flag; see --help.', { cause });
  }
}
