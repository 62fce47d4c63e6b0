/** The level that following an endpoint's changes needs on it. Contract §4, §9. */

/**
 * Write where following makes something at the backend: a replication slot and publications, which hold its
 * log back. Elsewhere it only reads. @param kind undefined of an endpoint that is gone
 */
export function followingLevel(kind: string | undefined): 'Read' | 'Write' {
  return kind === 'postgres' ? 'Write' : 'Read';
}
