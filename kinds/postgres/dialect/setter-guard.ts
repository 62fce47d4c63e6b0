/** Decides which statements could set what `config.session` says about their caller. Spec: keys-and-doors.md §3. */
import { LruMap } from '../../../proto/lru-map.ts';
import { mayNotSet } from '../../refusals.ts';
import { demandSetsNothing } from './caller-settings.ts';
import type { AllowedFunctions, CheckedStatement } from './guard.ts';
import type { Inquirer } from './inquirer.ts';
import { reachedCode } from './reached-code.ts';
import { looksOnlyAtArguments, maySet, type ReachedFunction } from './server-functions.ts';
import { type Parsed, REMEMBERED_MAX_CHARACTERS } from './statement.ts';

interface Verdict {
  readonly refused: ReachedFunction | undefined;
  readonly expires: number;
}

/** Milliseconds for which a verdict is valid: a function that was replaced meanwhile is noticed after that. */
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
    const refused = await reachedCode(asked, inquirer, (found) => this.#isRefused(found));
    if (inquirer.pristine && statement.text.length <= REMEMBERED_MAX_CHARACTERS) {
      this.#verdicts.set(key, { refused, expires: Date.now() + VERDICT_MS });
    }
    return refused;
  }

  #isRefused(found: ReachedFunction): boolean {
    if (maySet(found)) return true;
    const { serverOwn, schema, name } = found;
    if (serverOwn || looksOnlyAtArguments(found) || this.#allowed === true) return false;
    return !this.#allowed.has(name) && !this.#allowed.has(`${schema}.${name}`);
  }
}
