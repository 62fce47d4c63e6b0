/** Statements that this isolate sends to D1, for all files whose tests run in it. */
import { env } from 'cloudflare:test';
import { z } from 'zod';
import type { Index, Known, PlanLine } from './plan.ts';

const prototype: Pick<D1Database, 'prepare'> = Object.getPrototypeOf(env.DB);
const { prepare } = prototype;
/** A statement that was sent. */
interface Sent {
  readonly text: string;
  /** Not by a test itself. */
  readonly isOurs: boolean;
}

const fresh = new Map<string, Sent>();
const taken = new Set<string>();

/** Notes a statement of the app's. */
export function noteSent(text: string): void {
  note({ text, isOurs: true });
}

function note(sent: Sent): void {
  const key = `${sent.isOurs}:${sent.text}`;
  if (!taken.has(key)) fresh.set(key, sent);
}

// Objects have the same binding as the tests.
prototype.prepare = function (this: D1Database, text: string) {
  note({ text, isOurs: false });
  return prepare.call(this, text);
};

const sessions: Pick<D1DatabaseSession, 'prepare'> = Object.getPrototypeOf(env.DB.withSession());
const { prepare: prepareInSession } = sessions;

sessions.prepare = function (this: D1DatabaseSession, text: string) {
  noteSent(text);
  return prepareInSession.call(this, text);
};

/** Those that were not answered before. */
export function takeSent(): Sent[] {
  const found = [...fresh];
  for (const [key] of found) taken.add(key);
  fresh.clear();
  return found.map(([, sent]) => sent);
}

async function rowsOf<Row>(text: string, shape: z.ZodType<Row>): Promise<Row[]> {
  // No value is needed to see how a statement runs, but as many as it has places.
  const bare = text.replaceAll(/'[^']*'|"[^"]*"/g, '');
  const numbers = [...bare.matchAll(/\?(\d+)/g)].map(([, number]) => Number(number));
  const places = numbers.length > 0 ? Math.max(...numbers) : bare.split('?').length - 1;
  const statement = prepare.call(env.DB, text).bind(...Array<null>(places).fill(null));
  const { results } = await statement.all();
  return z.array(shape).parse(results);
}

const Line = z.object({ id: z.number(), parent: z.number(), detail: z.string() });

/** How D1 runs a statement; empty of one that it refuses. */
export function planOf(text: string): Promise<PlanLine[]> {
  return rowsOf(`EXPLAIN QUERY PLAN ${text}`, Line).catch((thrown: unknown) => {
    if (thrown instanceof Error && thrown.message.endsWith('SQLITE_ERROR')) return [];
    throw thrown;
  });
}

const Named = z.object({ name: z.string() });
const IndexRow = z.object({ name: z.string(), unique: z.number(), partial: z.number() });
const ColumnRow = z.object({ name: z.string(), notnull: z.number(), pk: z.number() });
let known: Promise<Known> | undefined;

/** What the database has; read once. */
export function knownOf(): Promise<Known> {
  known ??= readKnown();
  return known;
}

async function readKnown(): Promise<Known> {
  const tables = await rowsOf(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*'",
    Named,
  );
  const indexes: (readonly [string, Index])[] = [];
  for (const { name } of tables) indexes.push(...(await indexesOf(name)));
  return { tables: new Set(tables.map(({ name }) => name)), indexes: new Map(indexes) };
}

async function indexesOf(table: string) {
  const columns = await rowsOf(`PRAGMA table_info("${table}")`, ColumnRow);
  const filled = columns.filter(({ notnull, pk }) => notnull === 1 || pk > 0);
  const isFilled = new Set(filled.map(({ name }) => name));
  const rows = await rowsOf(`PRAGMA index_list("${table}")`, IndexRow);
  return Promise.all(
    rows.map(async ({ name, unique, partial }): Promise<readonly [string, Index]> => {
      const held = await rowsOf(`PRAGMA index_info("${name}")`, Named);
      const isUnique = unique === 1 && held.every((column) => isFilled.has(column.name));
      return [name, { isUnique, isPartial: partial === 1, columns: held.length }];
    }),
  );
}
