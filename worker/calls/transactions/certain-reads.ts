/**
 * Statements that certainly read, told without a parser of their dialect: for what is asked of the log before
 * the backend has looked. Who is not sure says no; a relay holds those that are told of to what `/read` lets through.
 */

/** Words of SELECT that may be before a parenthesis, and functions that change nothing on any server. */
const HARMLESS = new Set(
  `select from where and or not in exists any all some as on using over filter values distinct by having
  limit offset case when then else between like ilike is join inner outer left right cross natural full
  union except intersect group order
  count sum min max avg coalesce nullif greatest least abs round floor ceil ceiling mod power sqrt
  lower upper length char_length trim ltrim rtrim substring concat replace now cast extract
  row_number rank dense_rank lag lead first_value last_value array_agg string_agg group_concat json_agg
  jsonb_agg to_char date_trunc`.split(/\s+/),
);
const BEGINS = /^\s*(?:select|values|table)\b/i;
const REFUSED =
  /;|--|\/\*|#|\$\$|"|`|\b(?:into|for|lock|with|insert|update|delete|merge|call|do|set|procedure|outfile|dumpfile)\b|:=|@/i;
const TEXT = /'(?:[^'\\]|'')*'/g;
/** Characters of a statement that is looked at. */
const LONGEST = 4_096;
const WORD = /[\w.]/;

/** Whether a statement certainly changes nothing and locks nothing. */
export function certainlyReads(statement: string): boolean {
  if (statement.length > LONGEST) return false;
  const code = statement.replace(TEXT, "''");
  if (!BEGINS.test(code) || REFUSED.test(code) || code.includes('\\')) return false;
  return code
    .split('(')
    .slice(0, -1)
    .every((before) => HARMLESS.has(lastWordOf(before.trimEnd()).toLowerCase()));
}

/** The word that a text ends with; empty where it ends otherwise. */
function lastWordOf(text: string): string {
  let from = text.length;
  while (from > 0 && WORD.test(text.charAt(from - 1))) from -= 1;
  return text.slice(from);
}
