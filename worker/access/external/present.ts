/** What the setting allows now of a caller who goes on without their token. Contract §3, §9. */
import type { Caller } from '../../context.ts';
import type { Settings } from '../../settings.ts';
import { comparedName } from '../../shapes/ids.ts';

/**
 * The caller, at most with the level that the setting gives the issuer now: none where it does not name the issuer any more,
 * or not for the organization. The groups stay those of the token.
 */
export function asConfigured(settings: Pick<Settings, 'AUTH_EXTERNAL'>, caller: Caller): Caller {
  const { external, orgUuid, orgId } = caller;
  if (!external) return caller;
  const issuer = settings.AUTH_EXTERNAL.find((each) => each.issuer === external.issuer);
  const listed = new Set(issuer?.organizations.map(comparedName));
  const maxLevel = issuer && (listed.has(orgUuid) || listed.has(orgId)) ? issuer.max_level : 'None';
  if (maxLevel === external.maxLevel) return caller;
  // What is remembered of callers is remembered by the digest.
  const digest = `${external.digest}:${maxLevel}`;
  return { ...caller, external: { ...external, maxLevel, digest } };
}
