/** What an expression reads of a run, as it is found. */
import type { ActionMember, RootName, Uses } from './tree.ts';

/** What an expression may read of an action by name. Spec: workflows.md §2. */
export const ACTION_MEMBERS: readonly ActionMember[] = [
  'output',
  'status',
  'attempts',
  'started',
  'ended',
  'by',
  'url',
];

/** What one expression reads. */
export class FoundUses implements Uses {
  readonly roots = new Set<RootName>();
  readonly names = new Set<string>();
  #actions = new Map<string, ReadonlySet<ActionMember> | 'all'>();
  /** Actions that are read as a whole; others with the same reader read the same map. */
  #all: ReadonlyMap<string, 'all'> | undefined;

  get actions(): Uses['actions'] {
    return this.#actions.size === 0 && this.#all !== undefined ? this.#all : this.#actions;
  }

  /**
   * Adds an action; answers how many ids had to be copied for it.
   * @param member undefined for the action as a whole
   */
  add(id: string, member: string | undefined): number {
    if (this.#all?.has(id) === true) return 0;
    const copied = this.#actions.size === 0 ? this.#copyAll() : 0;
    const known = this.#actions.get(id) ?? new Set();
    if (member === undefined || known === 'all') this.#actions.set(id, 'all');
    else if (isMember(member)) this.#actions.set(id, new Set([...known, member]));
    else this.#actions.set(id, known);
    return copied;
  }

  /** Adds all that can be seen; answers how many ids had to be copied for it. */
  addAll(visible: ReadonlyMap<string, 'all'>): number {
    if (this.#all !== undefined) return 0;
    this.#all = visible;
    return this.#actions.size === 0 ? 0 : this.#copyAll();
  }

  #copyAll(): number {
    for (const id of this.#all?.keys() ?? []) this.#actions.set(id, 'all');
    return this.#all?.size ?? 0;
  }
}

function isMember(name: string): name is ActionMember {
  return (ACTION_MEMBERS as readonly string[]).includes(name);
}
