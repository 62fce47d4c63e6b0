/** Whether a statement leaves something on its session, or asks for what the one before it has left. Contract §6. */
import { LruMap } from '../../../proto/lru-map.ts';
import { callsOf } from './calls.ts';
import type { Catalog } from './catalog.ts';
import { leavesTraces } from './functions.ts';
import { type Token, viewNames } from './lexer.ts';
import { type Parsed, parseText, REMEMBERED_MAX_CHARACTERS } from './statement.ts';

/** How long an answer is valid, in milliseconds: a trigger made meanwhile is noticed after that. */
const ANSWER_MS = 60_000;

/** Whether a statement shows by itself that it may leave something. */
export function mayLeaveTraces({ plain, tokens }: Parsed): boolean {
  if (!plain) return true;
  return callsOf(tokens).some(({ name, bare }) => !bare || leavesTraces(name.toUpperCase()));
}

/** Functions and variables that reveal the statement before, which may be another caller's. */
const TELLING =
  /^(?:LAST_INSERT_ID|FOUND_ROWS|ROW_COUNT|WARNINGS|ERRORS|DIAGNOSTICS|VARIABLES|(?:SESSION|SYSTEM)_VARIABLES|LASTVAL|CURRVAL)$/i;
const TELLING_VARIABLE = /^(?:identity|last_insert_id|insert_id|warning_count|error_count)$/i;

/** Whether a statement asks for what the one before it has left: then the session is reset ahead of it. */
export function asksForTraces({ tokens }: Parsed): boolean {
  const hasVariable = tokens.some(({ sort, text }) => sort === 'variable' && text.startsWith('@@'));
  return tokens.some(({ sort, text }, at) => {
    if (text === 'PREVIOUS' && tokens[at + 1]?.text === 'VALUE') return true;
    const last = text.slice(text.lastIndexOf('.') + 1).replace(/^@@/, '');
    if (hasVariable && TELLING_VARIABLE.test(last)) return true;
    return (sort === 'word' || sort === 'name') && TELLING.test(text);
  });
}

/** What triggers and views behind statements leave, over one pool's database; remembered by text. */
export class HiddenTraces {
  readonly #answers = new LruMap<string, { readonly leaves: boolean; readonly expires: number }>(
    2_000,
  );

  /** Whether a statement that is plain by itself may leave something by a trigger or a view. */
  async leftBy(statement: Parsed, catalog: Catalog): Promise<boolean> {
    const { text, tokens, changes } = statement;
    const known = this.#answers.get(text);
    if (known && known.expires > Date.now()) return known.leaves;
    const leaves = await leavesHidden(tokens, changes, catalog, new Set());
    if (text.length <= REMEMBERED_MAX_CHARACTERS) {
      this.#answers.set(text, { leaves, expires: Date.now() + ANSWER_MS });
    }
    return leaves;
  }
}

/** A changed view changes its tables, so their triggers count as well. */
async function leavesHidden(
  tokens: readonly Token[],
  changes: boolean,
  catalog: Catalog,
  seen: Set<string>,
): Promise<boolean> {
  const names = viewNames(tokens, seen);
  if (names.length === 0) return false;
  if (changes && (await catalog.mayTrigger(names))) return true;
  for (const { definition } of await catalog.views(names)) {
    const parsed = parseText(definition, false);
    const inside = 'unclosed' in parsed ? [] : parsed.statements;
    if (inside.length !== 1 || inside.some(mayLeaveTraces)) return true;
    const found = inside.flatMap((each) => each.tokens);
    if (await leavesHidden(found, changes, catalog, seen)) return true;
  }
  return false;
}
