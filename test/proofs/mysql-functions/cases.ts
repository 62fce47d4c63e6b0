/** Every function and word of a server, written in every way, in every place where one can be. */
import type { TestDatabase } from '../../../node-relay/drivers/mysql/test/database.ts';
import type { Choices } from '../random.ts';

/** A read, and what there must be before. */
export interface Case {
  readonly setup: readonly string[];
  readonly text: string;
}

/** Shapes are told of nowhere. */
const SHAPES = ['ST_AsText', 'ST_GeomFromText', 'ST_Buffer', 'AsText', 'X', 'MBRContains', 'Point'];
const FORMS: readonly ((name: string, args: string) => string)[] = [
  (name, args) => `${name}(${args})`,
  (name, args) => `${name.toLowerCase()} (${args})`,
  (name, args) => `${name}/**/(${args})`,
  (name, args) => `\`${name.toLowerCase()}\`(${args})`,
  (name, args) => `\`${name}\`--\n (${args})`,
  (name, args) => `mariadb_schema.${name}(${args})`,
  (name, args) => `oracle_schema . \`${name}\` (${args})`,
  (name, args) => `1.5+${name}\t(${args})`,
  (name) => name,
];
const ARGUMENTS = [
  '',
  '0',
  "'attack'",
  "'attack', 0",
  'counter',
  'counter, 100',
  "'/etc/passwd'",
  'id',
  '*',
  "'a', 'b', 'c'",
  "'2024-01-01', 1",
];
const PLACES: readonly ((call: string) => string)[] = [
  (call) => `SELECT ${call}`,
  (call) => `SELECT ${call} FROM items`,
  (call) => `SELECT id FROM items WHERE ${call} IS NULL OR 1`,
  (call) => `SELECT id FROM items ORDER BY ${call}, id`,
  (call) => `SELECT max(id) FROM items GROUP BY ${call} HAVING ${call} IS NULL OR 1`,
  (call) => `VALUES (${call})`,
  (call) => `SHOW TABLES WHERE ${call} IS NULL OR 1`,
  (call) => `EXPLAIN SELECT * FROM (SELECT ${call}) AS d`,
  (call) => `WITH w AS (SELECT ${call} AS c) SELECT * FROM w`,
  (call) => `SELECT * FROM items AS i JOIN items AS j ON ${call} IS NULL`,
  (call) => `SELECT * FROM JSON_TABLE(${call}, '$' COLUMNS (a int PATH '$')) AS t`,
  (call) => `SELECT * FROM ${call}`,
];
/** Rounds of a view, and of a table's defaults and computed columns, that hold the call. */
const MADE: readonly ((call: string, name: string) => Case)[] = [
  (call, name) => ({
    setup: [`CREATE VIEW v_${name} AS SELECT ${call} AS c`],
    text: `SELECT * FROM v_${name}`,
  }),
  (call, name) => ({
    setup: [
      `CREATE VIEW v_${name} AS SELECT ${call} AS c`,
      `CREATE VIEW w_${name} AS SELECT * FROM v_${name}`,
    ],
    text: `TABLE w_${name}`,
  }),
  (call, name) => ({
    setup: [
      `CREATE TABLE d_${name} (id int, c varchar(50) DEFAULT (${call}))`,
      `INSERT INTO d_${name} (id) VALUES (1)`,
    ],
    text: `SELECT DEFAULT(c), d_${name}.* FROM d_${name}`,
  }),
  (call, name) => ({
    setup: [
      `CREATE TABLE g_${name} (id int, c varchar(50) AS (${call}) VIRTUAL)`,
      `INSERT INTO g_${name} (id) VALUES (1)`,
    ],
    text: `SELECT * FROM g_${name}`,
  }),
];

/** Cases without end, each chosen from all of them. */
export async function* cases(database: TestDatabase, choices: Choices): AsyncGenerator<Case> {
  const names = await namesOf(database);
  for (let made = 0; ; made += 1) {
    // Each name comes once before any comes again.
    const name = names[made % names.length] ?? '';
    const args = choices.pickAny(waits(name) ? ['0'] : ARGUMENTS) ?? '';
    const call = choices.pickAny(FORMS)?.(name, args) ?? '';
    if (choices.chance(0.8)) yield { setup: [], text: choices.pickAny(PLACES)?.(call) ?? '' };
    else yield choices.pickAny(MADE)?.(call, String(made)) ?? { setup: [], text: '' };
  }
}

function waits(name: string): boolean {
  return name === 'SLEEP' || name === 'BENCHMARK';
}

async function namesOf(database: TestDatabase): Promise<string[]> {
  const rows = await database.look(
    `SELECT UPPER(FUNCTION) AS name FROM information_schema.SQL_FUNCTIONS
      UNION SELECT UPPER(WORD) FROM information_schema.KEYWORDS
      UNION SELECT UPPER(ROUTINE_NAME) FROM information_schema.ROUTINES`,
  );
  const told = (rows as { name: string }[]).map(({ name }) => name);
  return [...told.filter((name) => /^\w+$/.test(name)), ...SHAPES].toSorted();
}
