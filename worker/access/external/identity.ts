/** The parts of an identity provider's token that rules use. Contract §3. */
import { type Level, lowerOf } from '../../levels.ts';

/** What stands in for an account. */
export interface ExternalIdentity {
  readonly issuer: string;
  /** Subjects of rules: `group:<name>` for each group and permission. */
  readonly groups: readonly string[];
  /** No rule gives more. */
  readonly maxLevel: Level;
  /** Of subject, groups and bound: tokens that differ in one of them have different digests. */
  readonly digest: string;
  /** JSON of the token's claims; absent where the caller goes on without the token. */
  readonly claims?: string;
}

/** A level that a rule gives, as far as the caller's issuer may give it. */
export function boundedLevel(
  { external }: { readonly external?: ExternalIdentity },
  level: Level,
): Level {
  return external ? lowerOf(level, external.maxLevel) : level;
}
