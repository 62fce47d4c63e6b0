/** Every example means something to a real server: its words are no syntax or arity error. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RedisCommand, Word } from '../../kinds/redis/command.ts';
import { FAMILIES } from '../../kinds/redis/describe/examples/index.ts';
import { keysOf } from '../../kinds/redis/keys.ts';
import { RedisRequest } from '../../kinds/redis/request.ts';
import { splitLine } from '../../kinds/redis/split.ts';
import { onRedis, ownRedis, type RedisServer } from '../../test/servers/redis-server.ts';

/** Makes what the examples are about. */
const WORLD = `
SET greeting hello
SET left ohmytext
SET right mynewtext
RPUSH tasks pack ship
RPUSH sizes 2 1
HSET customer:7 name Hana city Lisbon orders 3 balance 1
SADD tags new
ZADD scores 5 hana
ZADD names 0 abba
XADD orders 1735689600000-0 product 7
XGROUP CREATE orders packers 0
PFADD visitors hana
GEOADD shops -9.139 38.722 lisbon -8.61 41.15 porto
JSON.SET product:7 $ '{"name":"Mug","sizes":["M","L"],"stock":3,"price":2,"sold":false}'
FT.CREATE customers PREFIX 1 customer: SCHEMA name TEXT SORTABLE city TAG orders NUMERIC
FT.ALIASADD buyers customers
FT.DICTADD cities Lisbon
FT.SUGADD suggestions hana 1
BF.RESERVE seen 0.01 100
CF.RESERVE known 100
CF.ADD known hana
CMS.INITBYDIM words 2000 5
CMS.INITBYDIM words:old 2000 5
CMS.INITBYDIM words:all 2000 5
TDIGEST.CREATE latency
TDIGEST.CREATE latency:old
TDIGEST.ADD latency 1 2 3
TOPK.RESERVE bestsellers 3
TS.CREATE warmth LABELS room store
TS.CREATE warmth:hourly
TS.CREATERULE warmth warmth:hourly AGGREGATION sum 60000
VADD tastes VALUES 2 0.5 0.5 mug SETATTR '{"price":1}'
SCRIPT LOAD "return redis.call('GET', KEYS[1])"
FUNCTION LOAD "#!lua name=shop\\nredis.register_function{function_name='price', callback=function() return 1 end, flags={'no-writes'}}"
ACL SETUSER shop on >s3cr3t ~* +@all
CLIENT TRACKING ON OPTIN
`;

/** Made by the example itself, so that it must not be there. */
const MAKES = [
  ...['bf.reserve', 'cf.reserve', 'cf.loadchunk', 'cms.initbydim', 'cms.initbyprob', 'ft.create'],
  ...['tdigest.create', 'topk.reserve', 'ts.create', 'vadd', 'xgroup create', 'client tracking'],
];

/** What a lone server, or one without such data, answers although it understood. */
const ANSWERS: Readonly<Record<string, RegExp>> = {
  'acl load': /not configured to use an ACL file/,
  'acl save': /not configured to use an ACL file/,
  'bf.loadchunk': /received bad data/,
  'cf.loadchunk': /Invalid header/,
  'client caching': /OPTIN or OPTOUT/,
  discard: /DISCARD without MULTI/,
  exec: /EXEC without MULTI/,
  failover: /FAILOVER requires connected replicas/,
  'ft.aliasadd': /Alias already exists/,
  'ft.cursor del': /Cursor does not exist/,
  'ft.cursor read': /Cursor not found/,
  'function kill': /^NOTBUSY/,
  'latency graph': /No samples available/,
  migrate: /^IOERR|can't connect|resolve/,
  'object freq': /LFU maxmemory policy is not selected/,
  'ts.createrule': /destination key already has/,
  'module load': /Error loading the extension/,
  'module loadex': /Error loading the extension/,
  'module unload': /no such module with that name/,
  'script kill': /^NOTBUSY/,
  'cluster bumpepoch': /BUMPED|STILL/,
  'cluster count-failure-reports': /Unknown node/,
  'cluster failover': /You should send CLUSTER FAILOVER to a replica/,
  'cluster forget': /Unknown node/,
  'cluster replicas': /Unknown node/,
  'cluster replicate': /Unknown node/,
  'cluster set-config-epoch': /./,
  'cluster setslot': /./,
  'cluster slaves': /Unknown node/,
};

/** Ends the connection or the server, or answers again and again. */
const NOT_RUN: Readonly<Record<string, string>> = {
  monitor: 'answers without end',
  psubscribe: 'answers without end',
  psync: 'makes the connection a replica',
  quit: 'ends the connection',
  replconf: 'makes the connection a replica',
  shutdown: 'ends the server',

  replicaof: 'would look for a server',
  ssubscribe: 'answers without end',
  subscribe: 'answers without end',
  sync: 'makes the connection a replica',
};

let alone: RedisServer;
let clustered: RedisServer;
beforeAll(async () => {
  alone = await ownRedis();
  clustered = await ownRedis({ modules: false, settings: { 'cluster-enabled': 'yes' } });
});
afterAll(async () => {
  await alone?.stop();
  await clustered?.stop();
});

const encoded = (word: Word) =>
  typeof word === 'string' ? word : Buffer.from(word.$bytes, 'base64');
const wire = ({ type, args }: RedisCommand) => [...type.split(' '), ...args.map(encoded)];
const world = WORLD.trim()
  .split('\n')
  .map((line) => (splitLine(line) ?? []).map(encoded));

/** Runs one command where all that it is about is there. */
async function answerOf(command: RedisCommand, family: string): Promise<string> {
  const isCluster = family === 'Clusters';
  const before = isCluster || MAKES.includes(command.type) ? [] : world;
  const clean = [['FLUSHALL'], ['FUNCTION', 'FLUSH'], ['FT.DICTDEL', 'cities', 'Lisbon']];
  const replies = await onRedis(
    (isCluster ? clustered : alone).url,
    ...(isCluster ? [] : clean),
    ...before,
    wire(command),
  ).catch((thrown: unknown) => String((thrown as Error).message));
  return typeof replies === 'string' ? replies : '';
}

const examples = Object.entries(FAMILIES).flatMap(([family, each]) =>
  Object.entries(each).map(([type, members]) => {
    const parsed = RedisRequest.parse({ type, ...members });
    return [type, parsed as RedisCommand, family] as const; // None is a pipeline.
  }),
);

describe('Redis 8', () => {
  test.each(examples.filter(([type]) => !Object.hasOwn(NOT_RUN, type)))(
    'understands %s',
    async (type, command, family) => {
      const answer = await answerOf(command, family);
      const expected = ANSWERS[type];
      if (expected === undefined || answer === '') expect(answer).toBe('');
      else expect(answer).toMatch(expected);
    },
  );

  test.each(examples.filter(([, { args }]) => args.length > 0))(
    'finds the keys of %s where they are found here',
    async (type, command) => {
      const found = keysOf(command).map((key) => String(encoded(key)));
      const served = await onRedis(alone.url, ['COMMAND', 'GETKEYS', ...wire(command)]).then(
        ([keys]) => (Array.isArray(keys) ? keys.map(String) : []),
        () => [],
      );
      if (WRONG_KEYS.includes(type)) expect(found).not.toEqual(served);
      else expect(found).toEqual(served);
    },
  );
});

/** Modules tell of their first key alone; and a channel of a shard is found as a key is. */
const WRONG_KEYS = [
  ...['json.mget', 'cms.merge', 'tdigest.merge', 'ts.createrule', 'ts.deleterule'],
  ...['spublish', 'ssubscribe', 'sunsubscribe'],
];
