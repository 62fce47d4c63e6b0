/** Which replies two servers cannot give alike, and which commands are compared elsewhere or nowhere, each with its reason. */
import type { Likeness } from './leaves.ts';

/** How replies are compared that are not the same on both. */
const LIKENESS: { readonly [name: string]: Likeness } = {
  // Tables of two servers are laid out by seeds of their own.
  ...alike('unordered', [
    ...[
      'keys',
      'scan',
      'smembers',
      'sdiff',
      'sinter',
      'sunion',
      'srandmember',
      'spop',
      'hrandfield',
    ],
    ...['hgetall', 'hkeys', 'hvals', 'hscan', 'sscan', 'zscan', 'zrandmember', 'vrandmember'],
    ...['sort', 'config get', 'acl cat', 'acl list', 'acl users', 'command list', 'command docs'],
    ...['command info', 'command', 'module list', 'ts.mget', 'ts.mrange', 'ts.mrevrange'],
    ...['ts.queryindex', 'ft.search', 'ft.tagvals', 'ft.syndump', 'ft.dictdump'],
    ...[
      'ft.debug',
      'ft._list',
      'json.get',
      'vlinks',
      'object freq',
      'function list',
      'acl getuser',
    ],
  ]),
  // Times, sizes and ids.
  ...alike('numbers differ', [
    ...['xinfo stream', 'xinfo groups', 'xinfo consumers', 'xpending', 'pttl', 'ttl', 'time'],
    ...['lastsave', 'memory usage', 'memory stats', 'slowlog len', 'client id'],
    ...['expiretime', 'pexpiretime', 'hexpiretime', 'hpexpiretime', 'httl', 'hpttl', 'ts.info'],
    ...['object idletime', 'latency latest', 'vinfo', 'ft.info', 'json.debug'],
    ...['latency histogram', 'object encoding', 'acl log', 'cf.debug', 'bf.debug', 'vemb'],
  ]),
  ...alike('both', ['ft.profile', 'ft.aggregate']),
  ...alike('text differs', [
    ...['slowlog get', 'commandlog get', 'ft.debug'],
    ...['info', 'client info', 'client list', 'memory doctor', 'memory malloc-stats', 'lolwut'],
    // Whether a BGSAVE still runs.
    'bgrewriteaof',
    ...['latency doctor', 'acl genpass', 'debug', 'function dump', 'client trackinginfo'],
    ...['bf.scandump', 'config help', 'debug object', 'acl dryrun', 'command help'],
  ]),
};

/** How replies to a command are compared. */
export function likenessOf(name: string): Likeness {
  const [parent = ''] = name.split(' ');
  return LIKENESS[name] ?? LIKENESS[parent] ?? 'same';
}

function alike(likeness: Likeness, names: readonly string[]): { [name: string]: Likeness } {
  return Object.fromEntries(names.map((name) => [name, likeness]));
}

/** Not compared: pattern and reason. */
export const NOT_COMPARED: readonly (readonly [RegExp, string])[] = [
  [/^(p|s)?(un)?subscribe$|^monitor$/, 'answered by messages: watch.test.ts and lease.test.ts'],
  [/^(auth|hello|quit|reset|client reply|script debug)$/, 'taken from nobody: lease.test.ts'],
  [/^(sync|psync|replconf)$/, 'for replicas, taken from nobody: lease.test.ts'],
  [/^(replicaof|slaveof|failover|migrate)$/, 'names another server: run.test.ts'],
  [/^shutdown$/, 'ends the server'],
  [/^pfselftest$/, 'takes the server half a minute'],
  [/^cluster /, 'needs a cluster: cluster-session.test.ts compares them'],
  [/^clusterscan$/, 'of Valkey alone, and needs a cluster'],
  [/^timeseries\./, 'makes servers connect to each other: not taken'],
  [/^ft\.debug /, 'its subcommands are one command to clients: FT.DEBUG is compared'],
];

/** Lines whose replies lack something in RESP2 that they have in RESP3. */
export const POORER = [/^FT\.PROFILE/, /^EVAL redis.setresp\(3\); return true/];
