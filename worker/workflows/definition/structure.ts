/** How the actions of a definition relate to each other: which list each is in, and what follows what. */
import type { Draft, Drafts } from './draft.ts';
import type { Handlers, WrittenHandler } from './handlers.ts';
import { checkReached, leadsBack, type Order, orderOf } from './lists.ts';
import type { ActionParent } from './tree.ts';

/** The outermost part that holds an action: the run itself, or something that runs beside it. */
type Root = 'workflow' | 'compensation' | 'fallback' | 'escalation';

/** The actions of a definition, when all are known. */
export class Structure {
  readonly drafts: Drafts;
  readonly handlers: Handlers;
  readonly top: Order | undefined;
  /** By each of their actions. */
  readonly #orders = new Map<Draft, Order>();
  /** Whether `errorHandler.default.action` holds for an action. */
  readonly #routed = new Set<Draft>();

  constructor(drafts: Drafts, handlers: Handlers, start: string | undefined) {
    const { byId, report, lists } = drafts;
    this.drafts = drafts;
    this.handlers = handlers;
    const orders = lists.map((list) => orderOf(list, byId, report));
    for (const order of orders) {
      for (const action of order.list.actions) this.#orders.set(action, order);
    }
    this.top = orders.find(({ list }) => list.place.in === 'workflow');
    if (this.top !== undefined) this.#addRoutes(this.top);
    for (const order of orders) {
      order.checkCycles(report);
      const first = order === this.top && start !== undefined ? byId.get(start) : undefined;
      checkReached(order, first, report);
    }
  }

  orderOf(action: Draft): Order | undefined {
    return this.#orders.get(action);
  }

  /** The action that contains another; undefined at the top level, and for an action that many share. */
  containerOf({ place }: { readonly place: ActionParent }): Draft | undefined {
    return 'of' in place && place.of !== undefined ? this.drafts.byId.get(place.of) : undefined;
  }

  /** The outermost part that holds an action; for a fallback of a compensation, that is the fallback. */
  rootOf(action: { readonly place: ActionParent }): Root {
    const { place } = action;
    if (place.in === 'branch' || place.in === 'loop' || place.in === 'option') {
      const container = this.containerOf(action);
      return container === undefined ? 'workflow' : this.rootOf(container);
    }
    return place.in;
  }

  /** Whether `errorHandler.default.action` holds for an action. */
  isRouted(action: Draft): boolean {
    return this.#routed.has(action);
  }

  /** Routes lead to actions of the top: from there they are ways like others. */
  #addRoutes(top: Order): void {
    const { byDefault, byId } = this.handlers;
    for (const [id, { route }] of byId) {
      const action = this.drafts.byId.get(id);
      const target = route && this.#targetOf(top, route);
      if (!route || action === undefined) continue;
      const root = this.rootOf(action);
      if (root === 'compensation' || root === 'escalation') {
        this.drafts.report.add(
          route.where,
          `is not allowed on ${AN[root]}: the run goes on without it`,
        );
      } else if (target) this.#lead(top, action, { target, where: route.where });
    }
    const target = byDefault.route && this.#targetOf(top, byDefault.route);
    if (byDefault.route && target) this.#addDefault(top, target, byDefault.route.where);
  }

  /** It does not hold for its target and what follows that. */
  #addDefault(top: Order, target: Draft, where: string): void {
    const follows = top.after(target);
    for (const action of this.drafts.byId.values()) {
      const own = this.handlers.byId.get(action.id)?.route;
      if (own !== undefined || this.rootOf(action) !== 'workflow') continue;
      const [first] = this.#topsOf(action);
      if (first === undefined || first === target || follows.has(first)) continue;
      this.#routed.add(action);
      top.add(first, target, where);
    }
  }

  /** What all share leads from each of them, its target included: no such way is right. */
  #lead(top: Order, action: Draft, { target, where }: { target: Draft; where: string }): void {
    const tops = this.#topsOf(action);
    if (tops === top.list.actions) this.drafts.report.add(where, leadsBack(target));
    else for (const first of tops) top.add(first, target, where);
  }

  #targetOf(top: Order, { to, where }: NonNullable<WrittenHandler['route']>): Draft | undefined {
    const { report, byId } = this.drafts;
    if (top.list.isGraph) {
      report.add(where, 'is not allowed in a graph: its actions begin by after');
      return undefined;
    }
    const target = byId.get(to);
    if (target !== undefined && target.place.in === 'workflow') return target;
    report.add(where, target === undefined ? `names no action: "${to}"` : OF_TOP);
    return undefined;
  }

  /** The actions of the top level that contain an action; for an action that many share, all of them. */
  #topsOf(action: Draft): readonly Draft[] {
    let each: Draft | undefined = action;
    for (; each !== undefined; each = this.containerOf(each)) {
      if (each.place.in === 'workflow') return [each];
      if ('of' in each.place && each.place.of === undefined) return this.top?.list.actions ?? [];
    }
    return [];
  }
}

const AN = { compensation: 'a compensation', escalation: 'an escalation' };
const OF_TOP = 'names an action within another: a route leads to one of the top level';
