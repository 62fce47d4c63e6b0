/** Decides whether `/read` takes a statement, and whether a statement leaves traces on its connection. Contract §6. */

import type { GatewayError } from '../../../proto/errors.ts';
import { LruMap } from '../../../proto/lru-map.ts';
import { refusedByRule } from '../../refusals.ts';
import { type AllowedFunctions, suspectIn } from './allowed-functions.ts';
import { calledNames, tablesOf } from './calls.ts';
import type { Catalog, View } from './catalog.ts';
import { isRefused } from './functions.ts';
import { type Token, viewNames } from './lexer.ts';
import { type Parsed, parseText, REMEMBERED_MAX_CHARACTERS } from './statement.ts';

/** How long a verdict is valid, in milliseconds: a function made meanwhile is noticed after that. */
const VERDICT_MS = 60_000;
/** Views within views that are followed. */
const VIEW_DEPTH_MAX = 32;

interface Verdict {
  readonly refused: GatewayError | undefined;
  readonly expires: number;
}

/** Verdicts over one pool's database, remembered by text. */
export class Guard {
  readonly #allowed: AllowedFunctions;
  readonly #verdicts = new LruMap<string, Verdict>(2_000);
  readonly #isWithinWrites: boolean;
  #withinWrites: Guard | undefined;

  constructor(allowed: AllowedFunctions, isWithinWrites = false) {
    this.#allowed = allowed;
    this.#isWithinWrites = isWithinWrites;
  }

  /** Of reads in a transaction that may write: nothing keeps an allowed function from writing there, so that none is called. */
  get withinWrites(): Guard {
    if (this.strict) return this;
    this.#withinWrites ??= new Guard(new Set(), true);
    return this.#withinWrites;
  }

  /** Whether no functions are allowed but the servers' own. */
  get strict(): boolean {
    return this.#allowed !== true && this.#allowed.size === 0;
  }

  /**
   * Lets a statement pass that can change nothing; `fresh` says that its database may be another one.
   * @throws GatewayError BAD_REQUEST naming the rule
   */
  async admit(statement: Parsed, catalog: Catalog, fresh = false): Promise<void> {
    if (statement.unreadable !== undefined) {
      const message = `${statement.unreadable} is not taken on /read; send it to /write`;
      throw refusedByRule('read_statement', message);
    }
    const known = fresh ? undefined : this.#verdicts.get(statement.text);
    const verdict =
      known && known.expires > Date.now() ? known : await this.#judge(statement, catalog, fresh);
    if (verdict.refused) throw verdict.refused;
  }

  async #judge(statement: Parsed, catalog: Catalog, fresh: boolean): Promise<Verdict> {
    const refused = await this.#refusalOf(statement.tokens, catalog, new Set(), 0);
    const verdict = { refused, expires: Date.now() + VERDICT_MS };
    if (!fresh && statement.text.length <= REMEMBERED_MAX_CHARACTERS) {
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
    const called = calledNames(tokens).find((name) => isRefused(name.toUpperCase()));
    if (called !== undefined) return functionRefusal(called);
    const refused = await this.#refusedCall(tokens, catalog);
    if (refused) return refused;
    for (const view of await catalog.views(viewNames(tokens, seen))) {
      const found = await this.#refusedView(view, tokens, { catalog, seen, depth });
      if (found) return found;
    }
    return undefined;
  }

  /** Of the calls, what is not known to be the server's own and harmless. */
  async #refusedCall(
    tokens: readonly Token[],
    catalog: Catalog,
  ): Promise<GatewayError | undefined> {
    const suspect = await suspectIn(tokens, catalog, this.#allowed);
    if (suspect === undefined) return undefined;
    const { name, isUsers } = suspect;
    if (this.#isWithinWrites) return refusalWithinWrites(name);
    return isUsers ? userFunctionRefusal(name) : unknownFunctionRefusal(name);
  }

  async #refusedView(
    { schema, name, definition, here }: View,
    tokens: readonly Token[],
    { catalog, seen, depth }: { catalog: Catalog; seen: Set<string>; depth: number },
  ): Promise<GatewayError | undefined> {
    if (definition === '') {
      const isNamed = here || tokens.some(({ raw }) => raw.toLowerCase() === schema.toLowerCase());
      return isNamed ? hiddenViewRefusal(schema, name) : undefined;
    }
    if (depth >= VIEW_DEPTH_MAX)
      return refusedByRule('read_statement', 'Views are nested too deeply');
    const parsed = parseText(definition, false);
    const statements = 'unclosed' in parsed ? [] : parsed.statements;
    const unreadable = statements.find((each) => each.unreadable !== undefined);
    if (statements.length !== 1 || unreadable) {
      const why = unreadable?.unreadable ?? 'what cannot be read';
      return refusedByRule('read_statement', `View ${schema}.${name} holds ${why}`);
    }
    const inside = statements.flatMap((each) => each.tokens);
    const unseen = await catalog.unseen(tablesOf(inside));
    if (unseen) return hiddenViewRefusal(unseen.schema, unseen.name);
    return this.#refusalOf(inside, catalog, seen, depth + 1);
  }
}

function functionRefusal(name: string): GatewayError {
  const shown = name.toLowerCase();
  const message = `Function ${shown} is not taken on /read; send the statement to /write`;
  return refusedByRule('read_function', message, shown);
}

function userFunctionRefusal(shown: string): GatewayError {
  const message =
    `Function ${shown} is a user's and not taken on /read; send the statement to /write, ` +
    'or name it in allow_functions';
  return refusedByRule('read_user_function', message, shown);
}

/** A plugin's, a package's, one that may not be seen, or none at all. */
function unknownFunctionRefusal(shown: string): GatewayError {
  const message =
    `Function ${shown} is not known to change nothing and not taken on /read; ` +
    'send the statement to /write, or name it in allow_functions';
  return refusedByRule('read_user_function', message, shown);
}

/** Whether a user's or not: `allow_functions` lifts none of them here. */
function refusalWithinWrites(shown: string): GatewayError {
  const message =
    `Function ${shown} may write, and a read within a transaction could not keep it from that; ` +
    'send the statement to /read without a transaction, or as a write with the type execute';
  return refusedByRule('read_user_function', message, shown);
}

function hiddenViewRefusal(schema: string, name: string): GatewayError {
  const message =
    `What ${schema}.${name} calls, when it is a view, may not be seen, so it is not taken on /read: ` +
    "grant the connection's user SELECT and SHOW VIEW on it";
  return refusedByRule('read_hidden_view', message);
}
