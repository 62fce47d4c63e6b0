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
    const path = new Set([start]);
    const stack = [this.#frame(start)];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const edge = top.edges[top.at];
      top.at += 1;
      if (edge === undefined) {
        path.delete(top.action);
        done.add(top.action);
        stack.pop();
      } else if (path.has(edge.to)) {
        report.add(edge.where, cycleTo(edge.to, this.list));
      } else if (!done.has(edge.to)) {
        path.add(edge.to);
        stack.push(this.#frame(edge.to));
      }
    }
  }

  /** Where a walk is in the ways of an action. */
  #frame(action: Draft): { action: Draft; edges: readonly Edge[]; at: number } {
    return { action, edges: this.#edges.get(action) ?? [], at: 0 };
  }
}

/** What is told of a way that closes a cycle. */
export function cycleTo({ id }: Draft, { isGraph }: List): string {
  return isGraph
    ? `closes a circle: "${id}" itself waits for this action`
    : `leads back to "${id}": a loop is the way to repeat`;
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
    const advice = isEnd ? `; give "${before.id}" "next": "${action.id}"` : '';
    report.add(action.where, `is never reached: no way leads from "${first.id}" to it${advice}`);
  }
}
