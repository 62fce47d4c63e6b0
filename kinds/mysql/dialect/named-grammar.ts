/** Words of the grammar that say where tables are. What every server reserves ends a list of tables, and nothing else does. */
import { isSign, isWord } from './calls.ts';
import type { Token } from './lexer.ts';

/** Where in a parenthesis, or outside all, a scan is. */
export interface Level {
  /** It holds a query, so that FROM is no call's. */
  query: boolean;
  /** Within a list of tables: after a comma comes another. */
  list: boolean;
  /** The next thing is a table; `target` when no WITH can mean it. */
  expects: 'table' | 'target' | undefined;
}

/** A word in its place. */
interface WordPlace {
  readonly tokens: readonly Token[];
  /** The statement's first word. */
  readonly first: string;
  readonly at: number;
  readonly level: Level;
  /** DELETE is somewhere ahead. */
  readonly deletes: boolean;
}

/** Whether the word is one of the grammar there; `unread` where a table should be. */
type WordRole = 'grammar' | 'other' | 'unread';

type Act = (place: WordPlace) => WordRole;

/** Acts of words, by the word. */
export const WORDS: { readonly [word: string]: Act } = {
  ...each(['WHERE', 'GROUP', 'HAVING', 'ORDER', 'LIMIT', 'UNION', 'SET'], (place) =>
    isHint(place) ? 'grammar' : end(place),
  ),
  ...each(['SELECT', 'VALUES'], (place) => {
    const { level } = place;
    const isBehind = level.expects !== undefined && !level.list;
    // (SELECT … instead of a table.
    level.expects = undefined;
    level.list = false;
    level.query = true;
    return isBehind ? 'unread' : 'grammar';
  }),
  WITH({ level }) {
    // (WITH … instead of a table.
    if (level.expects) level.list = false;
    level.query = true;
    level.expects = undefined;
    return 'grammar';
  },
  FROM({ level, deletes }) {
    if (!level.query) return 'grammar';
    return begin(level, deletes ? 'target' : 'table');
  },
  JOIN: (place) => (isHint(place) ? 'grammar' : begin(place.level, 'table')),
  STRAIGHT_JOIN: ({ level }) => (level.list ? begin(level, 'table') : 'grammar'),
  USING({ level, tokens, at }) {
    return level.list && !isSign(tokens[at + 1], '(') ? begin(level, 'table') : 'grammar';
  },
  RETURNING(place) {
    const { tokens, level } = place;
    // Where only one table can be deleted from, it is no alias with others behind it.
    const deletesOne =
      isWord(tokens[0], 'DELETE') &&
      isWord(tokens[1], 'FROM') &&
      !tokens.some((each) => isWord(each, 'USING'));
    return deletesOne && !level.expects ? end(place) : 'other';
  },
  KEY(place) {
    const { tokens, at } = place;
    const [on, duplicate, update] = [tokens[at - 2], tokens[at - 1], tokens[at + 1]];
    const ends = isWord(on, 'ON') && isWord(duplicate, 'DUPLICATE') && isWord(update, 'UPDATE');
    return ends ? end(place) : 'grammar';
  },
  UPDATE({ tokens, at, level }) {
    const before = tokens[at - 1];
    const isOther = ['KEY', 'FOR', 'ON'].some((word) => isWord(before, word));
    return isOther ? 'grammar' : begin(level, 'target');
  },
  ...each(['INSERT', 'REPLACE'], ({ tokens, at, level }) =>
    isSign(tokens[at + 1], '(') ? 'other' : expect(level, 'target'),
  ),
  INTO: ({ tokens, at, level }) =>
    tokens[at + 1]?.sort === 'variable' ? 'grammar' : expect(level, 'target'),
  TRUNCATE({ tokens, at, level }) {
    if (at > 0) return 'other';
    return isWord(tokens[1], 'TABLE') ? 'grammar' : expect(level, 'target');
  },
  TABLE({ level, first }) {
    // Only DROP has a list.
    level.list = first === 'DROP';
    level.query = true;
    return expect(level, DEFINING.has(first) ? 'target' : 'table');
  },
  REFERENCES: ({ level }) => expect(level, 'target'),
  LIKE({ tokens, at, first, level }) {
    const isTable = first === 'CREATE' && tokens[at + 1]?.sort !== 'string';
    return isTable ? expect(level, 'target') : 'grammar';
  },
  ...each(['DESCRIBE', 'DESC', 'EXPLAIN'], ({ tokens, at, level }) => {
    if (at > 0) return 'other';
    const next = tokens[1];
    const isStatement = next?.sort === 'word' && EXPLAINED.has(next.text);
    return isStatement || isSign(next, '(') ? 'grammar' : expect(level, 'target');
  }),
};

const DEFINING = new Set(['CREATE', 'ALTER', 'DROP', 'TRUNCATE']);
/** What DESCRIBE and its like may be followed by, besides a table. */
const EXPLAINED = new Set(
  'SELECT WITH TABLE VALUES INSERT REPLACE UPDATE DELETE FORMAT ANALYZE EXTENDED PARTITIONS'.split(
    ' ',
  ),
);

function each(words: readonly string[], act: Act): { readonly [word: string]: Act } {
  return Object.fromEntries(words.map((word) => [word, act]));
}

/** `USE INDEX FOR ORDER BY (i)`, `FOR JOIN (i)`. */
function isHint({ tokens, at }: WordPlace): boolean {
  return isWord(tokens[at - 1], 'FOR');
}

function begin(level: Level, expects: Level['expects']): WordRole {
  level.list = true;
  return expect(level, expects);
}

function expect(level: Level, expects: Level['expects']): WordRole {
  level.expects = expects;
  return 'grammar';
}

/** A list that ends where a table should be is none that is understood. */
function end({ level }: WordPlace): WordRole {
  const isUnread = level.expects !== undefined;
  level.list = false;
  level.expects = undefined;
  return isUnread ? 'unread' : 'grammar';
}
