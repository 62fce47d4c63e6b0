/** Calls that the actions of an object's runs make: each ends in a transition of its run. Spec: workflows.md §7. */
import type { Bindings } from '../../context.ts';
import { loggedFault } from '../../db/fault.ts';
import { log } from '../../log.ts';
import { attemptEnded } from '../engine/machine.ts';
import { spendOn, type Turn } from '../engine/turn.ts';
import { contextsOf } from './contexts.ts';
import { definitionOf } from './definitions.ts';
import type { Driver } from './driver.ts';
import type { Call } from './head.ts';
import type { SqlJournal } from './journal.ts';
import { markedKeyOf } from './marked.ts';
import { type CallEnd, callEndpoint, callTemplate } from './perform.ts';

/** Steps that making a call comes to besides its output: a tenth of a millisecond. */
const STEPS_OF_A_CALL = 24_000;

/** Calls of an object that begin at once; further ones, as a graph of thousands makes, begin when it is their turn. */
const AT_ONCE = 16;

export class Calls {
  readonly #driver: Driver;
  readonly #env: Bindings;
  /** `nameOf` of each that is in flight. */
  readonly #inFlight = new Set<string>();

  constructor(driver: Driver, env: Bindings) {
    this.#driver = driver;
    this.#env = env;
  }

  /** How many are in flight. */
  get count(): number {
    return this.#inFlight.size;
  }

  /** Whether the call of an action is in flight. */
  has(run: number, path: string): boolean {
    return this.#inFlight.has(nameOf(run, path));
  }

  /** Makes a call, and lets its run go on with its end. */
  async make(run: number, { path, attempt }: Call): Promise<void> {
    const name = nameOf(run, path);
    this.#inFlight.add(name);
    let end: CallEnd | undefined;
    let sent = false;
    const sends = () => {
      sent = true;
      this.#driver.keeper.write(run);
    };
    try {
      if (this.#inFlight.size > AT_ONCE) await this.#driver.computing.turn();
      end = await this.#end(run, path, sends);
    } catch (thrown) {
      log('error', 'a call of a run failed', {
        object: this.#driver.keeper.name,
        ...loggedFault(thrown),
      });
      const failure = { code: 'INTERNAL', message: 'Something went wrong', action: '' };
      end = { failure: sent ? { ...failure, effect: 'possible' } : failure, reached: [] };
    } finally {
      this.#inFlight.delete(name);
    }
    if (!end) return;
    await this.#driver.computing.turn();
    await this.#ended(run, { path, attempt }, end, !sent);
  }

  async #ended(
    run: number,
    { path, attempt }: Call,
    end: CallEnd,
    mayWait: boolean,
  ): Promise<void> {
    const take = (turn: Turn, journal: SqlJournal) => {
      journal.reach(end.reached);
      turn.spent.steps += STEPS_OF_A_CALL;
      const outcome =
        'failure' in end
          ? { failure: end.failure }
          : { output: journal.keep(spendOn(turn, end.text)) };
      attemptEnded(turn, path, attempt, outcome);
    };
    await this.#driver.act(run, take, mayWait);
  }

  /** @param sends is called before anything leaves that may change something */
  async #end(run: number, path: string, sends: () => void): Promise<CallEnd | undefined> {
    const { keeper, allowance, later } = this.#driver;
    const row = keeper.at(run);
    const workflow = row && definitionOf(keeper, row.head.workflow);
    const node = keeper.nodeAt(run, path);
    const action = node && workflow?.byId.get(node.action);
    if (!row || !node || node.input === undefined) return undefined;
    if (action?.type !== 'endpoint' && action?.type !== 'template') return undefined;
    const full = {
      code: 'QUOTA_EXCEEDED',
      message: "The organization's storage is used up",
      action: action.id,
    };
    if (!(await allowance.has(0))) return { failure: full, reached: [] };
    const input = keeper.text(run, node.input);
    const signal = new AbortController().signal;
    const contexts = contextsOf(this.#env, row, signal, later);
    let end: CallEnd;
    if (action.type === 'endpoint') {
      if (action.operation === 'write') sends();
      end = await callEndpoint(contexts, action, input, markedKeyOf(row, node));
    } else {
      const turn = () => this.#driver.computing.turn();
      end = await callTemplate(contexts, action, row.head.pins, input, { sends, turn });
    }
    if ('failure' in end || (await allowance.has(end.text.length))) return end;
    return { failure: { ...full, effect: 'possible' }, reached: end.reached };
  }
}

function nameOf(run: number, path: string): string {
  return `${run}:${path}`;
}
