/** Decides whether `/read` takes a statement, and whether a statement leaves traces on its connection. Contract §6. */

import { GatewayError } from '../../proto/errors.ts';
import type { Json } from '../../proto/json.ts';
import { LruMap } from '../lru-map.ts';
import type { AskRows } from './ask.ts';
import { reachedFunctions } from './reach.ts';
import { isRefusedByName, mayLeaveTraces, type ReachedFunction } from './server-functions.ts';
import { type Parsed, REMEMBERED_MAX_CHARACTERS } from './statement.ts';

/** Functions that the endpoint's configuration lets `/read` call: all users' own, or those listed. */
export type AllowedFunctions = true | ReadonlySet<string>;

/** `config.allow_functions`; listed names may carry their schema. */
export function allowedFunctions(setting: Json | undefined): AllowedFunctions {
  if (setting === true) return true;
  return new Set(Array.isArray(setting) ? setting.filter((name) => typeof name === 'string') : []);
}

/** What the catalog said of a statement. */
interface Verdict {
  readonly refused: ReachedFunction | undefined;
  readonly leavesTraces: boolean;
  readonly expires: number;
}

/** How long a verdict stands, in milliseconds: a function replaced meanwhile is noticed after that. */
const VERDICT_MS = 60_000;

/** Verdicts over one pool's database, remembered by text. */
export class Guard {
  readonly #allowed: AllowedFunctions;
  readonly #verdicts = new LruMap<string, Verdict>(2_000);

  constructor(allowed: AllowedFunctions) {
    this.#allowed = allowed;
  }

  /**
   * Lets a statement pass that can change nothing, and answers whether it may leave traces.
   * @throws GatewayError BAD_REQUEST naming the rule
   */
  async admit(statement: Parsed, ask: AskRows): Promise<boolean> {
    if (statement.unreadable !== undefined) {
      throw refusal(
        'read_statement',
        `${statement.unreadable} is not taken on /read; send it to /write`,
      );
    }
    const { refused, leavesTraces } =
      this.#remembered(statement, false) ?? (await this.#judge(statement, false, ask));
    if (refused) throw functionRefusal(refused);
    return leavesTraces;
  }

  /** Whether a statement that was run may have left traces; undefined when the catalog has to be asked. */
  leavesTraces(statement: Parsed): boolean | undefined {
    if (!statement.plain || statement.text.length > REMEMBERED_MAX_CHARACTERS) return true;
    return this.#remembered(statement, true)?.leavesTraces;
  }

  /** Asks the catalog whether a plain statement may leave traces. */
  async learnTraces(statement: Parsed, ask: AskRows): Promise<boolean> {
    return (await this.#judge(statement, true, ask)).leavesTraces;
  }

  #remembered({ text }: Parsed, writes: boolean): Verdict | undefined {
    const verdict = this.#verdicts.get(keyOf(text, writes));
    return verdict && verdict.expires > Date.now() ? verdict : undefined;
  }

  async #judge(statement: Parsed, writes: boolean, ask: AskRows): Promise<Verdict> {
    const reached = await reachedFunctions(statement.references, writes, ask);
    const verdict = {
      refused: reached.find((found) => this.#refuses(found)),
      leavesTraces: reached.some(mayLeaveTraces),
      expires: Date.now() + VERDICT_MS,
    };
    if (statement.text.length <= REMEMBERED_MAX_CHARACTERS) {
      this.#verdicts.set(keyOf(statement.text, writes), verdict);
    }
    return verdict;
  }

  #refuses(found: ReachedFunction): boolean {
    if (isRefusedByName(found)) return true;
    if (found.serverOwn || !found.volatile || this.#allowed === true) return false;
    return !this.#allowed.has(found.name) && !this.#allowed.has(`${found.schema}.${found.name}`);
  }
}

function keyOf(text: string, writes: boolean): string {
  return (writes ? 'w' : 'r') + text;
}

function functionRefusal(found: ReachedFunction): GatewayError {
  const { schema, name } = found;
  if (isRefusedByName(found)) {
    return refusal(
      'read_function',
      `Function ${name} is not taken on /read; send the statement to /write`,
      name,
    );
  }
  return refusal(
    'read_volatile_function',
    `Function ${schema}.${name} is VOLATILE and not taken on /read; send the statement to /write, ` +
      'declare the function STABLE, or name it in allow_functions',
    `${schema}.${name}`,
  );
}

function refusal(rule: string, message: string, name?: string): GatewayError {
  return new GatewayError('BAD_REQUEST', message, {
    details: [{ rule, path: 'query', message, ...(name === undefined ? {} : { function: name }) }],
  });
}
