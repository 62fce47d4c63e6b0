/** Lines of messages, transactions, scripts, connections, clusters and servers, as redis-cli takes them. */
export const SERVER_LINES = String.raw`
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
