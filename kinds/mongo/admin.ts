/** Which commands act on the whole server, and which only read. Source: MongoDB manual, "Database Commands". */
import { isJsonObject, type Json, type JsonObject } from '../../proto/json.ts';
import { isReordered, namesOf } from '../../proto/ordered-json.ts';
import { parseOrdered } from '../../proto/parse-ordered.ts';

/** Commands on users, roles, the server itself, its replica set, shards and logs. Contract §6, "Admin". */
const ADMIN = new Set(
  [
    'createUser updateUser dropUser dropAllUsersFromDatabase grantRolesToUser revokeRolesFromUser',
    'createRole updateRole dropRole dropAllRolesFromDatabase grantPrivilegesToRole',
    'revokePrivilegesFromRole grantRolesToRole revokeRolesFromRole invalidateUserCache',
    'authSchemaUpgrade mergeAuthzCollections copydbgetnonce',
    'shutdown fsync fsyncUnlock setParameter setFeatureCompatibilityVersion',
    'setDefaultRWConcern setClusterParameter logRotate rotateCertificates killOp killAllSessions',
    'killAllSessionsByPattern killSessions compact reIndex validateDBMetadata autoCompact',
    'dropConnections flushRouterConfig setIndexCommitQuorum configureFailPoint cloneCollectionAsCapped',
    'convertToCapped repairDatabase applyOps setAuditConfig auditConfigure',
    'replSetInitiate replSetReconfig replSetStepDown replSetFreeze replSetMaintenance',
    'replSetSyncFrom replSetAbortPrimaryCatchUp replSetResizeOplog replSetStepUp replSetTest',
    'addShard removeShard addShardToZone removeShardFromZone balancerStart balancerStop',
    'enableSharding shardCollection unshardCollection reshardCollection abortReshardCollection',
    'commitReshardCollection refineCollectionShardKey moveChunk movePrimary moveRange moveCollection',
    'mergeChunks mergeAllChunksOnShard split splitChunk splitVector clearJumboFlag cleanupOrphaned',
    'updateZoneKeyRange transitionFromDedicatedConfigServer transitionToDedicatedConfigServer',
    'configureQueryAnalyzer setQuerySettings removeQuerySettings setUserWriteBlockMode',
    'setAllowMigrations setShardVersion profile planCacheSetFilter planCacheClearFilters',
    'planCacheClear copydb copydbSaslStart clone cloneCollection connPoolSync rotateFTDC',
    'oidcRefreshKeys setChangeStreamState refreshLogicalSessionCacheNow captrunc emptycapped godinsert sleep cpuload replSetRequestVotes',
  ]
    .join(' ')
    .toLowerCase()
    .split(' '),
);

/** The name of a command, in lower case: its first member's. */
export function commandName(command: JsonObject): string {
  return (namesOf(command)[0] ?? '').toLowerCase();
}

/** Commands of members of a cluster among themselves. */
const OF_MEMBERS = /^(?:_|internal|donor|recipient|replset(?!get))/;
/** JavaScript moves such names before others: the first name of a command can no longer be known. */
const INDEX = /^\d+$/;

/** The command of a request, read where it is text; undefined where there is none, or where the text is not a command. */
export function commandOf(command: Json | undefined): JsonObject | undefined {
  if (typeof command !== 'string') return isJsonObject(command) ? command : undefined;
  try {
    const parsed = parseOrdered(command);
    return isJsonObject(parsed) ? parsed : undefined;
  } catch {
    // Refused where it would run.
    return undefined;
  }
}

/** Whether the first member of a command can be known. */
export function isToldFirst(command: JsonObject): boolean {
  return isReordered(command) || !namesOf(command).some((name) => INDEX.test(name));
}

/** Whether a command needs Admin, by its name. */
export function needsAdmin(command: Json | undefined): boolean {
  const known = commandOf(command);
  if (known === undefined) return false;
  const name = commandName(known);
  return ADMIN.has(name) || OF_MEMBERS.test(name) || !isToldFirst(known);
}
