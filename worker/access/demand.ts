/** What a call demands of its caller's rights: kept with a reply that may be told again. */
import type { ResourceKind } from '../db/schema.ts';
import type { Level } from '../levels.ts';
import type { DoorName } from './door/name.ts';

/** What a level is held on. */
export interface HeldOn {
  readonly kind: ResourceKind;
  readonly uuid: string;
  /** The level is for changing its rules, which the level on the organization allows, too. */
  readonly asRules?: true;
}

/** A level that was demanded. */
export interface Demand {
  readonly on: HeldOn;
  /** As a refusal names it: `{endpoint: 'orders'}`. */
  readonly named: Readonly<Record<string, string>>;
  readonly level: Level;
  /** Of the author of a door, not of who called. */
  readonly by?: DemandedOf | undefined;
}

/** The author whose rights a demand is of. */
interface DemandedOf extends DoorName {
  readonly uuid: string;
  readonly username: string;
}

/** Each demand once, without those of `before`. */
export function withoutRepeats(
  demands: readonly Demand[],
  before: readonly Demand[] = [],
): readonly Demand[] {
  const known = new Set(before.map((each) => JSON.stringify(each)));
  return [...new Map(demands.map((each) => [JSON.stringify(each), each]))]
    .filter(([text]) => !known.has(text))
    .map(([, each]) => each);
}
