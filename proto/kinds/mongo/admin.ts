/** Which commands act on the whole server, and which only read. Source: MongoDB manual, "Database Commands". */
import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import { namesOf } from '../../ordered-json.ts';

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
    'planCacheClear captrunc emptycapped godinsert sleep cpuload replSetRequestVotes',
  ]
    .join(' ')
    .toLowerCase()
    .split(' '),
);

/** The name of a command, in lower case: its first member's. */
export function commandName(command: JsonObject): string {
  return (namesOf(command)[0] ?? '').toLowerCase();
}

/** Whether a command needs Admin. */
export function needsAdmin(command: Json | undefined): boolean {
  if (typeof command === 'string') {
    // Text is parsed where it runs: here it is enough that no name of such a command goes by.
    return [...command.matchAll(/"((?:[^"\\]|\\.)*)"\s*:/g)].some(([, name = '']) =>
      ADMIN.has(unescaped(name).toLowerCase()),
    );
  }
  return isJsonObject(command) && ADMIN.has(commandName(command));
}

/** Databases that hold users, the configuration of a cluster, and the log of all changes. */
const SYSTEM = new Set(['admin', 'config', 'local']);
/** Commands that write to a database, in lower case. */
const WRITING = new Set(
  [
    'insert update delete findandmodify bulkwrite drop dropdatabase create createindexes dropindexes',
    'collmod renamecollection clonecollection mapreduce',
  ]
    .join(' ')
    .split(' '),
);

/** Whether a request writes to one of the server's own databases. Spec silent. */
export function writesToSystem(
  database: string | undefined,
  isWrite: boolean,
  command: Json | undefined,
): boolean {
  if (database === undefined || !SYSTEM.has(database.toLowerCase())) return false;
  if (isJsonObject(command)) return WRITING.has(commandName(command));
  return isWrite;
}

/** The databases that writes of `client.bulk_write` name, each once. */
export function databasesOf(operations: readonly Json[] = []): string[] {
  const names = operations.flatMap((operation) =>
    isJsonObject(operation) ? Object.values(operation) : [],
  );
  const namespaces = names.flatMap((write) =>
    isJsonObject(write) && typeof write.namespace === 'string' ? [write.namespace] : [],
  );
  return [...new Set(namespaces.map((each) => each.split('.', 1)[0] ?? ''))];
}

function unescaped(name: string): string {
  try {
    return String(JSON.parse(`"${name}"`));
  } catch {
    return name;
  }
}
