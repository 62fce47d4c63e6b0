/** Nothing that is asked for as a read changes anything, though the server would let it: neither attempts to, nor any command there is. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseRequest } from '../../../kinds/index.ts';
import type { RedisRequest, Word } from '../../../kinds/redis/command.ts';
import { commandFrom } from '../../../kinds/redis/table.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import { callOf } from '../test/host.ts';
import { ATTACKS } from './test/attacks.ts';
import { TestClient } from './test/client.ts';
import { CORE } from './test/differential/core.ts';
import { JSON_VALUES, PROBABLE, SERIES, VECTORS } from './test/differential/modules.ts';
import { SEARCH } from './test/differential/search.ts';
import { SERVER, SESSION } from './test/differential/server.ts';
import { SORTED, STREAMS } from './test/differential/sets.ts';
import { commandsIn } from './test/differential/words.ts';
import type { Wire } from './test/direct-client.ts';

const GROUPS = [CORE, SORTED, STREAMS, JSON_VALUES, PROBABLE, SERIES, VECTORS, SEARCH];
/** What the others act on. */
const SEED = `
SET victim untouched
HSET doc:1 title hello
FT.CREATE idx ON HASH PREFIX 1 doc: SCHEMA title TEXT
FT.CREATE idx2 ON HASH PREFIX 1 no: SCHEMA title TEXT
FT.DICTADD dict one
FT.ALIASADD alias idx
FT.SUGADD sug hello 1
SCRIPT LOAD 'return 42'
FUNCTION LOAD '#!lua name=lib
redis.register_function{function_name="f", callback=function(keys, args) return 1 end, flags={"no-writes"}}'
ACL SETUSER bob on >secret ~* +@all
XADD stream 1-1 a 1
XGROUP CREATE stream g 0
`;

let redis: TestClient;

beforeAll(async () => {
  redis = await TestClient.open({});
  for (const text of [...GROUPS, SEED]) {
    for (const words of commandsIn(text)) {
      if (String(words[0]) !== 'PFSELFTEST') await redis.outside.send(...words);
    }
  }
});
afterAll(() => redis.close());

/** All that the server holds, as far as it reports. */
async function state(): Promise<unknown> {
  const { outside } = redis;
  const keys = ((await outside.send('KEYS', '*')).parts ?? [])
    .map(({ text }) => text ?? Buffer.alloc(0))
    .toSorted(Buffer.compare);
  const values: unknown[] = [];
  for (const key of keys) {
    values.push([
      key.toString('latin1'),
      plain(await outside.send('DUMP', key)),
      plain(await outside.send('EXPIRETIME', key)),
    ]);
  }
  const asked = [
    ...['CONFIG GET *', 'ACL LIST', 'FUNCTION DUMP', 'FT._LIST', 'FT.DICTDUMP dict'],
    ...[
      'FT.CONFIG GET *',
      'FT.SEARCH alias hello',
      'MODULE LIST',
      'DBSIZE',
      'ROLE',
      'FT.SUGLEN sug',
    ],
    ...['SCRIPT EXISTS 1fa00e76656cc152ad327c13fe365858fd7be306', 'XINFO GROUPS stream'],
  ];
  for (const text of asked) values.push([text, sorted(await outside.send(...text.split(' ')))]);
  return values;
}

/** Bytes are compared as one character each. */
function plain({ type, text, parts }: Wire): unknown {
  return parts?.map(plain) ?? text?.toString('latin1') ?? type;
}

function sorted(reply: Wire): unknown {
  const told = plain(reply);
  return Array.isArray(told) ? told.map((each) => JSON.stringify(each)).toSorted() : told;
}

/** How many of the requests were let through. */
async function tried(
  requests: readonly RedisRequest[],
  run: (request: RedisRequest) => Promise<unknown>,
): Promise<number> {
  let passed = 0;
  for (const request of requests) {
    try {
      await run(request);
      passed += 1;
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(GatewayError);
    }
  }
  return passed;
}

const attacks = (): RedisRequest[] =>
  ATTACKS.flatMap(({ request }) => {
    try {
      // Of kind redis, the request is one to Redis.
      return [parseRequest('redis', request as Json).request as RedisRequest];
    } catch {
      return [];
    }
  });

/** Every command of the comparison with three servers. */
const everything = (): RedisRequest[] =>
  [...GROUPS, SERVER, SESSION].flatMap(commandsIn).map(([name = Buffer.alloc(0), ...rest]) => {
    const args = rest.map((bytes): Word => ({ $bytes: bytes.toString('base64') }));
    return commandFrom(name.toString(), args);
  });

test('no attempt gets through, in a request, a session or a pipeline', async () => {
  const before = await state();
  const run = (request: RedisRequest) => redis.session.run(request, callOf('read'));
  expect(await tried(attacks(), run)).toBe(0);
  const lease = await redis.lease();
  expect(await tried(attacks(), (each) => lease.run(each, 'read'))).toBe(0);
  await lease.close();
  const pipelined = attacks().flatMap((each) =>
    'pipeline' in each ? [] : [{ type: 'pipeline' as const, pipeline: [each] }],
  );
  expect(await tried(pipelined, run)).toBe(0);
  expect(await state()).toEqual(before);
});

test('no command that is let through changes anything', async () => {
  const before = await state();
  const requests = everything().filter(({ type }) => type !== 'pfselftest');
  const run = (request: RedisRequest) =>
    redis.session.run({ ...request, timeout_ms: 1_000 }, callOf('read'));
  expect(await tried(requests, run)).toBeGreaterThan(200);
  const lease = await redis.lease();
  const within = (each: RedisRequest) => lease.run({ ...each, timeout_ms: 1_000 }, 'read');
  expect(await tried(requests, within)).toBeGreaterThan(200);
  await lease.close();
  expect(await state()).toEqual(before);
});
