/** The rooms of the house as the imports make them: whether each arrow is allowed, how long files are, and the picture in docs/architecture.md. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { FORBIDDEN, LAYERS, OPTIONS, RELAY_LAYERS, ROOMS } from '../dependency-cruiser.config.ts';
import { ROOT } from '../server/bundle.ts';

/** The page that shows the rooms. */
export const ROOMS_PAGE = 'docs/architecture.md';
const LINES_MAX = 300;
/** What a file says of itself, or of what has made it. */
const OPENING = /^(#!.*\n)?(\/\*\*|\/\/ @generated)/;
/** What is read: the sources of ours, not what is generated or brought along. */
const SOURCES = [...Object.keys(ROOMS), 'test'];
/** What we write ourselves, not what is brought along. */
const OURS = /^(?!vendor|node_modules|test\/conformance).*\.ts$/;
const BEGIN = '<!-- rooms: made by npm run generate -->';
const END = '<!-- /rooms -->';

/** Imports of a folder, judged by the rules. @param root a checkout, or a tree laid out like one */
export async function imports(root = ROOT, folders: string[] = SOURCES): Promise<ICruiseResult> {
  const { output } = await cruise(
    folders,
    { ...OPTIONS, baseDir: root, validate: true, ruleSet: { forbidden: FORBIDDEN } },
    { extensions: ['.ts', '.mjs', '.js', '.json'] },
  );
  if (typeof output === 'string') throw new Error(output);
  return output;
}

/** What breaks the rules, a line each: arrows that lead up, circles, files that are too long or do not say what they are for. */
export async function roomFaults(
  { summary, modules }: ICruiseResult,
  root = ROOT,
): Promise<string[]> {
  const arrows = summary.violations.map(({ rule, from, to, cycle }) => {
    const way = cycle ? cycle.map(({ name }) => name).join(' → ') : to;
    return `${rule.name}: ${from} → ${way}`;
  });
  const sources = modules.map(({ source }) => source).filter((file) => OURS.test(file));
  const files = new Set([...sources, ...(await testFiles(root))]);
  const within = await Promise.all(
    [...files].map(async (file) =>
      fileFaults(file, await readFile(join(root, file), 'utf8').catch(() => '')),
    ),
  );
  return [...arrows, ...within.flat()];
}

function fileFaults(file: string, text: string): string[] {
  const lines = text.split('\n').length - 1;
  const opens = text === '' || file.endsWith('.test.ts') || OPENING.test(text);
  return [
    ...(lines > LINES_MAX ? [`at most ${LINES_MAX} lines a file: ${file} has ${lines}`] : []),
    ...(opens ? [] : [`a file opens with one line on what it is for: ${file} does not`]),
  ];
}

/** Files below `test/`: of most of them the imports are not judged, but their length is. */
async function testFiles(root: string): Promise<string[]> {
  const all = await readdir(join(root, 'test'), { recursive: true }).catch(() => []);
  return all.map((file) => `test/${file}`).filter((file) => OURS.test(file));
}

/** A text with the picture of the rooms in its place. */
export function withRooms(page: string, result: ICruiseResult): string {
  const [before, after] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (before < 0 || after < 0) throw new Error(`${ROOMS_PAGE} has no place for the rooms.`);
  return `${page.slice(0, before + BEGIN.length)}\n\n${picture(result)}\n\n${page.slice(after)}`;
}

interface Room {
  readonly name: string;
  readonly pattern: RegExp;
}

/** The layers of the worker and of the relay; each other folder is one room. */
const PICTURED: readonly Room[] = [
  ...LAYERS.map(([name, pattern]) => ({ name: `worker: ${name}`, pattern: new RegExp(pattern) })),
  ...RELAY_LAYERS.map(([name, pattern]) => ({
    name: `relay: ${name}`,
    pattern: new RegExp(pattern),
  })),
  ...['kinds', 'proto', 'server'].map((name) => ({ name, pattern: new RegExp(`^${name}/`) })),
];

/**
 * A diagram of Mermaid's: an arrow for each room that imports another by value, tests left out. An
 * arrow that other arrows make a way of is not drawn.
 */
function picture({ modules }: ICruiseResult): string {
  const below = PICTURED.map(() => new Set<number>());
  for (const { source, dependencies } of modules) {
    const from = roomOf(source);
    for (const { resolved, dependencyTypes } of dependencies) {
      const to = roomOf(resolved);
      if (to >= 0 && to !== from && !dependencyTypes.includes('type-only')) below[from]?.add(to);
    }
  }
  const leadsTo = (from: number, to: number): boolean =>
    [...(below[from] ?? [])].some((next) => next === to || leadsTo(next, to));
  const arrows = below.flatMap((rooms, from) =>
    [...rooms]
      .filter((to) => ![...rooms].some((other) => other !== to && leadsTo(other, to)))
      .sort((left, right) => left - right)
      .map((to) => `  r${from} --> r${to}`),
  );
  const names = PICTURED.map(({ name }, at) => `  r${at}["${name}"]`);
  return ['```mermaid', 'flowchart TD', ...names, ...arrows, '```'].join('\n');
}

/** Which of the pictured rooms a file is in; -1 for tests and for what is not shown. */
function roomOf(file: string): number {
  if (/\.test\.ts$|\/test\//.test(file)) return -1;
  return PICTURED.findIndex(({ pattern }) => pattern.test(file));
}
