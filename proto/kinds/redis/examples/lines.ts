/** The commands that the examples are, one a line, as redis-cli takes them: for tests alone. */
export const LINES = String.raw`
# Strings
append greeting " world"
decr stock:7
decrby stock:7 3
get greeting
getdel greeting
getex greeting EX 60
getrange greeting 0 4
getset greeting hello
incr visits
incrby visits 10
incrbyfloat balance 0.5
lcs left right IDX MINMATCHLEN 4 WITHMATCHLEN
mget greeting visits
mset greeting hello visits 1
msetnx greeting hello visits 1
psetex greeting 60000 hello
set greeting hello NX EX 60
setex greeting 60 hello
setnx greeting hello
setrange greeting 6 moon
strlen greeting
substr greeting 0 4
# Keys
copy greeting greeting:copy DB 1 REPLACE
del greeting visits
dump greeting
exists greeting visits
expire greeting 60 NX
expireat greeting 1893456000 GT
expiretime greeting
keys greeting*
migrate cache.example.com 6379 greeting 0 5000 COPY AUTH2 shop s3cr3t
move greeting 1
object encoding greeting
object freq greeting
object idletime greeting
object refcount greeting
persist greeting
pexpire greeting 60000 XX
pexpireat greeting 1893456000000 LT
pexpiretime greeting
pttl greeting
randomkey
rename greeting welcome
renamenx greeting welcome
restore greeting 0 "\x00\x05\x68\x65\x6c\x6c\x6f\x0c\x00\xa8\x04\xeb\xb6\x9f\x1e\xbe\x43" REPLACE ABSTTL IDLETIME 5
scan 0 MATCH greeting* COUNT 100 TYPE string
sort sizes BY weight_* LIMIT 0 5 GET # GET name_* DESC ALPHA STORE sizes:sorted
sort_ro sizes LIMIT 0 5 GET # ASC
touch greeting visits
ttl greeting
type greeting
unlink greeting visits
wait 0 100
waitaof 0 0 100
# Hashes
hdel customer:7 city since
hexists customer:7 city
hexpire customer:7 60 NX FIELDS 1 city
hexpireat customer:7 1893456000 FIELDS 1 city
hexpiretime customer:7 FIELDS 1 city
hget customer:7 name
hgetall customer:7
hgetdel customer:7 FIELDS 1 city
hgetex customer:7 EX 60 FIELDS 1 city
hincrby customer:7 orders 1
hincrbyfloat customer:7 balance 0.5
hkeys customer:7
hlen customer:7
hmget customer:7 name city
hmset customer:7 name Hana
hpersist customer:7 FIELDS 1 city
hpexpire customer:7 60000 XX FIELDS 1 city
hpexpireat customer:7 1893456000000 GT FIELDS 1 city
hpexpiretime customer:7 FIELDS 1 city
hpttl customer:7 FIELDS 1 city
hrandfield customer:7 2 WITHVALUES
hscan customer:7 0 MATCH c* COUNT 100 NOVALUES
hset customer:7 name Hana city Lisbon
hsetex customer:7 FNX EX 60 FIELDS 1 city Lisbon
hsetnx customer:7 city Lisbon
hstrlen customer:7 name
httl customer:7 FIELDS 1 city
hvals customer:7
# Lists
blmove tasks doing LEFT RIGHT 1
blmpop 1 1 tasks LEFT COUNT 2
blpop tasks 1
brpop tasks 1
brpoplpush tasks doing 1
lindex tasks 0
linsert tasks BEFORE pack label
llen tasks
lmove tasks doing LEFT RIGHT
lmpop 1 tasks RIGHT COUNT 2
lpop tasks 2
lpos tasks pack RANK 1 COUNT 2 MAXLEN 100
lpush tasks pack ship
lpushx tasks pack
lrange tasks 0 -1
lrem tasks 1 pack
lset tasks 0 pack
ltrim tasks 0 99
rpop tasks
rpoplpush tasks doing
rpush tasks pack ship
rpushx tasks ship
# Sets
sadd tags new sale
scard tags
sdiff tags tags:old
sdiffstore tags:added tags tags:old
sinter tags tags:old
sintercard 2 tags tags:old LIMIT 10
sinterstore tags:both tags tags:old
sismember tags new
smembers tags
smismember tags new sale
smove tags tags:old new
spop tags 1
srandmember tags 2
srem tags sale
sscan tags 0 MATCH s* COUNT 100
sunion tags tags:old
sunionstore tags:all tags tags:old
# Sorted sets
bzmpop 1 1 scores MIN COUNT 2
bzpopmax scores 1
bzpopmin scores 1
zadd scores XX GT CH 12.5 hana 9 emeka
zcard scores
zcount scores -inf 10
zdiff 2 scores scores:old WITHSCORES
zdiffstore scores:new 2 scores scores:old
zincrby scores 2.5 hana
zinter 2 scores scores:old WEIGHTS 1 0.5 AGGREGATE MAX WITHSCORES
zintercard 2 scores scores:old LIMIT 10
zinterstore scores:both 2 scores scores:old WEIGHTS 1 2 AGGREGATE SUM
zlexcount names [a (n
zmpop 1 scores MAX COUNT 2
zmscore scores hana emeka
zpopmax scores 1
zpopmin scores 1
zrandmember scores 2 WITHSCORES
zrange scores 0 10 BYSCORE REV LIMIT 0 5 WITHSCORES
zrangebylex names - + LIMIT 0 5
zrangebyscore scores (9 +inf WITHSCORES LIMIT 0 5
zrangestore scores:top scores 0 2 REV
zrank scores hana WITHSCORE
zrem scores emeka
zremrangebylex names [a (c
zremrangebyrank scores 0 -101
zremrangebyscore scores -inf (1
zrevrange scores 0 9 WITHSCORES
zrevrangebylex names + - LIMIT 0 5
zrevrangebyscore scores +inf 9 WITHSCORES
zrevrank scores hana WITHSCORE
zscan scores 0 MATCH h* COUNT 100
zscore scores hana
zunion 2 scores scores:old AGGREGATE MIN WITHSCORES
zunionstore scores:all 2 scores scores:old
# Streams
xack orders packers 1735689600000-0
xadd orders MAXLEN ~ 1000 LIMIT 100 * product 7 quantity 2
xautoclaim orders packers hana 60000 0-0 COUNT 10 JUSTID
xclaim orders packers hana 60000 1735689600000-0 IDLE 0 RETRYCOUNT 2 FORCE JUSTID LASTID 1735689600000-0
xdel orders 1735689600000-0
xgroup create orders packers $ MKSTREAM ENTRIESREAD 0
xgroup createconsumer orders packers hana
xgroup delconsumer orders packers hana
xgroup destroy orders packers
xgroup setid orders packers $ ENTRIESREAD 5
xinfo consumers orders packers
xinfo groups orders
xinfo stream orders FULL COUNT 10
xlen orders
xpending orders packers IDLE 60000 - + 10 hana
xrange orders - + COUNT 10
xread COUNT 10 BLOCK 100 STREAMS orders 0-0
xreadgroup GROUP packers hana COUNT 10 BLOCK 100 NOACK STREAMS orders >
xrevrange orders + - COUNT 10
xsetid orders 1735689600000-0 ENTRIESADDED 5 MAXDELETEDID 1735689500000-0
xtrim orders MINID ~ 1735689600000-0 LIMIT 100
# Bitmaps
bitcount days 0 -1 BIT
bitfield counters GET u8 0 SET u8 8 255 OVERFLOW SAT INCRBY u8 #1 10
bitfield_ro counters GET u8 0
bitop AND days:both days days:old
bitpos days 1 0 -1 BYTE
getbit days 7
setbit days 7 1
# HyperLogLogs
pfadd visitors hana emeka
pfcount visitors visitors:old
pfdebug ENCODING visitors
pfmerge visitors:all visitors visitors:old
pfselftest
# Places
geoadd shops NX CH -9.139 38.722 lisbon
geodist shops lisbon porto KM
geohash shops lisbon
geopos shops lisbon porto
georadius shops -9.139 38.722 300 KM WITHCOORD WITHDIST WITHHASH COUNT 5 ANY ASC
georadiusbymember shops lisbon 300 KM COUNT 5 DESC STORE shops:near
georadiusbymember_ro shops lisbon 300 KM WITHCOORD
georadius_ro shops -9.139 38.722 300 MI WITHDIST
geosearch shops FROMMEMBER lisbon BYRADIUS 300 KM ASC COUNT 5 WITHCOORD WITHDIST WITHHASH
geosearchstore shops:near shops FROMLONLAT -9.139 38.722 BYBOX 400 400 KM COUNT 5 ANY STOREDIST
# JSON
json.arrappend product:7 $.sizes "\"L\"" "\"XL\""
json.arrindex product:7 $.sizes "\"L\"" 0 5
json.arrinsert product:7 $.sizes 0 "\"XS\""
json.arrlen product:7 $.sizes
json.arrpop product:7 $.sizes -1
json.arrtrim product:7 $.sizes 0 2
json.clear product:7 $.sizes
json.debug memory product:7 $
json.del product:7 $.sizes
json.forget product:7 $.sizes
json.get product:7 INDENT "  " NEWLINE "\n" SPACE " " $.name $.price
json.merge product:7 $ "{\"price\":19.9}"
json.mget product:7 product:8 $.name
json.mset product:7 $ "{\"name\":\"Mug\"}"
json.numincrby product:7 $.stock -1
json.nummultby product:7 $.price 1.5
json.objkeys product:7 $
json.objlen product:7 $
json.resp product:7 $
json.set product:7 $ "{\"name\":\"Mug\",\"price\":19.9}" NX
json.strappend product:7 $.name "\" blue\""
json.strlen product:7 $.name
json.toggle product:7 $.sold
json.type product:7 $.name
# Search
ft.aggregate customers * VERBATIM LOAD 1 @city TIMEOUT 1000 GROUPBY 1 @city REDUCE COUNT 0 AS customers REDUCE SUM 1 @orders AS orders SORTBY 2 @customers DESC MAX 5 APPLY "@orders / @customers" AS each LIMIT 0 5 FILTER "@customers > 0" WITHCURSOR COUNT 10 MAXIDLE 1000 PARAMS 2 city Lisbon DIALECT 2
ft.aliasadd buyers customers
ft.aliasdel buyers
ft.aliasupdate buyers customers
ft.alter customers SKIPINITIALSCAN SCHEMA ADD email TAG SORTABLE
ft.config get TIMEOUT
ft.config set TIMEOUT 500
ft.create customers ON HASH PREFIX 1 customer: FILTER "@city!=''" LANGUAGE portuguese SCORE 1 MAXTEXTFIELDS NOOFFSETS NOHL NOFREQS STOPWORDS 2 a o SKIPINITIALSCAN SCHEMA name TEXT WEIGHT 2 SORTABLE city AS town TAG SEPARATOR ; NOINDEX orders NUMERIC taste VECTOR FLAT 6 TYPE FLOAT32 DIM 2 DISTANCE_METRIC COSINE
ft.cursor del customers 42
ft.cursor read customers 42 COUNT 10
ft.dictadd cities Lisbon Porto
ft.dictdel cities Porto
ft.dictdump cities
ft.dropindex customers DD
ft.explain customers @name:hana DIALECT 2
ft.explaincli customers @name:hana DIALECT 2
ft.info customers
ft.profile customers SEARCH LIMITED QUERY *
ft.search customers @city:{$city} VERBATIM NOSTOPWORDS WITHSCORES FILTER orders 1 +inf INKEYS 1 customer:7 INFIELDS 1 name RETURN 3 name AS who SUMMARIZE FIELDS 1 name FRAGS 1 LEN 5 SEPARATOR … HIGHLIGHT FIELDS 1 name TAGS <b> </b> SLOP 1 TIMEOUT 1000 INORDER LANGUAGE portuguese SORTBY name ASC LIMIT 0 5 PARAMS 2 city Lisbon DIALECT 2
ft.spellcheck customers lisbom DISTANCE 1 TERMS INCLUDE cities DIALECT 2
ft.syndump customers
ft.synupdate customers greet SKIPINITIALSCAN hello hi
ft.tagvals customers city
ft._list
# Suggestions
ft.sugadd suggestions hana 1 INCR PAYLOAD customer:7
ft.sugdel suggestions hana
ft.sugget suggestions ha FUZZY WITHSCORES WITHPAYLOADS MAX 5
ft.suglen suggestions
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
# Messages
psubscribe orders.*
publish orders "{\"id\":7}"
pubsub channels orders*
pubsub numpat
pubsub numsub orders
pubsub shardchannels orders*
pubsub shardnumsub orders
punsubscribe orders.*
spublish orders hello
ssubscribe orders
subscribe orders returns
sunsubscribe orders
unsubscribe orders
# Transactions
discard
exec
multi
unwatch
watch stock:7
# Scripts
eval "return redis.call('GET', KEYS[1])" 1 greeting x
evalsha d3c21d0c2b9ca22f82737626a27bcaf5d288f99f 1 greeting x
evalsha_ro d3c21d0c2b9ca22f82737626a27bcaf5d288f99f 1 greeting
eval_ro "return redis.call('GET', KEYS[1])" 1 greeting
fcall price 1 product:7 EUR
fcall_ro price 0
function delete shop
function dump
function flush ASYNC
function kill
function list LIBRARYNAME shop* WITHCODE
function load REPLACE "#!lua name=shop\nredis.register_function('price', function(keys) return 1 end)"
function restore "\x0c\x00\x96\xed\x68\x80\xf5\x55\x3c\x93" APPEND
function stats
script debug NO
script exists d3c21d0c2b9ca22f82737626a27bcaf5d288f99f
script flush SYNC
script kill
script load "return redis.call('GET', KEYS[1])"
# Connections
auth shop s3cr3t
client caching YES
client getname
client getredir
client id
client info
client kill ID 42 TYPE PUBSUB SKIPME YES
client list ID 42 43
client no-evict ON
client no-touch OFF
client pause 100 WRITE
client setinfo LIB-NAME shop
client setname shop
client tracking ON PREFIX stock: BCAST NOLOOP
client trackinginfo
client unblock 42 TIMEOUT
client unpause
echo hello
hello 3 AUTH shop s3cr3t SETNAME shop
ping hello
quit
reset
select 1
# Clusters
asking
cluster addslots 1 2
cluster addslotsrange 100 199
cluster bumpepoch
cluster count-failure-reports 07c37dfeb235213a872192d90877d0cd55635b91
cluster countkeysinslot 7
cluster delslots 1 2
cluster delslotsrange 100 199
cluster failover FORCE
cluster flushslots
cluster forget 07c37dfeb235213a872192d90877d0cd55635b91
cluster getkeysinslot 7 10
cluster info
cluster keyslot greeting
cluster links
cluster meet 192.0.2.7 6379 16379
cluster myid
cluster myshardid
cluster nodes
cluster replicas 07c37dfeb235213a872192d90877d0cd55635b91
cluster replicate 07c37dfeb235213a872192d90877d0cd55635b91
cluster reset SOFT
cluster saveconfig
cluster set-config-epoch 7
cluster setslot 7 MIGRATING 07c37dfeb235213a872192d90877d0cd55635b91
cluster shards
cluster slaves 07c37dfeb235213a872192d90877d0cd55635b91
cluster slots
readonly
readwrite
# Servers
acl cat read
acl deluser shop
acl dryrun default GET greeting
acl genpass 128
acl getuser default
acl list
acl load
acl log RESET
acl save
acl setuser shop on allkeys +@read >s3cr3t
acl users
acl whoami
bgrewriteaof
bgsave SCHEDULE
command
command count
command docs get
command getkeys MSET a 1 b 2
command getkeysandflags MSET a 1
command info get set
command list FILTERBY ACLCAT read
config get maxmemory port
config resetstat
config rewrite
config set maxmemory 1gb
dbsize
failover
flushall ASYNC
flushdb SYNC
info server clients
lastsave
latency doctor
latency graph command
latency histogram get
latency history command
latency latest
latency reset command
lolwut VERSION 5
memory doctor
memory malloc-stats
memory purge
memory stats
memory usage greeting SAMPLES 5
module list
module load /usr/lib/redis/shop.so x
module loadex /usr/lib/redis/shop.so CONFIG shop.size 5 ARGS x
module unload shop
monitor
psync ? -1
replconf GETACK *
replicaof cache.example.com 6379
restore-asking greeting 0 "\x00\x05\x68\x65\x6c\x6c\x6f\x0c\x00\xa8\x04\xeb\xb6\x9f\x1e\xbe\x43" REPLACE
role
save
shutdown NOSAVE NOW FORCE
slaveof NO ONE
slowlog get 10
slowlog len
slowlog reset
swapdb 0 1
sync
time
`;
