/** Members of strings, keys, hashes, lists, sets, sorted sets, bitmaps and places, where their names are not the server's own. */

/** When a value goes: `{EX: 60}`, `{EX: {seconds: 60}}`. */
const EXPIRY =
  'EX{seconds:i@EX}|PX{milliseconds:i@PX}|EXAT{unix_time_seconds:i@EXAT}|PXAT{unix_time_milliseconds:i@PXAT}';

/** Of a distance. */
const UNIT = 'unit(M|KM|MI|FT)';

const KEEP = `${EXPIRY}|KEEPTTL`;
const MATCH = '[match/pattern@MATCH] [count:i@COUNT]';
const WHEN = '[option/options/condition(NX|XX|GT|LT)]';
const RANGE = '[range{start:i end:i [mode/unit(BYTE|BIT)]}]';
const WITH = 'with_coord/with_cord!WITHCOORD with_dist!WITHDIST with_hash!WITHHASH';
const COUNT_ANY = '[count/count_block{count:i@COUNT any!ANY}]';
const ORDER = '[sort/order(ASC|DESC)]';
const STORE = '[store<=STORE/storekey{key:k@STORE}|STOREDIST/storedistkey{key:k@STOREDIST}>]';
const FROM =
  "from<=FROMMEMBER{member:v@FROMMEMBER}|FROMLONLAT{'FROMLONLAT' longitude:d latitude:d}>";
const BY = `by<BYRADIUS/circle{radius:d@BYRADIUS ${UNIT}}|BYBOX/box{width:d@BYBOX height:d ${UNIT}}>`;
const SORTED =
  '[by/by_pattern@BY] [limit{offset:i count:i}@LIMIT] [get/get_pattern+@@GET] [ord/order(ASC|DESC)] alpha/sorting!ALPHA';
const WEIGHTED = '[weights:d+@WEIGHTS] [aggregate(SUM|MIN|MAX)@AGGREGATE]';
const ENCODED = 'encoding offset';

export const CORE: Readonly<Record<string, string>> = {
  // Strings
  getex: `key:k [options/expiration<${EXPIRY}|PERSIST>]`,
  getrange: 'key:k start:i end:i',
  mset: 'sets/data{key:k value:v}+',
  msetex: `numkeys#sets sets/data{key:k value:v}+ [rule/condition(NX|XX)] [options/expiration<${KEEP}>]`,
  msetnx: 'sets/data{key:k value:v}+',
  set: `key:k value:v [rule/condition<NX|XX|IFEQ{comparison:v@IFEQ}>] get!GET [options/expiration<${KEEP}>]`,
  // Keys
  copy: 'source:k destination:k [db/destination_db:i@DB] replace!REPLACE',
  expire: `key:k seconds:i ${WHEN}`,
  expireat: `key:k unix_time_seconds:i ${WHEN}`,
  keys: 'pattern:k',
  migrate:
    "host port:i [key:k?] destination_db:i timeout:i copy!COPY replace!REPLACE [auth/authentication<=AUTH{password@AUTH}|AUTH2{'AUTH2' username password}>] [keys:k+@KEYS]",
  pexpire: `key:k milliseconds:i ${WHEN}`,
  pexpireat: `key:k unix_time_milliseconds:i ${WHEN}`,
  restore:
    'key:k ttl:i serialized_value:y replace!REPLACE absttl!ABSTTL [idletime/seconds:i@IDLETIME] [freq/frequency:i@FREQ]',
  'restore-asking':
    'key:k ttl:i serialized_value:y replace!REPLACE absttl!ABSTTL [idletime/seconds:i@IDLETIME] [freq/frequency:i@FREQ]',
  // The member `type` is the command's own.
  scan: `cursor ${MATCH} [key_type/value_type@TYPE]`,
  clusterscan: `cursor ${MATCH} [key_type/value_type@TYPE] [slot:i@SLOT]`,
  sort: `key:k ${SORTED} [store/destination:k@STORE]`,
  sort_ro: `key:k ${SORTED}`,
  // Hashes
  hexpire: `key:k seconds:i ${WHEN} 'FIELDS' numfields#fields fields:v+`,
  hexpireat: `key:k unix_time_seconds:i ${WHEN} 'FIELDS' numfields#fields fields:v+`,
  hpexpire: `key:k milliseconds:i ${WHEN} 'FIELDS' numfields#fields fields:v+`,
  hpexpireat: `key:k unix_time_milliseconds:i ${WHEN} 'FIELDS' numfields#fields fields:v+`,
  hgetex: `key:k [options/expiration<${EXPIRY}|PERSIST>] 'FIELDS' numfields#fields fields:v+`,
  hmset: 'key:k fields/data{field:v value:v}+',
  hrandfield: 'key:k [count/options{count:i with_values!WITHVALUES}]',
  hscan: `key:k cursor ${MATCH} no_values!NOVALUES`,
  hset: 'key:k fields/data{field:v value:v}+',
  hsetex: `key:k [field_condition/condition(FNX|FXX)] [expiration/options<${KEEP}>] 'FIELDS' numfields#fields fields/data{field:v value:v}+`,
  // Lists
  blmpop: 'timeout:d numkeys#keys keys:k+ direction/where(LEFT|RIGHT) [count:i@COUNT]',
  linsert: 'key:k traverse/where(BEFORE|AFTER) pivot:v element:v',
  lmpop: 'numkeys#keys keys:k+ direction/where(LEFT|RIGHT) [count:i@COUNT]',
  lpos: 'key:k element:v [rank:i@RANK] [count/num_matches:i@COUNT] [max_len/len:i@MAXLEN]',
  // Sets and sorted sets
  sscan: `key:k cursor ${MATCH}`,
  bzmpop: 'timeout:d numkeys#keys keys:k+ direction/where(MIN|MAX) [count:i@COUNT]',
  zadd: 'key:k [exist/condition/rule(NX|XX)] [size/comparison(GT|LT)] ch/change!CH incr/increment!INCR scores/data{score:d member:v}+',
  zincrby: 'key:k increment:d member:v',
  zinter: `numkeys#keys keys:k+ ${WEIGHTED} with_scores!WITHSCORES`,
  zinterstore: `destination:k numkeys#keys keys:k+ ${WEIGHTED}`,
  zmpop: 'numkeys#keys keys:k+ direction/where(MIN|MAX) [count:i@COUNT]',
  zrandmember: 'key:k [count/options{count:i with_scores!WITHSCORES}]',
  zrange:
    'key:k start stop [by/sortby(BYSCORE|BYLEX)] rev!REV [limit{offset:i count:i}@LIMIT] with_scores!WITHSCORES',
  zrangestore:
    'dst/destination:k src/source:k min max [by/sortby(BYSCORE|BYLEX)] rev!REV [limit{offset:i count:i}@LIMIT]',
  zscan: `key:k cursor ${MATCH}`,
  zunion: `numkeys#keys keys:k+ ${WEIGHTED} with_scores!WITHSCORES`,
  zunionstore: `destination:k numkeys#keys keys:k+ ${WEIGHTED}`,
  // Bitmaps
  bitcount: `key:k ${RANGE}`,
  bitfield: `key:k [operations/operation<Get{'GET' ${ENCODED}}|Set{'SET' ${ENCODED} value:i}|Incrby{'INCRBY' ${ENCODED} increment:i}|Overflow{behaviour(WRAP|SAT|FAIL)@OVERFLOW}>+]`,
  bitfield_ro: `key:k [gets/get_block/operations{${ENCODED}}+@@GET]`,
  bitop: 'operation(AND|OR|XOR|NOT|DIFF|DIFF1|ANDOR|ONE) destkey/destination:k keys:k+',
  bitpos: 'key:k bit:i [range{start:i [end:i] [mode/unit(BYTE|BIT)]}]',
  // Places
  geoadd:
    'key:k [options/condition(NX|XX)] ch/change!CH position/data{longitude:d latitude:d member:v}+',
  georadius: `key:k longitude:d latitude:d radius:d ${UNIT} ${WITH} ${COUNT_ANY} ${ORDER} ${STORE}`,
  georadius_ro: `key:k longitude:d latitude:d radius:d ${UNIT} ${WITH} ${COUNT_ANY} ${ORDER}`,
  georadiusbymember: `key:k member:v radius:d ${UNIT} ${WITH} ${COUNT_ANY} ${ORDER} ${STORE}`,
  georadiusbymember_ro: `key:k member:v radius:d ${UNIT} ${WITH} ${COUNT_ANY} ${ORDER}`,
  geosearch: `key:k ${FROM} ${BY} ${ORDER} ${COUNT_ANY} ${WITH}`,
  geosearchstore: `destination:k source:k ${FROM} ${BY} ${ORDER} ${COUNT_ANY} store_dist!STOREDIST`,
};
