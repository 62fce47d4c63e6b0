/** `npm run check`: types, lint, format, rooms, exports, and whether generated code is what its sources generate. */
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../server/bundle.ts';
import { Failure, runScript } from '../server/failure.ts';
import { runTool, type ToolResult } from '../server/tools.ts';
import { ERRORS_PAGE, errorsPage } from './errors-page.ts';
import { exportFaults } from './exports.ts';
import { imports, ROOMS_PAGE, roomFaults, withRooms } from './rooms.ts';
import { staleCopies } from './spec-copies.ts';
import { TEMPLATES_PAGE, withTransformers } from './transformers-table.ts';

interface Step {
  readonly name: string;
  run(): Promise<ToolResult>;
}

const tool = (name: string, ...args: string[]): Step => ({
  name: `${name} ${args.join(' ')}`,
  run: () => runTool(name, args),
});

/** What was checked before and did not change is not checked again: a twentieth of the time. */
const types = (project: string): Step => {
  const name = project === '.' ? 'root' : project;
  const known = join('node_modules/.cache/causeway/types', `${name}.tsbuildinfo`);
  return tool('tsc', '-p', project, '--incremental', '--tsBuildInfoFile', known);
};

const STEPS: readonly Step[] = [
  types('.'),
  types('worker'),
  types('node-relay'),
  tool('biome', 'ci', '--colors=off', '.'),
  tool('buf', 'lint'),
  { name: 'generated code of proto/', run: protoIsFresh },
  { name: 'migrations of worker/db/schema.ts', run: migrationsAreFresh },
  { name: 'rooms: who imports whom', run: roomsHold },
  { name: 'exports: who imports them', run: exportsAreUsed },
  { name: 'pages of docs/', run: pagesAreFresh },
];

await runScript(async () => {
  const started = performance.now();
  const failed = (await Promise.all(STEPS.map(outcome))).filter((ok) => !ok).length;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (failed > 0) throw new Failure(`${failed} of ${STEPS.length} checks failed (${seconds} s).`);
  console.log(`${STEPS.length} checks passed (${seconds} s).`);
});

async function outcome({ name, run }: Step): Promise<boolean> {
  const { ok, output } = await run();
  if (!ok) console.error(`✗ ${name}\n${output}\n`);
  return ok;
}

/** Arrows of imports and lengths of files; where they hold, whether the picture of the rooms is today's. */
async function roomsHold(): Promise<ToolResult> {
  const found = await imports();
  const faults = await roomFaults(found);
  if (faults.length > 0) return { ok: false, output: faults.join('\n') };
  const page = await readFile(join(ROOT, ROOMS_PAGE), 'utf8');
  const ok = page === withRooms(page, found);
  return { ok, output: ok ? '' : `${ROOMS_PAGE} is stale: run npm run generate` };
}

async function exportsAreUsed(): Promise<ToolResult> {
  const faults = await exportFaults();
  return { ok: faults.length === 0, output: faults.join('\n') };
}

/** Generates into a folder of its own and compares. */
async function protoIsFresh(): Promise<ToolResult> {
  return inFolder(async (folder) => {
    const made = await runTool('buf', ['generate', '--output', folder]);
    if (!made.ok) return made;
    return compare(join(folder, 'proto/gen'), join(ROOT, 'proto/gen'));
  });
}

/** Generates next to a copy of the migrations: there is nothing to add when they are complete. */
async function migrationsAreFresh(): Promise<ToolResult> {
  return inFolder(async (folder) => {
    const copy = join(folder, 'migrations');
    await cp(join(ROOT, 'migrations'), copy, { recursive: true });
    const made = await runTool('drizzle-kit', [
      'generate',
      '--dialect=sqlite',
      '--schema=worker/db/schema.ts',
      `--out=${copy}`,
    ]);
    if (!made.ok) return made;
    return compare(copy, join(ROOT, 'migrations'));
  });
}

async function pagesAreFresh(): Promise<ToolResult> {
  const kept = await readFile(join(ROOT, ERRORS_PAGE), 'utf8').catch(() => '');
  const templates = await readFile(join(ROOT, TEMPLATES_PAGE), 'utf8');
  const stale = [
    ...(kept === errorsPage() ? [] : [ERRORS_PAGE]),
    ...(templates === withTransformers(templates) ? [] : [TEMPLATES_PAGE]),
    ...(await staleCopies(ROOT)),
  ];
  const output = stale.map((page) => `${page} is stale: run npm run generate`).join('\n');
  return { ok: stale.length === 0, output };
}

async function inFolder(work: (folder: string) => Promise<ToolResult>): Promise<ToolResult> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-check-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function compare(made: string, kept: string): Promise<ToolResult> {
  const [expected, found] = await Promise.all([contents(made), contents(kept)]);
  const stale = [...new Set([...expected.keys(), ...found.keys()])].filter(
    (name) => expected.get(name) !== found.get(name),
  );
  const output = stale.map((name) => `${name} is stale: run npm run generate`).join('\n');
  return { ok: stale.length === 0, output };
}

async function contents(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(
      files.map(
        async (file) => [file.slice(folder.length + 1), await readFile(file, 'utf8')] as const,
      ),
    ),
  );
}
