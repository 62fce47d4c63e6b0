/** Decides whether `/read` takes a statement, and whether a statement leaves traces on its connection. Contract §6. */

import type { GatewayError } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import { LruMap } from '../../../proto/lru-map.ts';
import { refusedByRule } from '../../refusals.ts';
import type { Inquirer } from './inquirer.ts';
import { ARGUMENTS_MAX, question, typeNames } from './question.ts';
import { functionOf, lookUpAll, lookUpInput, type Obstacle, obstacleOf } from './reach.ts';
import {
  isRefusedByName,
  mayLeaveTraces,
  type ReachedFunction,
  type Sequences,
  sequencesAmong,
} from './server-functions.ts';
import { type Parsed, REMEMBERED_MAX_CHARACTERS } from './statement.ts';

/** Functions that the endpoint's configuration lets `/read` call: all users' own, or those listed. */
export type AllowedFunctions = true | ReadonlySet<string>;

/** `config.allow_functions`; listed names may carry their schema. */
export function allowedFunctions(setting: Json | undefined): AllowedFunctions {
  if (setting === true) return true;
  return new Set(Array.isArray(setting) ? setting.filter((name) => typeof name === 'string') : []);
}

/** How a read may run. */
interface Admission {
  /** All that it reaches is known to leave nothing; else it runs in a transaction that is undone, and its connection is reset. */
  readonly plain: boolean;
  /** The types of its parameters as the server was asked about it; it has to run with these. */
  readonly types?: readonly number[];
}

/** What was found out about a statement. */
interface Verdict extends Admission {
  readonly refused: ReachedFunction | undefined;
  /** Why the server itself could not be asked. */
  readonly unasked: Unasked | undefined;
  readonly sequences: Sequences;
}

interface Remembered extends Verdict {
  readonly expires: number;
}

/** A statement and the types that its request names for its parameters. */
export interface CheckedStatement {
  readonly statement: Parsed;
  readonly types: readonly number[] | undefined;
  readonly writes: boolean;
}

/** Milliseconds for which a verdict is valid: a function that was replaced meanwhile is noticed after that. */
const VERDICT_MS = 60_000;

/** Verdicts over one pool's database, remembered by text. */
export class Guard {
  readonly #allowed: AllowedFunctions;
  readonly #verdicts = new LruMap<string, Remembered>(2_000);
  readonly #judged = new WeakMap<Parsed, Verdict>();

  constructor(allowed: AllowedFunctions) {
    this.#allowed = allowed;
  }

  /**
   * Lets a statement pass that can change nothing, and answers how it may run.
   * @param types those that the request names for its parameters
   * @throws GatewayError BAD_REQUEST naming the rule
   */
  async admit(
    statement: Parsed,
    types: readonly number[] | undefined,
    inquirer: Inquirer,
  ): Promise<Admission> {
    if (statement.unreadable !== undefined) {
      throw refusedByRule(
        'read_statement',
        `${statement.unreadable} is not taken on /read; send it to /write`,
      );
    }
    const asked: CheckedStatement = { statement, types, writes: false };
    const known = inquirer.pristine ? this.#remembered(asked) : undefined;
    const verdict = known ?? (await this.#judge(asked, inquirer));
    if (verdict.refused) throw functionRefusal(verdict.refused, verdict.unasked);
    return verdict;
  }

  /** Whether a statement that was run may have left traces; undefined when the server has to be asked. */
  leavesTraces(statement: Parsed, types: readonly number[] | undefined): boolean | undefined {
    if (!statement.plain || statement.text.length > REMEMBERED_MAX_CHARACTERS) return true;
    const verdict = this.#remembered({ statement, types, writes: true });
    return verdict && !verdict.plain;
  }

  /** Asks whether a plain statement may leave traces; reading it may itself have left some then. */
  async learnTraces(
    statement: Parsed,
    types: readonly number[] | undefined,
    inquirer: Inquirer,
  ): Promise<boolean> {
    return !(await this.#judge({ statement, types, writes: true }, inquirer)).plain;
  }

  /** What a statement that was judged has to do with the session's memory of sequences. */
  sequencesOf(statement: Parsed, types: readonly number[] | undefined, read: boolean): Sequences {
    const judged = this.#judged.get(statement);
    const verdict = judged ?? this.#remembered({ statement, types, writes: !read });
    return verdict?.sequences ?? 'none';
  }

  /** Forgets what was found out about a read: it failed, and the types of its parameters may be others by now. */
  forget(statement: Parsed, types: readonly number[] | undefined): void {
    this.#verdicts.delete(keyOf({ statement, types, writes: false }));
  }

  #remembered(asked: CheckedStatement): Verdict | undefined {
    const verdict = this.#verdicts.get(keyOf(asked));
    return verdict && verdict.expires > Date.now() ? verdict : undefined;
  }

  async #judge(asked: CheckedStatement, inquirer: Inquirer): Promise<Verdict> {
    const refuses = (found: ReachedFunction) => this.#refuses(found);
    const verdict = await judge(asked, inquirer, refuses);
    this.#judged.set(asked.statement, verdict);
    if (inquirer.pristine && asked.statement.text.length <= REMEMBERED_MAX_CHARACTERS) {
      this.#verdicts.set(keyOf(asked), { ...verdict, expires: Date.now() + VERDICT_MS });
    }
    return verdict;
  }

  #refuses(found: ReachedFunction): boolean {
    if (!found.runs) return false;
    if (isRefusedByName(found)) return true;
    if (found.serverOwn || !found.volatile || this.#allowed === true) return false;
    return !this.#allowed.has(found.name) && !this.#allowed.has(`${found.schema}.${found.name}`);
  }
}

function keyOf({ statement, types, writes }: CheckedStatement): string {
  return `${writes ? 'w' : 'r'}${types ? types.join() : ''} ${statement.text}`;
}

function callsNothing({ kind, references }: Parsed): boolean {
  return kind === 'VariableShowStmt' || (kind === 'SelectStmt' && references.trivial);
}

type Refuses = (found: ReachedFunction) => boolean;

/** First by name what may run while the server reads the statement, then by the server's own reading of it. */
async function judge(
  asked: CheckedStatement,
  inquirer: Inquirer,
  refuses: Refuses,
): Promise<Verdict> {
  const { statement, writes } = asked;
  const { references } = statement;
  if (callsNothing(statement)) return PLAIN;
  if (!writes && references.literals) {
    const refused = (await lookUpInput(references, inquirer.lookUp)).find(refuses);
    if (refused) return { refused, plain: false, unasked: undefined, sequences: 'none' };
  }
  const found = await ask(asked, inquirer);
  if (typeof found !== 'string') {
    const { types } = found;
    return {
      ...of(found.reached, statement, refuses),
      unasked: undefined,
      ...(types ? { types } : {}),
    };
  }
  if (writes) return { refused: undefined, plain: false, unasked: found, sequences: 'none' };
  const named = await lookUpAll(references, inquirer.lookUp);
  return { ...of(named, statement, refuses), unasked: found };
}

const PLAIN: Verdict = {
  refused: undefined,
  plain: true,
  unasked: undefined,
  sequences: 'none',
};

function of(reached: readonly ReachedFunction[], { references }: Parsed, refuses: Refuses) {
  const called = references.functions.map(({ name }) => name);
  return {
    refused: reached.find(refuses),
    plain: !reached.some(mayLeaveTraces),
    sequences: sequencesAmong(reached, called),
  };
}

/** What the server finds in the statement, or why it cannot be asked. */
export async function ask(
  { statement, types: given, writes }: CheckedStatement,
  inquirer: Inquirer,
): Promise<GuardLookup | Unasked> {
  const text = statement.query;
  if (text === undefined) return 'text';
  const { parameters } = statement.references;
  if (parameters > ARGUMENTS_MAX) return 'parameters';
  const types =
    parameters > 0
      ? await inquirer.parameterTypes({ text, ...(given ? { types: given } : {}) })
      : undefined;
  const names = await typeNames(types ?? [], inquirer.lookUp);
  if (!names) return 'parameters';
  const rows = await inquirer.ask(question(text, names, writes));
  if (rows) return { reached: rows.map(functionOf), types };
  return (await obstacleOf(inquirer.lookUp)) ?? 'text';
}

interface GuardLookup {
  readonly reached: readonly ReachedFunction[];
  readonly types: readonly number[] | undefined;
}

type Unasked = Obstacle | 'text' | 'parameters';

/** Why names decide where the server cannot be asked, and what would help. */
const UNASKED: { readonly [reason in Unasked]: string } = {
  version: 'servers before PostgreSQL 14 cannot be asked what a statement calls',
  standby: 'a standby cannot be asked what a statement calls',
  temporary:
    'the role has no TEMPORARY right; after GRANT TEMPORARY ON DATABASE the server itself is asked',
  language: 'the user has no USAGE on the language sql',
  event_trigger: 'an event trigger would run when the server is asked what a statement calls',
  text: 'the server does not tell what the statement calls',
  parameters: 'the server does not tell what a statement with such parameters calls',
};

function functionRefusal(found: ReachedFunction, unasked: Unasked | undefined): GatewayError {
  const { schema, name } = found;
  const why = unasked === undefined ? '' : ` (decided by its name alone: ${UNASKED[unasked]})`;
  if (isRefusedByName(found)) {
    return refusedByRule(
      'read_function',
      `Function ${name} is not taken on /read; send the statement to /write${why}`,
      name,
    );
  }
  return refusedByRule(
    'read_volatile_function',
    `Function ${schema}.${name} is VOLATILE and not taken on /read; send the statement to /write, ` +
      `declare the function STABLE, or name it in allow_functions${why}`,
    `${schema}.${name}`,
  );
}
