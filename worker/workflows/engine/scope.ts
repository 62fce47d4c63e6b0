/** The scope of an expression: `$` with what it reads, as a node of the run sees it. Spec: workflows.md §2. */
import { Budget, define, type Plain, type PlainObject } from '../../language/expressions/index.ts';
import type { ActionMember, Expr, Uses, Value } from '../definition/tree.ts';
import { ACTION_MEMBERS } from '../definition/uses.ts';
import { ActionFault } from './failure.ts';
import type { Node, Ref } from './journal.ts';
import { pathFrom, segmentsOf } from './paths.ts';
import { readValue } from './ready-values.ts';
import type { Turn } from './turn.ts';

/** Steps that telling an action comes to besides its values. Found by measuring runs whose actions read the whole run. */
const STEPS_OF_AN_ACTION = 1_500;

/** From where an expression looks: a node, or the run's own end. */
interface Viewpoint {
  readonly path: string;
  readonly at: number;
}

/** What expressions of one node read, and the steps that they may take together. */
export class Scope {
  readonly #turn: Turn;
  readonly #from: Viewpoint;
  readonly #budget: Budget;

  /** @param from `now` of its expressions is its start */
  constructor(turn: Turn, from: Viewpoint) {
    this.#turn = turn;
    this.#from = from;
    this.#budget = new Budget(turn.bounds, from.at);
  }

  /** The value of an expression. @throws RunFault | BudgetFault | ThrownFault */
  evaluate(
    expression: Expr,
    beside: PlainObject = {},
    named: readonly Plain[] = [],
  ): Plain | undefined {
    const root = { ...this.#root(expression.uses), ...beside };
    return this.#counted(() => expression.evaluate(root, this.#budget, named));
  }

  /** A value with its expressions evaluated. @throws RunFault | BudgetFault | ThrownFault | GatewayError */
  value(value: Value, beside: PlainObject = {}): Plain | undefined {
    if (value.constant !== undefined) return value.constant as Plain;
    const root = { ...this.#root(value.uses), ...beside };
    return this.#counted(() => value.evaluate(root, this.#budget));
  }

  /** The transition has taken the steps that the work takes. */
  #counted<Result>(work: () => Result): Result {
    const before = this.#budget.fuel;
    try {
      return work();
    } finally {
      this.#turn.spent.steps += before - this.#budget.fuel;
    }
  }

  /** A text. @throws ActionFault INVALID_INPUT for any other value */
  text(value: Value, member: string): string {
    const found = this.optionalText(value, member);
    if (found !== undefined) return found;
    throw new ActionFault('INVALID_INPUT', `${member}: must be a text`);
  }

  /** A text that may be left out, also by an expression that is undefined. @throws as `text` */
  optionalText(value: Value | undefined, member: string): string | undefined {
    const found = value && this.value(value);
    if (found === undefined || typeof found === 'string') return found;
    throw new ActionFault('INVALID_INPUT', `${member}: must be a text`);
  }

  #root({ roots, actions, names }: Uses): PlainObject {
    const { run } = this.#turn;
    const root: PlainObject = {};
    if (roots.has('input')) root.input = this.#value(run.input);
    if (roots.has('trigger')) root.trigger = run.trigger as Plain;
    if (roots.has('run')) {
      const { id, key, startedAt, version } = run;
      const started = iso(startedAt);
      root.run = { id, ...(key === undefined ? {} : { key }), started, version };
    }
    if (roots.has('error')) {
      const error = this.#error();
      if (error !== undefined) root.error = this.#value(error);
    }
    if (actions.size > 0) root.actions = this.#actions(actions);
    if (names.size > 0) this.#putElements(root, names);
    return root;
  }

  /** What the loops around give names to. */
  #putElements(root: PlainObject, names: Uses['names']): void {
    const { workflow, journal } = this.#turn;
    for (const { id, index, upTo } of segmentsOf(this.#from.path)) {
      const action = workflow.byId.get(id);
      if (action?.type !== 'loop' || index === undefined) continue;
      if (names.has(action.as)) define(root, action.as, journal.element(upTo, index) as Plain);
      if (action.index !== undefined && names.has(action.index)) define(root, action.index, index);
    }
  }

  #actions(wanted: Uses['actions']): PlainObject {
    const { workflow, journal, spent } = this.#turn;
    const actions: PlainObject = {};
    const paths = new Map<string, string>();
    for (const id of wanted.keys()) {
      const path = pathFrom(workflow, this.#from.path, id);
      if (path !== undefined) paths.set(id, path);
    }
    spent.steps += STEPS_OF_AN_ACTION * paths.size;
    journal.readAhead([...paths.values()]);
    for (const [id, path] of paths) {
      const told = this.#told(id, path, wanted.get(id) ?? 'all');
      if (Object.keys(told).length > 0) define(actions, id, told);
    }
    return actions;
  }

  #told(id: string, path: string, wanted: ReadonlySet<ActionMember> | 'all'): PlainObject {
    const node = this.#turn.journal.node(path);
    const told: PlainObject = {};
    for (const member of ACTION_MEMBERS) {
      if (wanted !== 'all' && !wanted.has(member)) continue;
      const value = member === 'url' ? this.#url(id, path) : node && this.#member(node, member);
      if (value !== undefined) told[member] = value;
    }
    return told;
  }

  #url(id: string, path: string): string | undefined {
    const action = this.#turn.workflow.byId.get(id);
    if (action?.type !== 'wait' || action.wait.mode !== 'callback') return undefined;
    return this.#turn.journal.callbackUrl(path);
  }

  #member(node: Node, member: ActionMember): Plain | undefined {
    if (member === 'output')
      return node.output === undefined ? undefined : this.#value(node.output);
    if (member === 'attempts') return Math.max(node.attempts, 1);
    if (member === 'started') return iso(node.startedAt);
    if (member === 'ended') return node.endedAt === 0 ? undefined : iso(node.endedAt);
    if (member === 'by') return node.by;
    return node.status;
  }

  /** Of what this stands for, or what led here by an error route. */
  #error(): Ref | undefined {
    const { journal, run } = this.#turn;
    let node = journal.node(this.#from.path);
    while (node) {
      if (node.role === 'compensation') return this.#undoing(node) ?? run.error;
      if (node.role === 'fallback' || node.role === 'escalation') {
        return ownerOf(this.#turn, node)?.error;
      }
      node = ownerOf(this.#turn, node);
    }
    return run.routed;
  }

  /** Why a container's attempt is undone that is made again. */
  #undoing(compensation: Node): Ref | undefined {
    let node = ownerOf(this.#turn, compensation);
    while (node && node.phase !== 'undo') node = ownerOf(this.#turn, node);
    return node?.error;
  }

  #value(ref: Ref): Plain {
    return readValue(this.#turn, ref) as Plain;
  }
}

function ownerOf({ journal }: Turn, { owner }: Node): Node | undefined {
  return owner === '' ? undefined : journal.node(owner);
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
