/** Who comes with a token of an identity provider, as far as rules are about him. Contract §3. */
import { type Level, lowerOf } from '../../levels.ts';

/** What stands in for an account. */
export interface ExternalIdentity {
  readonly issuer: string;
  /** Subjects of rules: `group:<name>` for each of his groups and permissions. */
  readonly groups: readonly string[];
  /** No rule gives him more. */
  readonly maxLevel: Level;
  /** Of subject, groups and bound: who differs in one of them has another. */
  readonly digest: string;
}

/** A level that a rule gives, as far as the caller's issuer may give it. */
export function bounded(
  { external }: { readonly external?: ExternalIdentity },
  level: Level,
): Level {
  return external ? lowerOf(level, external.maxLevel) : level;
}
