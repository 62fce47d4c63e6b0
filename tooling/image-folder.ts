/** The steps of the Dockerfile, done in a folder: what the image has, where there is no Docker. */
import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../server/bundle.ts';
import { Failure } from '../server/failure.ts';

/** What a system does for the image, and a folder does not need. */
const OF_SYSTEM = /^(apt-get|rm -rf \/var|mkdir -p \/data|chown)/;

/**
 * Makes what the image has in /causeway, of the same files and by the same commands.
 * @throws Failure when the folder has something in it, or a command fails
 */
export async function buildImage(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0) throw new Failure(`${folder} is not empty.`);
  for (const step of await stepsOf(join(ROOT, 'Dockerfile'))) {
    if (step.type === 'copy') await copy(step.sources, folder);
    else await run(step.command, folder);
  }
}

type Step =
  | { readonly type: 'copy'; readonly sources: readonly string[] }
  | { readonly type: 'run'; readonly command: string };

/** Instructions that fill the folder, in their order. */
async function stepsOf(dockerfile: string): Promise<Step[]> {
  const text = (await readFile(dockerfile, 'utf8')).replace(/\\\n\s*/g, '');
  return text.split('\n').flatMap((line): Step[] => {
    const [, instruction, rest = ''] = /^(COPY|RUN) (.*)$/.exec(line) ?? [];
    if (instruction === 'COPY') {
      // From the first stage: it is this folder.
      return rest.startsWith('--from=')
        ? []
        : [{ type: 'copy', sources: rest.split(' ').slice(0, -1) }];
    }
    if (instruction !== 'RUN') return [];
    const commands = rest.split('&&').map((each) => each.trim());
    return commands
      .filter((command) => !OF_SYSTEM.test(command))
      .map((command): Step => ({ type: 'run', command }));
  });
}

async function copy(sources: readonly string[], folder: string): Promise<void> {
  const isTaken = await takenByDocker();
  for (const source of sources) {
    const from = join(ROOT, source);
    await cp(from, join(folder, source), {
      recursive: true,
      // Of the whole: node_modules was made by a command.
      filter: (path) => isTaken(relative(ROOT, path)),
    });
  }
}

/** Which paths .dockerignore leaves in, of the forms of patterns that it uses. */
async function takenByDocker(): Promise<(path: string) => boolean> {
  const text = await readFile(join(ROOT, '.dockerignore'), 'utf8');
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const taken = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
  const below = lines.filter((line) => line.startsWith('**/')).map((line) => line.slice(3));
  return (path) => {
    if (path === '') return true;
    const [top = '', ...rest] = path.split('/');
    const isBelow = [top, ...rest].some((name) =>
      below.some((each) => (each.startsWith('*') ? name.endsWith(each.slice(1)) : name === each)),
    );
    return taken.includes(top) && !isBelow;
  };
}

async function run(command: string, folder: string): Promise<void> {
  await promisify(execFile)('sh', ['-c', command], { cwd: folder }).catch((cause: unknown) => {
    throw new Failure(`${command} failed in ${folder}.`, { cause });
  });
}
