/** Steps of strings, counters, bits, keys and scripts. */
import type { Step } from './program.ts';

/** Reads what was written, and fails where Redis does. */
export const VALUES: readonly Step[] = [
  ['ping', (redis) => redis.ping()],
  ['echo', (redis) => redis.echo('héllo')],
  ['set', (redis) => redis.set('text', 'grüße')],
  ['get', (redis) => redis.get('text')],
  ['get of nothing', (redis) => redis.get('nothing')],
  ['set an object', (redis) => redis.set('object', { a: 1, b: ['x', null] })],
  ['get an object', (redis) => redis.get('object')],
  ['set a truth', (redis) => redis.set('truth', true)],
  ['get a truth', (redis) => redis.get('truth')],
  ['set nothing', (redis) => redis.set('empty', '')],
  ['get an empty text', (redis) => redis.get('empty')],
  ['set OK', (redis) => redis.set('ok', 'OK')],
  ['get OK', (redis) => redis.get('ok')],
  ['set with options', (redis) => redis.set('brief', 'x', { ex: 100, nx: true })],
  ['set that is refused', (redis) => redis.set('brief', 'y', { nx: true })],
  ['set with get', (redis) => redis.set('brief', 'z', { get: true, keepTtl: true })],
  ['ttl is near', async (redis) => ((await redis.ttl('brief')) ?? 0) > 90],
  ['getdel', (redis) => redis.getdel('brief')],
  ['getset', (redis) => redis.getset('text', 'other')],
  ['getex', (redis) => redis.getex('text', { persist: true })],
  ['append', (redis) => redis.append('text', '!')],
  ['getrange', (redis) => redis.getrange('text', 0, 2)],
  ['setrange', (redis) => redis.setrange('text', 1, 'XX')],
  ['strlen', (redis) => redis.strlen('text')],
  ['mset', (redis) => redis.mset({ m1: 1, m2: 'two', m3: { three: 3 } })],
  ['mget', (redis) => redis.mget('m1', 'm2', 'm3', 'm4')],
  ['msetnx', (redis) => redis.msetnx({ m1: 9, m5: 5 })],
  ['incr', (redis) => redis.incr('count')],
  ['incrby', (redis) => redis.incrby('count', 41)],
  ['decrby', (redis) => redis.decrby('count', 2)],
  ['incrbyfloat', (redis) => redis.incrbyfloat('float', 0.5)],
  ['incr of a text', (redis) => redis.incr('text')],
  ['a large number', (redis) => redis.set('large', '9223372036854775806')],
  ['get a large number', (redis) => redis.get('large')],
  ['setex', (redis) => redis.setex('soon', 100, 'gone')],
  ['psetex', (redis) => redis.psetex('soon', 100_000, 'gone')],
  ['setnx', (redis) => redis.setnx('soon', 'no')],
  ['exists', (redis) => redis.exists('text', 'count', 'nothing')],
  ['type', (redis) => redis.type('count')],
  ['expire', (redis) => redis.expire('count', 1000)],
  ['persist', (redis) => redis.persist('count')],
  ['pttl without an end', (redis) => redis.pttl('count')],
  ['rename', (redis) => redis.rename('m1', 'renamed')],
  ['rename of nothing', (redis) => redis.rename('nothing', 'x')],
  ['copy', (redis) => redis.copy('m2', 'copied')],
  ['touch', (redis) => redis.touch('m2', 'copied')],
  ['unlink', (redis) => redis.unlink('copied')],
  ['del', (redis) => redis.del('m3', 'nothing')],
  ['keys', async (redis) => (await redis.keys('m*')).toSorted()],
  ['scan', async (redis) => (await scanned(redis)).toSorted()],
  ['setbit', (redis) => redis.setbit('bits', 7, 1)],
  ['getbit', (redis) => redis.getbit('bits', 7)],
  ['bitcount', (redis) => redis.bitcount('bits', 0, -1)],
  ['bitpos', (redis) => redis.bitpos('bits', 1)],
  ['bitop', (redis) => redis.bitop('and', 'both', 'bits', 'bits')],
  ['bitop not', (redis) => redis.bitop('not', 'inverted', 'bits')],
  ['get bytes that are no text', (redis) => redis.get('inverted')],
  [
    'bitfield',
    (redis) =>
      redis.pipeline().bitfield('field').set('u8', 0, 200).incrby('u8', 0, 10).exec().exec(),
  ],
  ['pfadd', (redis) => redis.pfadd('seen', 'a', 'b', 'c')],
  ['pfcount', (redis) => redis.pfcount('seen')],
  ['pfmerge', (redis) => redis.pfmerge('seen-too', 'seen')],
  ['eval', (redis) => redis.eval('return {KEYS[1], ARGV[1], 7, false}', ['k'], ['v'])],
  ['eval of a status', (redis) => redis.eval("return redis.status_reply('FINE')", [], [])],
  ['eval that fails', (redis) => redis.eval("return redis.error_reply('ODD failed')", [], [])],
  ['a script', (redis) => redis.createScript('return ARGV[1] .. KEYS[1]').exec(['k'], ['v'])],
  ['scriptLoad', (redis) => redis.scriptLoad('return 1')],
  ['scriptExists', (redis) => redis.scriptExists('e0e1f9fabfc9d4800c877a703b823ac0578ff8db')],
  ['publish to nobody', (redis) => redis.publish('nobody', 'hello')],
  // The gateway knows commands by their names in lower case.
  ['an unknown command', (redis) => redis.exec(['nosuch', 'x'])],
  ['too few words', (redis) => redis.exec(['GET'])],
  ['a wrong type', (redis) => redis.lpush('text', 'x')],
];

async function scanned(redis: Parameters<Step[1]>[0]): Promise<string[]> {
  const keys: string[] = [];
  let cursor = '0';
  do {
    const [next, found] = await redis.scan(cursor, { match: '*t*', count: 3 });
    keys.push(...found);
    cursor = String(next);
  } while (cursor !== '0');
  return keys;
}
