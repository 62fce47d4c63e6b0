/** Finds tables whose engine has no transactions behind a statement: what it changes there stays, whatever is undone. */
import { LruMap } from '../../../proto/lru-map.ts';
import type { AskRows } from './catalog.ts';
import { type Token, tokensOf, Unclosed, viewNames } from './lexer.ts';
import { type Parsed, REMEMBERED_MAX_CHARACTERS } from './statement.ts';

/** How long an answer is valid, in milliseconds: an engine changed meanwhile is noticed after that. */
const ANSWER_MS = 60_000;
/** Triggers, views and programs within others that are followed. */
const DEPTH_MAX = 8;
/** Names that are looked up at once; of a statement with more, the others are not. */
const NAMES_MAX = 1_000;

/** A table, and its engine. */
interface PlainTable {
  readonly table: string;
  readonly engine: string;
}

const TABLES = `SELECT TABLE_SCHEMA, TABLE_NAME, ENGINE FROM information_schema.TABLES
  WHERE TABLE_NAME IN (#) AND TABLE_TYPE = 'BASE TABLE' AND (TABLE_SCHEMA = DATABASE() OR TABLE_SCHEMA IN (#))
  AND ENGINE NOT IN (SELECT ENGINE FROM information_schema.ENGINES WHERE XA = 'YES') LIMIT 1`;
/** What runs when these are used. */
const BEHIND = [
  `SELECT ACTION_STATEMENT FROM information_schema.TRIGGERS WHERE EVENT_OBJECT_TABLE IN (#)
    AND (EVENT_OBJECT_SCHEMA = DATABASE() OR EVENT_OBJECT_SCHEMA IN (#))`,
  `SELECT VIEW_DEFINITION FROM information_schema.VIEWS WHERE TABLE_NAME IN (#)
    AND (TABLE_SCHEMA = DATABASE() OR TABLE_SCHEMA IN (#))`,
  `SELECT COALESCE(ROUTINE_DEFINITION, '') FROM information_schema.ROUTINES WHERE ROUTINE_NAME IN (#)
    AND (ROUTINE_SCHEMA = DATABASE() OR ROUTINE_SCHEMA IN (#))`,
];

/** Over one pool's database; remembered by text. */
export class Engines {
  readonly #answers = new LruMap<
    string,
    { readonly found: PlainTable | undefined; readonly expires: number }
  >(2_000);

  /** The first such table that a statement, or a trigger, view or program behind it, names; what may not be seen is not found. */
  async plainTable({ text, tokens }: Parsed, ask: AskRows): Promise<PlainTable | undefined> {
    const known = this.#answers.get(text);
    if (known && known.expires > Date.now()) return known.found;
    const found = await plainTableBehind(tokens, ask);
    if (text.length <= REMEMBERED_MAX_CHARACTERS) {
      this.#answers.set(text, { found, expires: Date.now() + ANSWER_MS });
    }
    return found;
  }
}

/** As `Engines.plainTable`, not remembered. */
export async function plainTableBehind(
  tokens: readonly Token[],
  ask: AskRows,
): Promise<PlainTable | undefined> {
  const seen = new Set<string>();
  let names = viewNames(tokens, seen);
  // What a program names without its schema is in the program's own.
  const schemas: string[] = [];
  for (let depth = 0; depth < DEPTH_MAX && names.length > 0; depth += 1) {
    schemas.push(...names);
    const found = await lookUp(ask, TABLES, names, schemas);
    const [schema, name, engine = ''] = found[0] ?? [];
    if (name !== undefined) return { table: `${schema}.${name}`, engine };
    const texts: string[] = [];
    for (const query of BEHIND) {
      for (const [text = ''] of await lookUp(ask, query, names, schemas)) texts.push(text);
    }
    names = texts.flatMap((text) => viewNames(tokensIn(text), seen));
  }
  return undefined;
}

/** The first `#` stands for all names, the second for all schemas. */
function lookUp(
  ask: AskRows,
  query: string,
  ...[names, schemas]: [names: readonly string[], schemas: readonly string[]]
) {
  const values = [names, schemas].map((each) => [...new Set(each)].slice(0, NAMES_MAX));
  const marks = values.map((each) => each.map(() => '?').join(', '));
  const text = marks.reduce((before, each) => before.replace('#', each), query);
  return ask(text, values.flat());
}

function tokensIn(text: string): readonly Token[] {
  try {
    return tokensOf(text);
  } catch (error) {
    if (error instanceof Unclosed) return [];
    throw error;
  }
}
