/** Members of filters, sketches, time series and vector sets: their servers say nothing about them. Source: redis.io/docs/latest/commands. */

const ITEM = 'key:k item:v';
const ITEMS = 'key:k items:v+';
const KEY = 'key:k';
const CHUNK = 'key:k iterator:i data:y';
const POLICY = '(BLOCK|FIRST|LAST|MIN|MAX|SUM)';
const SERIES = [
  '[encoding(COMPRESSED|UNCOMPRESSED)@ENCODING] [chunk_size:i@CHUNK_SIZE]',
  `[duplicate_policy${POLICY}@DUPLICATE_POLICY]`,
].join(' ');
const IGNORE =
  "[ignore{'IGNORE' max_time_diff/ignore_max_time_diff:i max_val_diff/ignore_max_val_diff:d}]";
const LABELS = '[labels{label/name value}+@LABELS]';
const RETENTION = '[retention:i@RETENTION]';
const BY_VALUE =
  "latest!LATEST [filter_by_ts:i+@FILTER_BY_TS] [filter_by_value{'FILTER_BY_VALUE' min:d max:d}]";
const ALIGN =
  '[align{[align@ALIGN] aggregator@AGGREGATION bucket_duration:i [bucket_timestamp@BUCKETTIMESTAMP] empty!EMPTY}]';
const SELECTED = "[label<WITHLABELS|SELECTED_LABELS{'SELECTED_LABELS' labels+}>]";
const RANGE = `key:k from_timestamp to_timestamp ${BY_VALUE} [count:i@COUNT] ${ALIGN}`;
const RANGES = `from_timestamp to_timestamp ${BY_VALUE} ${SELECTED} [count:i@COUNT] ${ALIGN} filter+@FILTER [group{group_by@GROUPBY reduce@REDUCE}]`;
const CHANGED = `[timestamp@TIMESTAMP] ${RETENTION} ${SERIES} ${IGNORE} ${LABELS}`;
const VALUES = "VALUES{'VALUES' count#values values:d+}|FP32{blob:f@FP32}";

export const MODULES: Readonly<Record<string, string>> = {
  'bf.add': ITEM,
  'bf.card': KEY,
  'bf.exists': ITEM,
  'bf.info': 'key:k [option(CAPACITY|SIZE|FILTERS|ITEMS|EXPANSION)]',
  'bf.insert':
    "key:k [capacity:i@CAPACITY] [error:d@ERROR] [expansion:i@EXPANSION] no_create!NOCREATE non_scaling!NONSCALING 'ITEMS' items:v+",
  'bf.loadchunk': CHUNK,
  'bf.madd': ITEMS,
  'bf.mexists': ITEMS,
  'bf.reserve': 'key:k error_rate:d capacity:i [expansion:i@EXPANSION] non_scaling!NONSCALING',
  'bf.scandump': 'key:k iterator:i',
  'cf.add': ITEM,
  'cf.addnx': ITEM,
  'cf.compact': KEY,
  'cf.count': ITEM,
  'cf.del': ITEM,
  'cf.exists': ITEM,
  'cf.info': KEY,
  'cf.insert': "key:k [capacity:i@CAPACITY] no_create!NOCREATE 'ITEMS' items:v+",
  'cf.insertnx': "key:k [capacity:i@CAPACITY] no_create!NOCREATE 'ITEMS' items:v+",
  'cf.loadchunk': CHUNK,
  'cf.mexists': ITEMS,
  'cf.reserve':
    'key:k capacity:i [bucket_size:i@BUCKETSIZE] [max_iterations:i@MAXITERATIONS] [expansion:i@EXPANSION]',
  'cf.scandump': 'key:k iterator:i',
  'cms.incrby': 'key:k incrby/items{item:v increment:i}+',
  'cms.info': KEY,
  'cms.initbydim': 'key:k width:i depth:i',
  'cms.initbyprob': 'key:k error:d probability:d',
  'cms.merge': 'destination:k numkeys#sources sources:k+ [weights:i+@WEIGHTS]',
  'cms.query': ITEMS,
  'tdigest.add': 'key:k value:d+',
  'tdigest.byrank': 'key:k rank:i+',
  'tdigest.byrevrank': 'key:k reverse_rank:i+',
  'tdigest.cdf': 'key:k value:d+',
  'tdigest.create': 'key:k [compression:i@COMPRESSION]',
  'tdigest.info': KEY,
  'tdigest.max': KEY,
  'tdigest.merge':
    'destination_key/destination:k numkeys#source_keys source_keys/sources:k+ [compression:i@COMPRESSION] override!OVERRIDE',
  'tdigest.min': KEY,
  'tdigest.quantile': 'key:k quantile:d+',
  'tdigest.rank': 'key:k value:d+',
  'tdigest.reset': KEY,
  'tdigest.revrank': 'key:k value:d+',
  'tdigest.trimmed_mean': 'key:k low_cut_quantile:d high_cut_quantile:d',
  'topk.add': ITEMS,
  'topk.count': ITEMS,
  'topk.incrby': 'key:k items{item:v increment:i}+',
  'topk.info': KEY,
  'topk.list': 'key:k with_count!WITHCOUNT',
  'topk.query': ITEMS,
  'topk.reserve': 'key:k topk:i [params{width:i depth:i decay:d}]',
  'ts.add': `key:k timestamp value:d ${RETENTION} ${SERIES} [on_duplicate${POLICY}@ON_DUPLICATE] ${IGNORE} ${LABELS}`,
  'ts.alter': `key:k ${RETENTION} [chunk_size:i@CHUNK_SIZE] [duplicate_policy${POLICY}@DUPLICATE_POLICY] ${IGNORE} ${LABELS}`,
  // In seconds here, and only here. Contract §6.
  'ts.create': `key:k [retention:S@RETENTION] ${SERIES} ${IGNORE} ${LABELS}`,
  'ts.createrule':
    "source_key:k dest_key:k 'AGGREGATION' aggregator bucket_duration:i [align_timestamp:i]",
  'ts.decrby': `key:k subtrahend:d ${CHANGED}`,
  'ts.del': 'key:k from_timestamp to_timestamp',
  'ts.deleterule': 'source_key:k dest_key:k',
  'ts.get': 'key:k latest!LATEST',
  'ts.incrby': `key:k addend:d ${CHANGED}`,
  'ts.info': 'key:k debug!DEBUG',
  'ts.madd': 'samples{key:k timestamp value:d}+',
  'ts.mget': `latest!LATEST ${SELECTED} filter+@FILTER`,
  'ts.mrange': RANGES,
  'ts.mrevrange': RANGES,
  'ts.queryindex': 'filter+',
  'ts.range': RANGE,
  'ts.revrange': RANGE,
  // The dimension is counted.
  vadd: `key:k [reduce:i@REDUCE] value<${VALUES}> vector^ element:v cas!CAS [noquant/quantization(NOQUANT|Q8|BIN)] [ef:i@EF] [setattr:j@SETATTR] [m:i@M]`,
  vcard: KEY,
  vdim: KEY,
  vemb: 'key:k element:v raw!RAW',
  vgetattr: 'key:k element:v',
  vinfo: KEY,
  vismember: 'key:k element:v',
  vlinks: 'key:k element:v with_scores!WITHSCORES',
  vrandmember: 'key:k [count:i]',
  vrem: 'key:k element:v',
  vsetattr: 'key:k element:v json_object/attributes:j',
  vsim: `key:k value<=ELE{element:v@ELE}|${VALUES}> with_scores!WITHSCORES with_attribs!WITHATTRIBS [count:i@COUNT] [ef:i@EF] [filter@FILTER] [filter_ef:i@FILTER-EF] truth!TRUTH no_thread!NOTHREAD`,
};
