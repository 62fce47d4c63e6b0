/** What a command does: whether it writes, and whether it does so to the whole server. Contract §6. */
import type { Mode } from '../../proto/driver.ts';
import { isPipeline, type RedisCommand, type RedisRequest } from './command.ts';
import { allCommands, type CommandEntry, commandNamed, isContainer } from './table.ts';

/**
 * Flagged `readonly` although they change something. Search's dictionaries, aliases, settings and
 * cursors, the time series' own cluster, the search's debugging (it starts and stops collection and
 * expiry), a filter's layout. Scripts that are said to only read can call all of these.
 */
const LIARS = [
  ...['ft.dictadd', 'ft.dictdel', 'ft.config set', 'ft.cursor del', 'cf.compact'],
  ...['ft.aliasadd', 'ft.aliasdel', 'ft.aliasupdate', 'ft._aliasaddifnx', 'ft._aliasdelifx'],
  ...['eval_ro', 'evalsha_ro', 'fcall_ro'],
];
const LYING_FAMILIES = ['ft.debug', 'timeseries.'];

/** Without effect, whatever their flags say. */
const HARMLESS = new Set([
  ...['ping', 'echo', 'time', 'info', 'role', 'lastsave', 'wait', 'memory usage', 'command'],
  ...['subscribe', 'psubscribe', 'ssubscribe', 'unsubscribe', 'punsubscribe', 'sunsubscribe'],
  ...['acl cat', 'acl genpass', 'acl whoami'],
  ...['info', 'keyslot', 'slots', 'shards', 'myid'].map((each) => `cluster ${each}`),
]);
const HARMLESS_FAMILIES = ['command ', 'pubsub ', 'xinfo ', 'object '];

/** Done to the whole server although no category of its says so. */
const WHOLE_SERVER = new Set([
  ...['flushall', 'flushdb', 'swapdb', 'migrate', 'ft.config set'],
  ...['load', 'delete', 'flush', 'restore', 'kill'].map((each) => `function ${each}`),
  ...['script flush', 'script kill'],
]);
/** Of sentinels, the servers' own tables say nothing; one command of the time series' cluster ends a server. */
const WHOLE_SERVER_FAMILIES = ['module', 'sentinel'];
const SERVERS_AMONG_THEMSELVES = 'timeseries.';

const startsWithOneOf = (name: string, starts: readonly string[]) =>
  starts.some((start) => name.startsWith(start));

/** Known commands' effects, so that each is found out once. */
const reads = new Set<string>();
const admins = new Set<string>();
for (const entry of allCommands()) {
  if (isHarmless(entry.name)) reads.add(entry.name);
  else {
    if (isAdmin(entry)) admins.add(entry.name);
    if (isRead(entry)) reads.add(entry.name);
  }
}
// In a family with commands for administrators only, an unknown command counts as one of those.
for (const name of [...admins]) {
  const [parent = ''] = name.split(' ');
  if (isContainer(parent)) admins.add(parent);
}

function isHarmless(name: string): boolean {
  return HARMLESS.has(name) || startsWithOneOf(name, HARMLESS_FAMILIES);
}

function isRead({ name, flags }: CommandEntry): boolean {
  const isFlagged = flags.includes('r') && !/[wa]/.test(flags);
  const isLiar = LIARS.includes(name) || startsWithOneOf(name, LYING_FAMILIES);
  // Reading about other clients' commands changes nothing.
  return name === 'monitor' || (isFlagged && !isLiar && !isContainer(name));
}

function isAdmin({ name, flags }: CommandEntry): boolean {
  return /[aA]/.test(flags) || WHOLE_SERVER.has(name) || isOfWholeServer(name);
}

function isOfWholeServer(name: string): boolean {
  const isOf = (family: string) => name === family || name.startsWith(`${family} `);
  return WHOLE_SERVER_FAMILIES.some(isOf) || name.startsWith(SERVERS_AMONG_THEMSELVES);
}

/** Whether a command, by its own name, may change something: unknown ones may. */
export function modeOfCommand({ type }: RedisCommand): Mode {
  return reads.has(type) ? 'read' : 'write';
}

/** Whether a command, by its own name, is for administrators. */
export function isForAdmins({ type }: RedisCommand): boolean {
  return admins.has(type) || (commandNamed(type) === undefined && isAdminsFamily(type));
}

/** A subcommand that is not known may be any of its family's. */
function isAdminsFamily(type: string): boolean {
  const [parent = ''] = type.split(' ');
  return isOfWholeServer(type) || (parent !== type && admins.has(parent));
}

/** A pipeline writes when one of its commands does. */
export function modeOf(request: RedisRequest): Mode {
  const commands = isPipeline(request) ? request.pipeline : [request];
  return commands.every((each) => modeOfCommand(each) === 'read') ? 'read' : 'write';
}

/** A pipeline is for administrators when one of its commands is. */
export function needs(request: RedisRequest): 'Admin' | undefined {
  const commands = isPipeline(request) ? request.pipeline : [request];
  return commands.some(isForAdmins) ? 'Admin' : undefined;
}
