/** Part of `npm run generate`: writes the pages of docs/ that are made of code. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../server/bundle.ts';
import { runScript } from '../server/failure.ts';
import { ERRORS_PAGE, errorsPage } from './errors-page.ts';
import { imports, ROOMS_PAGE, withRooms } from './rooms.ts';
import { writeCopies } from './spec-copies.ts';
import { TEMPLATES_PAGE, withTransformers } from './transformers-table.ts';

await runScript(async () => {
  await writeFile(join(ROOT, ERRORS_PAGE), errorsPage());
  await writeCopies(ROOT);
  const page = join(ROOT, TEMPLATES_PAGE);
  await writeFile(page, withTransformers(await readFile(page, 'utf8')));
  const rooms = join(ROOT, ROOMS_PAGE);
  await writeFile(rooms, withRooms(await readFile(rooms, 'utf8'), await imports()));
});
