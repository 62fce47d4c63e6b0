/**
 * Writes kinds/redis/generated/: what real servers say of their commands. Run by hand when
 * a server is new: `node server/run.mjs tooling/redis-table/write-table.ts`.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../server/bundle.ts';
import { Failure, runScript } from '../../server/failure.ts';
import type { RedisProduct } from '../../test/servers/redis/programs.ts';
import { onRedis, ownRedis, type PlainReply } from '../../test/servers/redis-server.ts';
import { type DocumentedArgument, grammarOf } from './grammar-of-docs.ts';

/** Of each server a letter; what an earlier one says about a command's members is taken. */
const PRODUCTS: Readonly<Record<string, RedisProduct>> = {
  8: 'redis-8',
  7: 'redis-7',
  v: 'valkey-9',
};
const LETTERS: Readonly<Record<string, string>> = {
  readonly: 'r',
  write: 'w',
  admin: 'a',
  '@admin': 'A',
  blocking: 'b',
  pubsub: 'p',
};
/** The files, and which commands' rows each has. */
const FILES: readonly (readonly [file: string, what: string, holds: (name: string) => boolean])[] =
  [
    ['commands', 'Commands of the servers', (name) => !/[.|]/.test(name)],
    ['subcommands', 'Subcommands', (name) => /^[^.]*\|/.test(name)],
    ['modules', 'Commands of modules', (name) => name.includes('.')],
  ];

/** What is known of a command. */
interface Row {
  servers: string;
  flags: Set<string>;
  keys: string;
  grammar: string;
}

await runScript(async () => {
  const rows = new Map<string, Row>();
  for (const [letter, product] of Object.entries(PRODUCTS)) {
    const server = await ownRedis({ product });
    try {
      const [commands, docs] = await onRedis(server.url, ['COMMAND'], ['COMMAND', 'DOCS']);
      const grammars = grammarsIn(list(docs ?? []));
      for (const command of list(commands ?? [])) add(rows, letter, command, grammars);
    } finally {
      await server.stop();
    }
  }
  for (const [file, what, holds] of FILES) {
    const lines = linesOf(rows, holds);
    if (/[\\`]|\${/.test(lines.join('')))
      throw new Failure('A line holds what a template does not take.');
    const text = `${headerOf(what)}export const ${file.toUpperCase()} = \`\n${lines.join('\n')}\n\`;\n`;
    await writeFile(join(ROOT, `kinds/redis/generated/${file}.ts`), text);
    console.log(`${file}: ${lines.length} rows, ${text.length} bytes.`);
  }
});

function headerOf(what: string): string {
  return `/**
 * ${what} as the servers describe them, one a line: name, servers (8, 7, v for Valkey), flags,
 * where its keys are, and its members. Written by tooling/redis-table/write-table.ts.
 */
`;
}

function linesOf(rows: ReadonlyMap<string, Row>, holds: (name: string) => boolean): string[] {
  return [...rows]
    .filter(([name]) => holds(name))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, { servers, flags, keys, grammar }]) =>
      [name, servers, [...flags].sort().join('') || '-', keys || '-', grammar].join(' ').trim(),
    );
}

/** Adds a command and its subcommands. Source: redis.io/docs/latest/commands/command. */
function add(
  rows: Map<string, Row>,
  letter: string,
  command: PlainReply,
  grammars: ReadonlyMap<string, string>,
): void {
  const [given, , flags, , , , categories, , specs, subcommands] = list(command);
  const name = String(given).toLowerCase();
  const row = rows.get(name) ?? {
    servers: '',
    flags: new Set(),
    keys: list(specs ?? [])
      .map(keysOf)
      .join(','),
    grammar: grammars.get(name) ?? '',
  };
  rows.set(name, row);
  row.servers += letter;
  for (const each of [...list(flags ?? []), ...list(categories ?? [])]) {
    const known = LETTERS[String(each)];
    if (known !== undefined) row.flags.add(known);
  }
  const below = list(subcommands ?? []);
  if (below.length > 0) row.flags.add('c');
  for (const each of below) add(rows, letter, each, grammars);
}

/** `1:-1:2`: from the first word after the name to the last, each second; `@STREAMS…` after that word; `2#0:1`: as many as the second says. */
function keysOf(spec: PlainReply): string {
  const { begin_search: begin, find_keys: find } = record(spec);
  const [from, how] = [record(begin ?? []), record(find ?? [])];
  const [at, which] = [record(from.spec ?? []), record(how.spec ?? [])];
  const start = from.type === 'index' ? String(at.index) : `@${at.keyword}/${at.startfrom}`;
  if (from.type === 'unknown') return '?';
  if (how.type === 'keynum')
    return `${start}#${which.keynumidx}:${which.firstkey}:${which.keystep}`;
  return `${start}:${which.lastkey}:${which.keystep}:${which.limit}`.replace(
    /:0:1:0$|:1:0$|:0$/,
    '',
  );
}

function grammarsIn(docs: readonly PlainReply[], into = new Map<string, string>()) {
  for (let at = 0; at < docs.length; at += 2) {
    const { arguments: members, subcommands } = record(docs[at + 1] ?? []);
    into.set(String(docs[at]).toLowerCase(), grammarOf(list(members ?? []).map(argument)));
    grammarsIn(list(subcommands ?? []), into);
  }
  return into;
}

function argument(given: PlainReply): DocumentedArgument {
  const { name, type, token, flags, arguments: within } = record(given);
  return {
    name: String(name),
    type: String(type),
    ...(token === undefined ? {} : { token: String(token) }),
    flags: list(flags ?? []).map(String),
    within: list(within ?? []).map(argument),
  };
}

function list(reply: PlainReply): PlainReply[] {
  if (Array.isArray(reply)) return reply;
  throw new Failure('The server describes a command in a way that is not known.');
}

function record(reply: PlainReply): Record<string, PlainReply> {
  const items = list(reply);
  const entries = items.flatMap((each, at): [string, PlainReply][] =>
    at % 2 === 0 ? [[String(each), items[at + 1] ?? null]] : [],
  );
  return Object.fromEntries(entries);
}
