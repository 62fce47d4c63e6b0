/** Decides whether `/read` takes a statement, and whether a statement leaves traces on its connection. Contract §6. */
import { GatewayError } from '../../proto/errors.ts';
import type { Json } from '../../proto/json.ts';
import { LruMap } from '../lru-map.ts';
import type { Catalog } from './catalog.ts';
import { isEverywhere, isRefused, isReserved, leavesTraces } from './functions.ts';
import type { Token } from './lexer.ts';
import { type Parsed, parseText, REMEMBERED_MAX_CHARACTERS } from './statement.ts';

/** Functions that the endpoint's configuration lets `/read` call: all users' own, or those listed. */
export type AllowedFunctions = true | ReadonlySet<string>;

/** `config.allow_functions`; listed names may carry their database. Letter case does not matter, as for the servers. */
export function allowedFunctions(setting: Json | undefined): AllowedFunctions {
  if (setting === true) return true;
  const names = Array.isArray(setting) ? setting.filter((name) => typeof name === 'string') : [];
  return new Set(names.map((name) => name.toLowerCase()));
}

/** How long a verdict stands, in milliseconds: a function made meanwhile is noticed after that. */
const VERDICT_MS = 60_000;
/** Views within views that are followed. */
const VIEW_DEPTH_MAX = 32;

interface Verdict {
  readonly refused: GatewayError | undefined;
  readonly expires: number;
}

/** A name ahead of a parenthesis. */
export interface Call {
  /** As it is written, without backticks. */
  readonly name: string;
  /** Written without backticks and database, with nothing up to the parenthesis: the server's own go ahead of users'. */
  readonly bare: boolean;
}

/** Verdicts over one pool's database, remembered by text. */
export class Guard {
  readonly #allowed: AllowedFunctions;
  readonly #verdicts = new LruMap<string, Verdict>(2_000);

  constructor(allowed: AllowedFunctions) {
    this.#allowed = allowed;
  }

  /**
   * Lets a statement pass that can change nothing.
   * @throws GatewayError BAD_REQUEST naming the rule
   */
  async admit(statement: Parsed, catalog: Catalog): Promise<void> {
    if (statement.unreadable !== undefined) {
      const message = `${statement.unreadable} is not taken on /read; send it to /write`;
      throw refusal('read_statement', message);
    }
    const known = this.#verdicts.get(statement.text);
    const verdict =
      known && known.expires > Date.now() ? known : await this.#judge(statement, catalog);
    if (verdict.refused) throw verdict.refused;
  }

  async #judge(statement: Parsed, catalog: Catalog): Promise<Verdict> {
    const refused = await this.#refusalOf(statement.tokens, catalog, new Set(), 0);
    const verdict = { refused, expires: Date.now() + VERDICT_MS };
    if (statement.text.length <= REMEMBERED_MAX_CHARACTERS) {
      this.#verdicts.set(statement.text, verdict);
    }
    return verdict;
  }

  /** Of the functions that are called, here or in a view that may be named here. */
  async #refusalOf(
    tokens: readonly Token[],
    catalog: Catalog,
    seen: Set<string>,
    depth: number,
  ): Promise<GatewayError | undefined> {
    const calls = callsOf(tokens);
    const named = calls.find(({ name }) => isRefused(name.toUpperCase()));
    if (named) return functionRefusal(named.name);
    const unknown = calls.filter(({ name, bare }) => !bare || !isEverywhere(name.toUpperCase()));
    const own = await catalog.functions([...new Set(unknown.map(({ name }) => name))]);
    const refused = own.find((each) => !this.#allows(each));
    if (refused) return userFunctionRefusal(refused.schema, refused.name);
    for (const view of await catalog.views(namesOf(tokens, seen))) {
      if (depth >= VIEW_DEPTH_MAX) return refusal('read_statement', 'Views are nested too deeply');
      const parsed = parseText(view, false);
      if ('unclosed' in parsed) continue;
      const inside = parsed.statements.flatMap((each) => each.tokens);
      const found = await this.#refusalOf(inside, catalog, seen, depth + 1);
      if (found) return found;
    }
    return undefined;
  }

  #allows({ schema, name }: { schema: string; name: string }): boolean {
    if (this.#allowed === true) return true;
    const [plain, whole] = [name.toLowerCase(), `${schema}.${name}`.toLowerCase()];
    return this.#allowed.has(plain) || this.#allowed.has(whole);
  }
}

/** Whether a statement may have left something on its session. */
export function mayLeaveTraces({ plain, tokens }: Parsed): boolean {
  if (!plain) return true;
  return callsOf(tokens).some(({ name, bare }) => !bare || leavesTraces(name.toUpperCase()));
}

/** What tells of the statement before, which may be another caller's. */
const TELLING = /^(?:LAST_INSERT_ID|FOUND_ROWS|ROW_COUNT|WARNINGS|ERRORS|DIAGNOSTICS)$/;
const TELLING_VARIABLE =
  /^@@(?:\w+\.)?(?:identity|last_insert_id|insert_id|warning_count|error_count)$/i;

/** Whether a statement asks for what the one before it has left: then the session is reset ahead of it. */
export function asksForTraces({ tokens }: Parsed): boolean {
  return tokens.some(({ sort, text }) =>
    sort === 'variable' ? TELLING_VARIABLE.test(text) : sort === 'word' && TELLING.test(text),
  );
}

/** Everything that could be a call of a function. */
function callsOf(tokens: readonly Token[]): Call[] {
  return tokens.flatMap((token, at) => {
    const call = callAt(tokens, token, at);
    return call ? [call] : [];
  });
}

/** A word of the grammar or a number. */
function isNobodys(word: string): boolean {
  return isReserved(word) || /^\d+$/.test(word);
}

function callAt(tokens: readonly Token[], token: Token, at: number): Call | undefined {
  const { sort, text, raw, end } = token;
  const next = tokens[at + 1];
  if (!next || !isSign(next, '(')) return undefined;
  if (sort !== 'word' && sort !== 'name') return undefined;
  const qualified = isSign(tokens[at - 1], '.');
  const bare = sort === 'word' && !qualified;
  if (bare && isNobodys(text)) return undefined;
  // LAST_INSERT_ID() tells, LAST_INSERT_ID(x) sets.
  if (bare && text === 'LAST_INSERT_ID' && isSign(tokens[at + 2], ')')) return undefined;
  // INSERT INTO t (a, b).
  const before = tokens[qualified ? at - 3 : at - 1];
  const into = before?.sort === 'word' && before.text === 'INTO';
  if (into || namesColumns(tokens, at + 1)) return undefined;
  return { name: raw, bare: bare && next.start === end };
}

/** `WITH n (a, b) AS (…)`: no call has `AS (` behind it. */
function namesColumns(tokens: readonly Token[], open: number): boolean {
  let depth = 0;
  for (let at = open; at < tokens.length; at += 1) {
    if (isSign(tokens[at], '(')) depth += 1;
    if (isSign(tokens[at], ')')) depth -= 1;
    if (depth === 0) return tokens[at + 1]?.text === 'AS' && isSign(tokens[at + 2], '(');
  }
  return false;
}

function isSign(token: Token | undefined, sign: string): boolean {
  return token?.sort === 'sign' && token.text === sign;
}

/** Names that could be a view's, each once in all. */
function namesOf(tokens: readonly Token[], seen: Set<string>): string[] {
  const names: string[] = [];
  for (const { sort, raw: name } of tokens) {
    if (sort !== 'word' && sort !== 'name') continue;
    if (seen.has(name) || /^\d+$/.test(name)) continue;
    seen.add(name);
    // Servers may keep names of tables in lower case.
    names.push(name, name.toLowerCase());
  }
  return names;
}

function functionRefusal(name: string): GatewayError {
  const shown = name.toLowerCase();
  const message = `Function ${shown} is not taken on /read; send the statement to /write`;
  return refusal('read_function', message, shown);
}

function userFunctionRefusal(schema: string, name: string): GatewayError {
  const shown = schema === '' ? name : `${schema}.${name}`;
  const message =
    `Function ${shown} is a user's and not taken on /read; send the statement to /write, ` +
    'or name it in allow_functions';
  return refusal('read_user_function', message, shown);
}

function refusal(rule: string, message: string, name?: string): GatewayError {
  return new GatewayError('BAD_REQUEST', message, {
    details: [{ rule, path: 'query', message, ...(name === undefined ? {} : { function: name }) }],
  });
}
