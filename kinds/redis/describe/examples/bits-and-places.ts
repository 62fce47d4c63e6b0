/** Examples of requests for bitmaps, HyperLogLogs, places, and JSON documents. */
import type { Examples } from './examples.ts';

export const BITMAP: Examples = {
  bitcount: { key: 'days', range: { start: 0, end: -1, mode: 'BIT' } },
  bitfield: {
    key: 'counters',
    operations: [
      { Get: { encoding: 'u8', offset: 0 } },
      { Set: { encoding: 'u8', offset: 8, value: 255 } },
      { Overflow: 'SAT' },
      { Incrby: { encoding: 'u8', offset: '#1', increment: 10 } },
    ],
  },
  bitfield_ro: { key: 'counters', gets: [{ encoding: 'u8', offset: 0 }] },
  bitop: { operation: 'AND', destkey: 'days:both', keys: ['days', 'days:old'] },
  bitpos: { key: 'days', bit: 1, range: { start: 0, end: -1, mode: 'BYTE' } },
  getbit: { key: 'days', offset: 7 },
  setbit: { key: 'days', offset: 7, value: 1 },
};

export const HYPER_LOG_LOG: Examples = {
  pfadd: { key: 'visitors', elements: ['hana', 'emeka'] },
  pfcount: { keys: ['visitors', 'visitors:old'] },
  pfdebug: { subcommand: 'ENCODING', key: 'visitors' },
  pfmerge: { destkey: 'visitors:all', sourcekey: ['visitors', 'visitors:old'] },
  pfselftest: {},
};

const LISBON = { longitude: -9.139, latitude: 38.722 };

export const GEOSPATIAL_INDICES: Examples = {
  geoadd: { key: 'shops', options: 'NX', ch: true, position: [{ ...LISBON, member: 'lisbon' }] },
  geodist: { key: 'shops', member1: 'lisbon', member2: 'porto', unit: 'km' },
  geohash: { key: 'shops', members: ['lisbon'] },
  geopos: { key: 'shops', members: ['lisbon', 'porto'] },
  georadius: {
    key: 'shops',
    ...LISBON,
    radius: 300,
    unit: 'KM',
    with_coord: true,
    with_dist: true,
    with_hash: true,
    count: { count: 5, any: true },
    sort: 'ASC',
  },
  georadiusbymember: {
    key: 'shops',
    member: 'lisbon',
    radius: 300,
    unit: 'KM',
    count: 5,
    sort: 'DESC',
    store: { STORE: 'shops:near' },
  },
  georadiusbymember_ro: {
    key: 'shops',
    member: 'lisbon',
    radius: 300,
    unit: 'KM',
    with_cord: true,
  },
  georadius_ro: { key: 'shops', ...LISBON, radius: 300, unit: 'MI', with_dist: true },
  geosearch: {
    key: 'shops',
    from: { FROMMEMBER: { member: 'lisbon' } },
    by: { BYRADIUS: { radius: 300, unit: 'KM' } },
    sort: 'ASC',
    count: 5,
    with_coord: true,
    with_dist: true,
    with_hash: true,
  },
  geosearchstore: {
    destination: 'shops:near',
    source: 'shops',
    from: { FROMLONLAT: LISBON },
    by: { BYBOX: { width: 400, height: 400, unit: 'KM' } },
    count: { count: 5, any: true },
    store_dist: true,
  },
};

export const JSON_DOCUMENTS: Examples = {
  'json.arrappend': { key: 'product:7', path: '$.sizes', value: ['"L"', '"XL"'] },
  'json.arrindex': {
    key: 'product:7',
    path: '$.sizes',
    value: '"L"',
    range: { start: 0, stop: 5 },
  },
  'json.arrinsert': { key: 'product:7', path: '$.sizes', index: 0, value: ['"XS"'] },
  'json.arrlen': { key: 'product:7', path: '$.sizes' },
  'json.arrpop': { key: 'product:7', path: { path: '$.sizes', index: -1 } },
  'json.arrtrim': { key: 'product:7', path: '$.sizes', start: 0, stop: 2 },
  'json.clear': { key: 'product:7', path: '$.sizes' },
  'json.debug memory': { key: 'product:7', path: '$' },
  'json.del': { key: 'product:7', path: '$.sizes' },
  'json.forget': { key: 'product:7', path: '$.sizes' },
  'json.get': {
    key: 'product:7',
    indent: '  ',
    newline: '\n',
    space: ' ',
    path: ['$.name', '$.price'],
  },
  'json.merge': { key: 'product:7', path: '$', value: { price: 19.9 } },
  'json.mget': { keys: ['product:7', 'product:8'], path: '$.name' },
  'json.mset': { set: [{ key: 'product:7', path: '$', value: '{"name":"Mug"}' }] },
  'json.numincrby': { key: 'product:7', path: '$.stock', value: -1 },
  'json.nummultby': { key: 'product:7', path: '$.price', value: 1.5 },
  'json.objkeys': { key: 'product:7', path: '$' },
  'json.objlen': { key: 'product:7', path: '$' },
  'json.resp': { key: 'product:7', path: '$' },
  'json.set': { key: 'product:7', path: '$', value: '{"name":"Mug","price":19.9}', options: 'NX' },
  'json.strappend': { key: 'product:7', path: '$.name', value: '" blue"' },
  'json.strlen': { key: 'product:7', path: '$.name' },
  'json.toggle': { key: 'product:7', path: '$.sold' },
  'json.type': { key: 'product:7', path: '$.name' },
};
