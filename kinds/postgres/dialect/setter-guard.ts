/** Decides which statements could set what `config.session` tells of their caller. Spec: keys-and-doors.md §3. */
import { LruMap } from '../../../proto/lru-map.ts';
import { mayNotSet } from '../../setter-refusal.ts';
import { demandSetsNothing } from './caller-settings.ts';
import { type AllowedFunctions, ask, type CheckedStatement } from './guard.ts';
import type { Inquirer } from './inquirer.ts';
import { lookUpAll } from './reach.ts';
import { looksOnlyAtArguments, maySet, type ReachedFunction } from './server-functions.ts';
import { type Parsed, REMEMBERED_MAX_CHARACTERS } from './statement.ts';
import type { References } from './tree.ts';

interface Verdict {
  readonly refused: ReachedFunction | undefined;
  readonly expires: number;
}

/** How long a verdict stands, in milliseconds: a function replaced meanwhile is noticed after that. */
const VERDICT_MS = 60_000;

/** Verdicts over one pool's database, remembered by text. */
export class SetterGuard {
  readonly #allowed: AllowedFunctions;
  readonly #verdicts = new LruMap<string, Verdict>(2_000);

  constructor(allowed: AllowedFunctions) {
    this.#allowed = allowed;
  }

  /**
   * Refuses a statement that could set, or that calls code of users which `allow_functions` does not name. What hangs
   * on its tables, such as views, triggers, defaults and policies, is their owner's.
   * @param statement undefined where this parser cannot read it
   * @throws GatewayError FORBIDDEN
   */
  async admit(
    statement: Parsed | undefined,
    types: readonly number[] | undefined,
    inquirer: Inquirer,
  ): Promise<void> {
    demandSetsNothing(statement);
    const refused =
      statement && (await this.#refused({ statement, types, writes: true }, inquirer));
    if (refused === undefined) return;
    const name = `${refused.schema}.${refused.name}`;
    throw mayNotSet(`Function ${name}`, name);
  }

  async #refused(asked: CheckedStatement, inquirer: Inquirer) {
    const { statement, types } = asked;
    const key = `${types?.join() ?? ''} ${statement.text}`;
    const known = inquirer.pristine ? this.#verdicts.get(key) : undefined;
    if (known && known.expires > Date.now()) return known.refused;
    const refused = await this.#setterIn(asked, inquirer);
    if (inquirer.pristine && statement.text.length <= REMEMBERED_MAX_CHARACTERS) {
      this.#verdicts.set(key, { refused, expires: Date.now() + VERDICT_MS });
    }
    return refused;
  }

  /** First by the names that the text itself has; then, where the server can be asked, only what it finds there. */
  async #setterIn(asked: CheckedStatement, inquirer: Inquirer) {
    const { references } = asked.statement;
    if (callsNothing(references)) return undefined;
    const named = await lookUpAll({ ...references, relations: [] }, inquirer.lookUp);
    const suspects = named.filter((each) => this.#isRefused(each));
    if (suspects.length === 0) return undefined;
    const found = await ask(asked, inquirer);
    if (typeof found === 'string') return suspects[0];
    const called = new Set(found.reached.map(nameOf));
    return suspects.find((each) => called.has(nameOf(each)));
  }

  #isRefused(found: ReachedFunction): boolean {
    if (maySet(found)) return true;
    const { serverOwn, schema, name } = found;
    if (serverOwn || looksOnlyAtArguments(found) || this.#allowed === true) return false;
    return !this.#allowed.has(name) && !this.#allowed.has(`${schema}.${name}`);
  }
}

/** Whether its text names nothing that could be code: that cannot be asked in a transaction that has failed. */
function callsNothing({ functions, operators, types, fields }: References): boolean {
  return [functions, operators, types, fields].every(({ length }) => length === 0);
}

function nameOf({ schema, name }: ReachedFunction): string {
  return JSON.stringify([schema, name]);
}
