/** Examples of requests for filters, sketches, time series and vector sets. */
import type { Examples } from './examples.ts';

export const BLOOM_FILTER: Examples = {
  'bf.add': { key: 'seen', item: 'hana' },
  'bf.card': { key: 'seen' },
  'bf.exists': { key: 'seen', item: 'hana' },
  'bf.info': { key: 'seen', option: 'CAPACITY' },
  'bf.insert': { key: 'seen', capacity: 1000, error: 0.01, expansion: 2, items: ['hana'] },
  'bf.loadchunk': { key: 'seen', iterator: 1, data: { $bytes: '/wAA' } },
  'bf.madd': { key: 'seen', items: ['hana', 'emeka'] },
  'bf.mexists': { key: 'seen', items: ['hana', 'emeka'] },
  'bf.reserve': { key: 'seen', error_rate: 0.01, capacity: 1000, non_scaling: true },
  'bf.scandump': { key: 'seen', iterator: 0 },
};

export const CUCKOO_FILTER: Examples = {
  'cf.add': { key: 'known', item: 'hana' },
  'cf.addnx': { key: 'known', item: 'hana' },
  'cf.count': { key: 'known', item: 'hana' },
  'cf.del': { key: 'known', item: 'hana' },
  'cf.exists': { key: 'known', item: 'hana' },
  'cf.info': { key: 'known' },
  'cf.insert': { key: 'known', capacity: 1000, items: ['hana'] },
  'cf.insertnx': { key: 'known', capacity: 1000, no_create: true, items: ['hana'] },
  'cf.loadchunk': { key: 'known', iterator: 1, data: { $bytes: '/wAA' } },
  'cf.mexists': { key: 'known', items: ['hana', 'emeka'] },
  'cf.reserve': { key: 'known', capacity: 1000, bucket_size: 2, max_iterations: 20, expansion: 1 },
  'cf.scandump': { key: 'known', iterator: 0 },
};

export const COUNT_MIN_SKETCH: Examples = {
  'cms.incrby': { key: 'words', incrby: [{ item: 'hello', increment: 3 }] },
  'cms.info': { key: 'words' },
  'cms.initbydim': { key: 'words', width: 2000, depth: 5 },
  'cms.initbyprob': { key: 'words', error: 0.001, probability: 0.01 },
  'cms.merge': {
    destination: 'words:all',
    numkeys: 2,
    sources: ['words', 'words:old'],
    weights: [1, 2],
  },
  'cms.query': { key: 'words', items: ['hello'] },
};

export const T_DIGEST: Examples = {
  'tdigest.add': { key: 'latency', value: [12.5, 9, 31] },
  'tdigest.byrank': { key: 'latency', rank: [0, 1] },
  'tdigest.byrevrank': { key: 'latency', reverse_rank: [0, 1] },
  'tdigest.cdf': { key: 'latency', value: [10, 20] },
  'tdigest.create': { key: 'latency', compression: 200 },
  'tdigest.info': { key: 'latency' },
  'tdigest.max': { key: 'latency' },
  'tdigest.merge': {
    destination_key: 'latency:all',
    numkeys: 2,
    source_keys: ['latency', 'latency:old'],
    compression: 200,
    override: true,
  },
  'tdigest.min': { key: 'latency' },
  'tdigest.quantile': { key: 'latency', quantile: [0.5, 0.99] },
  'tdigest.rank': { key: 'latency', value: [10] },
  'tdigest.reset': { key: 'latency' },
  'tdigest.revrank': { key: 'latency', value: [10] },
  'tdigest.trimmed_mean': { key: 'latency', low_cut_quantile: 0.1, high_cut_quantile: 0.9 },
};

export const TOP_K: Examples = {
  'topk.add': { key: 'bestsellers', items: ['mug', 'cap'] },
  'topk.count': { key: 'bestsellers', items: ['mug'] },
  'topk.incrby': { key: 'bestsellers', items: [{ item: 'mug', increment: 3 }] },
  'topk.info': { key: 'bestsellers' },
  'topk.list': { key: 'bestsellers', with_count: true },
  'topk.query': { key: 'bestsellers', items: ['mug'] },
  'topk.reserve': { key: 'bestsellers', topk: 3, params: { width: 8, depth: 7, decay: 0.9 } },
};

const LABELS = { labels: [{ label: 'room', value: 'store' }] };
const SERIES = { encoding: 'COMPRESSED', chunk_size: 4096, duplicate_policy: 'LAST', ...LABELS };
const IGNORE = { ignore: { max_time_diff: 10, max_val_diff: 0.5 } };
const RANGE = {
  from_timestamp: 1735689600000,
  to_timestamp: '+',
  latest: true,
  filter_by_ts: [1735689600000],
  filter_by_value: { min: 0, max: 40 },
  count: 10,
  align: {
    align: 'start',
    aggregator: 'avg',
    bucket_duration: 60_000,
    bucket_timestamp: 'mid',
    empty: true,
  },
};
const RANGES = {
  ...RANGE,
  label: { SELECTED_LABELS: ['room'] },
  filter: 'room=store',
  group: { group_by: 'room', reduce: 'max' },
};

export const TIME_SERIES: Examples = {
  'ts.add': {
    key: 'warmth',
    timestamp: '*',
    value: 21.5,
    retention: 86_400_000,
    on_duplicate: 'MAX',
    ...SERIES,
    ...IGNORE,
  },
  'ts.alter': {
    key: 'warmth',
    retention: 86_400_000,
    chunk_size: 4096,
    duplicate_policy: 'MIN',
    ...LABELS,
  },
  'ts.create': { key: 'warmth', retention: 86_400, ...SERIES, ...IGNORE },
  'ts.createrule': {
    source_key: 'warmth',
    dest_key: 'warmth:hourly',
    aggregator: 'avg',
    bucket_duration: 3_600_000,
    align_timestamp: 0,
  },
  'ts.decrby': { key: 'visits:now', subtrahend: 1, timestamp: 1735689600000, ...LABELS },
  'ts.del': { key: 'warmth', from_timestamp: 0, to_timestamp: 1735689600000 },
  'ts.deleterule': { source_key: 'warmth', dest_key: 'warmth:hourly' },
  'ts.get': { key: 'warmth', latest: true },
  'ts.incrby': {
    key: 'visits:now',
    addend: 1,
    timestamp: 1735689600000,
    retention: 1000,
    ...SERIES,
  },
  'ts.info': { key: 'warmth', debug: true },
  'ts.madd': { samples: [{ key: 'warmth', timestamp: 1735689600000, value: 21.5 }] },
  'ts.mget': { latest: true, label: 'WITHLABELS', filter: ['room=store'] },
  'ts.mrange': RANGES,
  'ts.mrevrange': RANGES,
  'ts.queryindex': { filter: 'room=store' },
  'ts.range': { key: 'warmth', ...RANGE },
  'ts.revrange': { key: 'warmth', ...RANGE },
};

export const VECTOR_SET: Examples = {
  vadd: {
    key: 'tastes',
    value: { VALUES: [0.1, 0.9] },
    vector: 2,
    element: 'mug',
    cas: true,
    noquant: 'Q8',
    ef: 200,
    setattr: { price: 19.9 },
    m: 16,
  },
  vcard: { key: 'tastes' },
  vdim: { key: 'tastes' },
  vemb: { key: 'tastes', element: 'mug', raw: true },
  vgetattr: { key: 'tastes', element: 'mug' },
  vinfo: { key: 'tastes' },
  vlinks: { key: 'tastes', element: 'mug', with_scores: true },
  vrandmember: { key: 'tastes', count: 2 },
  vrem: { key: 'tastes', element: 'mug' },
  vsetattr: { key: 'tastes', element: 'mug', json_object: { price: 17.9 } },
  vsim: {
    key: 'tastes',
    value: { VALUES: [0.1, 0.9] },
    element: { Vector: 5 },
    with_scores: true,
    ef: 200,
    filter: '.price < 20',
    filter_ef: 100,
    truth: true,
    no_thread: true,
  },
};
