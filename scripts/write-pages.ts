/** Part of `npm run generate`: writes the pages of docs/ that are made of code. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './bundle.ts';
import { ERRORS_PAGE, errorsPage } from './errors-page.ts';
import { runScript } from './failure.ts';

await runScript(() => writeFile(join(ROOT, ERRORS_PAGE), errorsPage()));
