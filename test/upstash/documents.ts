/** Steps of streams, places, JSON documents, pipelines and transactions. */
import type { Step } from './program.ts';

/** Reads what was written, with ids and times that are given. */
export const DOCUMENTS: readonly Step[] = [
  ['xadd', (redis) => redis.xadd('log', '1-1', { who: 'ada', n: 1 })],
  ['xadd again', (redis) => redis.xadd('log', '2-1', { who: 'bob' })],
  ['xadd backwards', (redis) => redis.xadd('log', '1-1', { who: 'x' })],
  ['xlen', (redis) => redis.xlen('log')],
  ['xrange', (redis) => redis.xrange('log', '-', '+')],
  ['xrevrange', (redis) => redis.xrevrange('log', '+', '-', 1)],
  ['xread', (redis) => redis.xread('log', '0')],
  ['xgroup create', (redis) => redis.xgroup('log', { type: 'CREATE', group: 'g', id: '0' })],
  ['xreadgroup', (redis) => redis.xreadgroup('g', 'me', 'log', '>', { count: 1 })],
  ['xpending', (redis) => redis.xpending('log', 'g', '-', '+', 10).then((all) => all.length)],
  ['xack', (redis) => redis.xack('log', 'g', '1-1')],
  ['xinfo', (redis) => redis.xinfo('log', { type: 'GROUPS' })],
  ['xtrim', (redis) => redis.xtrim('log', { strategy: 'MAXLEN', threshold: 1, exactness: '=' })],
  ['xdel', (redis) => redis.xdel('log', '2-1')],
  [
    'geoadd',
    (redis) =>
      redis.geoadd(
        'places',
        { longitude: 13.361389, latitude: 38.115556, member: 'Palermo' },
        { longitude: 15.087269, latitude: 37.502669, member: 'Catania' },
      ),
  ],
  ['geodist', (redis) => redis.geodist('places', 'Palermo', 'Catania', 'KM')],
  ['geohash', (redis) => redis.geohash('places', 'Palermo', 'nowhere')],
  ['geopos', (redis) => redis.geopos('places', 'Palermo', 'nowhere')],
  [
    'geosearch',
    (redis) =>
      redis.geosearch(
        'places',
        { type: 'FROMMEMBER', member: 'Palermo' },
        { type: 'BYRADIUS', radius: 200, radiusType: 'KM' },
        'ASC',
        { withDist: true, withCoord: true },
      ),
  ],
  ['json.set', (redis) => redis.json.set('doc', '$', { n: 1, list: [1, 2], text: 'x', on: true })],
  ['json.get', (redis) => redis.json.get('doc', '$')],
  ['json.get with a layout', (redis) => redis.json.get('doc', { indent: ' ' }, '$.list')],
  ['json.numincrby', (redis) => redis.json.numincrby('doc', '$.n', 2)],
  ['json.arrappend', (redis) => redis.json.arrappend('doc', '$.list', 3, '"four"')],
  ['json.arrlen', (redis) => redis.json.arrlen('doc', '$.list')],
  ['json.arrpop', (redis) => redis.json.arrpop('doc', '$.list')],
  ['json.strappend', (redis) => redis.json.strappend('doc', '$.text', '"y"')],
  ['json.toggle', (redis) => redis.json.toggle('doc', '$.on')],
  ['json.type', (redis) => redis.json.type('doc', '$.n')],
  ['json.objkeys', (redis) => redis.json.objkeys('doc', '$')],
  ['json.mget', (redis) => redis.json.mget(['doc', 'nothing'], '$.n')],
  ['json.del', (redis) => redis.json.del('doc', '$.n')],
  ['json of what is none', (redis) => redis.json.get('text', '$')],
  ['a pipeline', (redis) => redis.pipeline().set('p', 1).incr('p').get('p').hgetall('hash').exec()],
  [
    'a pipeline with an error',
    (redis) => redis.pipeline().set('p', 'x').incr('p').get('p').exec({ keepErrors: true }),
  ],
  ['a pipeline that fails', (redis) => redis.pipeline().incr('p').get('p').exec()],
  ['a transaction', (redis) => redis.multi().set('t', 1).incr('t').get('t').exec()],
  [
    'a transaction with an error',
    (redis) => redis.multi().set('t', 'x').incr('t').get('t').exec({ keepErrors: true }),
  ],
  ['what it left', (redis) => redis.get('t')],
  [
    'many at once',
    (redis) =>
      Promise.all(Array.from({ length: 20 }, (_, nth) => redis.incrby('sum', nth))).then((all) =>
        all.toSorted((one, other) => one - other).at(-1),
      ),
  ],
  ['dbsize', (redis) => redis.dbsize()],
  ['flushdb', (redis) => redis.flushdb()],
];
