/** The order of the actions of a list: no cycles, and every action can be reached. Spec: workflows.md §1, "Checked when stored". */
import { truncated } from '../../../proto/truncate.ts';
import type { Report } from '../../templates/transformation/report.ts';
import { Ancestors } from './ancestors.ts';
import type { Draft, Link, List } from './draft.ts';
import { ACTION_ID, nameable } from './ids.ts';
import { SHOWN } from './members.ts';

/** A way from one action of a list to another, as an edge of a graph. */
interface Edge {
  readonly to: Draft;
  readonly where: string;
}

/** Where a walk is in the ways of an action. */
interface Frame {
  readonly action: Draft;
  readonly edges: readonly Edge[];
  at: number;
}

/** Actions between the two ends of a circle that are named. */
const BETWEEN_MAX = 5;

/** The ways of one list. */
export class Order {
  readonly list: List;
  /** Ways on, in the direction of time. */
  readonly #edges = new Map<Draft, Edge[]>();
  /** Made when first asked for: all ways are known then. */
  #ancestors: Ancestors<Draft> | undefined;

  constructor(list: List) {
    this.list = list;
  }

  /** Adds a way. @param from begins before `to`, or with it */
  add(from: Draft, to: Draft, where: string): void {
    const known = this.#edges.get(from) ?? [];
    known.push({ to, where });
    this.#edges.set(from, known);
  }

  /** Whether an action can have run before another begins. */
  isBefore(one: Draft, other: Draft): boolean {
    this.#ancestors ??= new Ancestors(this.list.actions, (action) =>
      (this.#edges.get(action) ?? []).map(({ to }) => to),
    );
    return this.#ancestors.has(one, other);
  }

  /** What can begin after an action, at whatever distance. */
  after(action: Draft): ReadonlySet<Draft> {
    const found = new Set<Draft>();
    const left = [action];
    for (let each = left.pop(); each !== undefined; each = left.pop()) {
      for (const { to } of this.#edges.get(each) ?? []) {
        if (!found.has(to)) {
          found.add(to);
          left.push(to);
        }
      }
    }
    return found;
  }

  /** Reports each way that closes a cycle. */
  checkCycles(report: Report): void {
    const done = new Set<Draft>();
    for (const action of this.list.actions) this.#follow(action, { report, done });
  }

  /** Depth first, without recursion: a list may have thousands of actions. */
  #follow(
    start: Draft,
    { report, done }: { readonly report: Report; readonly done: Set<Draft> },
  ): void {
    if (done.has(start)) return;
    /** What is walked now, with its place in the stack. */
    const path = new Map([[start, 0]]);
    const stack = [this.#frame(start)];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const edge = top.edges[top.at];
      top.at += 1;
      if (edge === undefined) {
        path.delete(top.action);
        done.add(top.action);
        stack.pop();
      } else if (path.has(edge.to)) {
        report.add(edge.where, this.#cycleOf(stack, path.get(edge.to) ?? 0));
      } else if (!done.has(edge.to)) {
        path.set(edge.to, stack.length);
        stack.push(this.#frame(edge.to));
      }
    }
  }

  /** What is told of a way from the last of a walk to an earlier one of it. A list may have very many. */
  #cycleOf(walk: readonly Frame[], from: number): string {
    const [first, last] = [walk[from], walk.at(-1)];
    if (first === undefined || last === undefined) return '';
    if (!this.list.isGraph) return leadsBack(first.action);
    if (first === last) return 'names the action itself, which would wait for itself';
    // In a graph it stands in the first, and names the last, which waits for the first by those between.
    const between = walk.length - 2 - from;
    const shown = Math.min(between, BETWEEN_MAX);
    const named = walk.slice(walk.length - 1 - shown, -1).map(({ action }) => `"${action.id}"`);
    const more = between > shown ? ` and ${between - shown} more` : '';
    const by = shown > 0 ? `, by ${named.reverse().join(', ')}${more}` : '';
    return `closes a circle: "${last.action.id}" itself waits for "${first.action.id}"${by}`;
  }

  #frame(action: Draft): Frame {
    return { action, edges: this.#edges.get(action) ?? [], at: 0 };
  }
}

/** What is told of a way that leads back. */
export function leadsBack({ id }: Draft): string {
  return `leads back to "${id}": a loop is the way to repeat`;
}

/** The ways that the actions of a list name; reports names that are not in the list. */
export function orderOf(list: List, byId: ReadonlyMap<string, Draft>, report: Report): Order {
  const order = new Order(list);
  const own = new Map(list.actions.map((action) => [action.id, action]));
  for (const [from, links] of list.links) {
    for (const link of links) {
      const to = own.get(link.to);
      if (to === undefined) report.add(link.where, missing(link, own, { byId, report }));
      else if (list.isGraph) order.add(to, from, link.where);
      else order.add(from, to, link.where);
    }
  }
  return order;
}

/** The message about a name that is not in the list. */
function missing(
  { to }: Link,
  own: ReadonlyMap<string, Draft>,
  { byId, report }: { readonly byId: ReadonlyMap<string, Draft>; readonly report: Report },
): string {
  const shown = truncated(to, SHOWN);
  const other = byId.get(to);
  if (other !== undefined) return `names an action of another list: "${shown}" is ${other.where}`;
  return `names no action of this list: "${shown}"${report.hint(shown, nameable(own.keys()))}`;
}

/** Reports each action of a list that no way leads to. */
export function checkReached(order: Order, start: Draft | undefined, report: Report): void {
  const { actions, isGraph } = order.list;
  const first = start ?? actions[0];
  // Where an action has no id, ways to it cannot be known.
  if (isGraph || first === undefined || actions.some(({ id }) => !ACTION_ID.test(id))) return;
  const reached = order.after(first);
  for (const [index, action] of actions.entries()) {
    if (action === first || reached.has(action)) continue;
    const before = actions[index - 1];
    const isEnd = before !== undefined && (order.list.links.get(before) ?? []).length === 0;
    const advice = isEnd
      ? `; give "${before.id}" "${before.type === 'condition' ? 'true' : 'next'}": "${action.id}"`
      : '';
    report.add(action.where, `is never reached: no way leads from "${first.id}" to it${advice}`);
  }
}
