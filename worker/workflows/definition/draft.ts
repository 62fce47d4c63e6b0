/** What a definition is read with, and what is found on the way. */
import type { Kind } from '../../../kinds/index.ts';
import type { Json } from '../../../proto/json.ts';
import type { Pieces } from '../../../proto/work/pieces.ts';
import type { Drafting, Stand } from './expression.ts';
import type { Reference } from './findings.ts';
import type { Members } from './members.ts';
import type { Action, ActionParent, ActionType, Common } from './tree.ts';

/** What is known of the organization that a definition is read in. */
export interface Lookups {
  /** The kind of an endpoint; undefined when there is none of that name. */
  kindOf(endpoint: string): Kind | undefined;
  /**
   * Whether it is a version that was stored: what no longer fits the endpoints that it names then
   * fails in the action itself, and secrets are sealed.
   */
  readonly isStored?: boolean;
}

/** An action while it is read. After a fault some of its members may never be set. */
export type Draft = { -readonly [Member in keyof Common]: Common[Member] } & {
  /** Once all of it was read. */
  type?: ActionType;
};

/** A way from an action to another of its list. */
export interface Link {
  readonly to: string;
  /** Where it is named. */
  readonly where: string;
}

/** Actions that are in one list. */
export interface List {
  readonly where: string;
  readonly place: ActionParent;
  readonly isGraph: boolean;
  readonly actions: readonly Draft[];
  /** By the actions that they lead from. */
  readonly links: Map<Draft, Link[]>;
}

/** An action that is to be read. */
export interface ActionSource {
  readonly json: Json;
  readonly where: string;
  readonly place: ActionParent;
  /** The id that it has when it names none; undefined where it must. */
  readonly id?: string | undefined;
}

/** A definition while it is read. */
export interface Drafts extends Drafting {
  readonly lookups: Lookups;
  readonly references: Reference[];
  readonly byId: Map<string, Draft>;
  readonly lists: List[];
  /** Reads an action that is alone. */
  readOne(written: ActionSource): Pieces<Action | undefined>;
  /** Reads an action, or a list of them. */
  readList(written: ActionSource): Pieces<readonly Action[] | undefined>;
}

/** One action while its own members are read. */
export interface DraftContext {
  readonly drafts: Drafts;
  readonly members: Members;
  readonly draft: Draft;
  /** Where it is, and what it leads to. */
  readonly list: List;
}

/** What a type adds to an action. */
type MembersOfType<Type extends ActionType> = Type extends ActionType
  ? Omit<Extract<Action, { type: Type }>, keyof Common | 'type'>
  : never;

/** How actions of one type are read. */
export interface TypeReader<Type extends ActionType> {
  /** Members besides those that every action has. */
  readonly members: readonly string[];
  /** What the type adds to an action; undefined, with a fault, when it is not whole. */
  read(around: DraftContext): Pieces<MembersOfType<Type> | undefined>;
}

/** The state of an action to what is read before it begins. */
export function beforeOf({ draft }: Pick<DraftContext, 'draft'>): Stand {
  return { root: 'run', action: draft, when: 'before' };
}

/** Notes that an action leads to another of its list. */
export function link(
  { list, draft }: DraftContext,
  to: string | null | undefined,
  where: string,
): void {
  if (to === null || to === undefined) return;
  const known = list.links.get(draft);
  // A list of ids may be as long as a definition.
  if (known === undefined) list.links.set(draft, [{ to, where }]);
  else known.push({ to, where });
}

/** The id of an action of the same list that a member names; null for none. A graph has such ways by `after` alone. */
export function targetOf(around: DraftContext, members: Members, name: string): string | null {
  const value = members.given(name);
  if (value === undefined) return null;
  if (typeof value !== 'string') {
    members.fault(name, 'must be the id of an action of the same list, or null');
    return null;
  }
  if (!around.list.isGraph) link(around, value, members.at(name));
  return value;
}
