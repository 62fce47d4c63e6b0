/** Members of streams, scripts, connections, clusters and servers, where their names are not the server's own. */

const OPERATOR = '[operator(=/exact:=|~/approximate:~)] approx!~';
const TRIM = `strategy(MAXLEN|MINID) ${OPERATOR} threshold [limit/count:i@LIMIT]`;
const FLUSH = '[mode/flush_type(ASYNC|SYNC)]';
const REFERENCES = '[references(KEEPREF|DELREF|ACKED)]';
const SCRIPT = 'numkeys#keys [keys:k+] [args:v+]';
const SLOT_RANGES = 'slots/ranges{start/start_slot:i end/end_slot:i}+';
const MASTER = "target/set<HP/HostPort{host port:i}|NoOne{'NO' 'ONE'}>";
const CLIENT_TYPE = '(NORMAL|MASTER|REPLICA|SLAVE|PUBSUB)@TYPE';

export const SERVER: Readonly<Record<string, string>> = {
  // Streams
  xack: 'key:k group ids:s+',
  xadd: `key:k no_mk_stream!NOMKSTREAM ${REFERENCES} [trim{${TRIM}}] id:s entries/data/fields{field:v value:v}+`,
  xclaim:
    'key:k group consumer min_idle_time:i ids:s+ [idle_ms/idle:i@IDLE] [time/unix_time_milliseconds:i@TIME] [retry_count:i@RETRYCOUNT] force!FORCE just_id!JUSTID [last_id:s@LASTID]',
  xdel: 'key:k ids:s+',
  'xgroup create': 'key:k group id:s mk_stream!MKSTREAM [entries_read:i@ENTRIESREAD]',
  'xgroup setid': 'key:k group id:s [entries_read:i@ENTRIESREAD]',
  'xinfo stream': "key:k [full{'FULL' [count:i@COUNT]}]",
  xpending: 'key:k group [filters{[idle/min_idle_time:i@IDLE] start:s end:s count:i [consumer]}]',
  xread: "[count:i@COUNT] [block/milliseconds:i@BLOCK] 'STREAMS' keys:k+ ids:s+",
  xreadgroup:
    "'GROUP' group consumer [count:i@COUNT] [block/milliseconds:i@BLOCK] no_ack!NOACK 'STREAMS' keys:k+ ids:s+",
  xtrim: `key:k ${TRIM} ${REFERENCES}`,
  // Messages
  subscribe: 'channels+',
  ssubscribe: 'shard_channels/channels+',
  spublish: 'shard_channel/channel message:v',
  sunsubscribe: '[shard_channels/channels+]',
  // Scripts
  eval: `script ${SCRIPT}`,
  eval_ro: `script ${SCRIPT}`,
  evalsha: `sha/sha1 ${SCRIPT}`,
  evalsha_ro: `sha/sha1 ${SCRIPT}`,
  fcall: `function ${SCRIPT}`,
  fcall_ro: `function ${SCRIPT}`,
  'function flush': FLUSH,
  'function restore': 'serialized_value:y [policy(FLUSH|APPEND|REPLACE)]',
  'script exists': 'sha/sha1+',
  'script flush': FLUSH,
  // Connections
  'client caching': 'cache/mode(YES|NO)',
  'client kill': `filter<=Addr{address}|Filters{filters<ID{client_id:i@ID}|TYPE{client_type${CLIENT_TYPE}}|USER{username@USER}|ADDR{addr@ADDR}|LADDR{laddr@LADDR}|SKIPME{skipme(YES|NO)@SKIPME}|MAXAGE{maxage:i@MAXAGE}>+}>`,
  // The member `type` is the command's own.
  'client list': `[client_type${CLIENT_TYPE}] [ids/client_id:i+@ID]`,
  'client pause': 'timeout:i [pause/mode(WRITE|ALL)]',
  'client setinfo': 'info/attr<LIB-NAME{name@LIB-NAME}|LIB-VER{version@LIB-VER}>',
  'client tracking':
    'tracking/status(ON|OFF) [redirect/client_id:i@REDIRECT] [prefix+@@PREFIX] bcast!BCAST optin!OPTIN optout!OPTOUT noloop!NOLOOP',
  hello:
    '[fields/arguments{protover/version:i [auth{username password}@AUTH] [setname/client_name@SETNAME]}]',
  // Clusters
  'cluster addslotsrange': SLOT_RANGES,
  'cluster delslotsrange': SLOT_RANGES,
  'cluster failover': '[failover/options(FORCE|TAKEOVER)]',
  'cluster reset': '[reset/reset_type(HARD|SOFT)]',
  'cluster setslot':
    'slot:i subcommand<IMPORTING{node_id@IMPORTING}|MIGRATING{node_id@MIGRATING}|NODE{node_id@NODE}|STABLE>',
  // Servers
  'acl log': '[events/operation<Count{count:i}|RESET>]',
  'acl setuser': 'username [rules:A+]',
  command: '',
  'command list':
    '[filter/filterby<MODULE{module_name@MODULE}|ACLCAT{category@ACLCAT}|PATTERN{pattern@PATTERN}>@FILTERBY]',
  'commandlog get': 'count:i log_type(SLOW|LARGE-REQUEST|LARGE-REPLY)',
  'commandlog len': 'log_type(SLOW|LARGE-REQUEST|LARGE-REPLY)',
  'commandlog reset': 'log_type(SLOW|LARGE-REQUEST|LARGE-REPLY)',
  'config set': 'set/data{parameter/name/key value:v}+',
  flushall: FLUSH,
  flushdb: FLUSH,
  'memory usage': 'key:k [samples/count:i@SAMPLES]',
  replconf: '[subcommand+]',
  replicaof: MASTER,
  shutdown: '[save/save_selector(NOSAVE|SAVE)] now!NOW force!FORCE abort!ABORT',
  slaveof: MASTER,
};
