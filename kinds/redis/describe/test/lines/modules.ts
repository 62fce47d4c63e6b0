/** Lines of filters, sketches, time series and vector sets, as redis-cli takes them. */
export const MODULE_LINES = String.raw`
# Bloom filters
bf.add seen hana
bf.card seen
bf.exists seen hana
bf.info seen CAPACITY
bf.insert seen CAPACITY 1000 ERROR 0.01 EXPANSION 2 ITEMS hana
bf.loadchunk seen 1 "\xff\x00\x00"
bf.madd seen hana emeka
bf.mexists seen hana emeka
bf.reserve seen 0.01 1000 NONSCALING
bf.scandump seen 0
# Cuckoo filters
cf.add known hana
cf.addnx known hana
cf.count known hana
cf.del known hana
cf.exists known hana
cf.info known
cf.insert known CAPACITY 1000 ITEMS hana
cf.insertnx known CAPACITY 1000 NOCREATE ITEMS hana
cf.loadchunk known 1 "\xff\x00\x00"
cf.mexists known hana emeka
cf.reserve known 1000 BUCKETSIZE 2 MAXITERATIONS 20 EXPANSION 1
cf.scandump known 0
# Count-min sketches
cms.incrby words hello 3
cms.info words
cms.initbydim words 2000 5
cms.initbyprob words 0.001 0.01
cms.merge words:all 2 words words:old WEIGHTS 1 2
cms.query words hello
# t-digests
tdigest.add latency 12.5 9 31
tdigest.byrank latency 0 1
tdigest.byrevrank latency 0 1
tdigest.cdf latency 10 20
tdigest.create latency COMPRESSION 200
tdigest.info latency
tdigest.max latency
tdigest.merge latency:all 2 latency latency:old COMPRESSION 200 OVERRIDE
tdigest.min latency
tdigest.quantile latency 0.5 0.99
tdigest.rank latency 10
tdigest.reset latency
tdigest.revrank latency 10
tdigest.trimmed_mean latency 0.1 0.9
# Top-k
topk.add bestsellers mug cap
topk.count bestsellers mug
topk.incrby bestsellers mug 3
topk.info bestsellers
topk.list bestsellers WITHCOUNT
topk.query bestsellers mug
topk.reserve bestsellers 3 8 7 0.9
# Time series
ts.add warmth * 21.5 RETENTION 86400000 ENCODING COMPRESSED CHUNK_SIZE 4096 DUPLICATE_POLICY LAST ON_DUPLICATE MAX IGNORE 10 0.5 LABELS room store
ts.alter warmth RETENTION 86400000 CHUNK_SIZE 4096 DUPLICATE_POLICY MIN LABELS room store
ts.create warmth RETENTION 86400000 ENCODING COMPRESSED CHUNK_SIZE 4096 DUPLICATE_POLICY LAST IGNORE 10 0.5 LABELS room store
ts.createrule warmth warmth:hourly AGGREGATION avg 3600000 0
ts.decrby visits:now 1 TIMESTAMP 1735689600000 LABELS room store
ts.del warmth 0 1735689600000
ts.deleterule warmth warmth:hourly
ts.get warmth LATEST
ts.incrby visits:now 1 TIMESTAMP 1735689600000 RETENTION 1000 ENCODING COMPRESSED CHUNK_SIZE 4096 DUPLICATE_POLICY LAST LABELS room store
ts.info warmth DEBUG
ts.madd warmth 1735689600000 21.5
ts.mget LATEST WITHLABELS FILTER room=store
ts.mrange 1735689600000 + LATEST FILTER_BY_TS 1735689600000 FILTER_BY_VALUE 0 40 SELECTED_LABELS room COUNT 10 ALIGN start AGGREGATION avg 60000 BUCKETTIMESTAMP mid EMPTY FILTER room=store GROUPBY room REDUCE max
ts.mrevrange 1735689600000 + LATEST FILTER_BY_TS 1735689600000 FILTER_BY_VALUE 0 40 SELECTED_LABELS room COUNT 10 ALIGN start AGGREGATION avg 60000 BUCKETTIMESTAMP mid EMPTY FILTER room=store GROUPBY room REDUCE max
ts.queryindex room=store
ts.range warmth 1735689600000 + LATEST FILTER_BY_TS 1735689600000 FILTER_BY_VALUE 0 40 COUNT 10 ALIGN start AGGREGATION avg 60000 BUCKETTIMESTAMP mid EMPTY
ts.revrange warmth 1735689600000 + LATEST FILTER_BY_TS 1735689600000 FILTER_BY_VALUE 0 40 COUNT 10 ALIGN start AGGREGATION avg 60000 BUCKETTIMESTAMP mid EMPTY
# Vector sets
vadd tastes VALUES 2 0.1 0.9 mug CAS Q8 EF 200 SETATTR "{\"price\":19.9}" M 16
vcard tastes
vdim tastes
vemb tastes mug RAW
vgetattr tastes mug
vinfo tastes
vlinks tastes mug WITHSCORES
vrandmember tastes 2
vrem tastes mug
vsetattr tastes mug "{\"price\":17.9}"
vsim tastes VALUES 2 0.1 0.9 WITHSCORES COUNT 5 EF 200 FILTER ".price < 20" FILTER-EF 100 TRUTH NOTHREAD
`;
