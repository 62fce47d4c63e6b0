/**
 * Commands of the servers as the servers describe them, one a line: name, servers (8, 7, v for Valkey), flags,
 * where its keys are, and its members. Written by tooling/redis-table/write-table.ts.
 */
export const COMMANDS = `
acl 78v c -
append 78v w 1 key:k value:v
asking 78v - -
auth 78v - - [username] password
bgrewriteaof 78v Aa -
bgsave 78v Aa - schedule!SCHEDULE
bitcount 78v r 1 key:k [range{start:i end:i [unit(BYTE|BIT)]}]
bitfield 78v w 1 key:k [operations<get_block{encoding offset:i}|write{[overflow_block(WRAP|SAT|FAIL)@OVERFLOW] write_operation<set_block{encoding offset:i value:i}|incrby_block{encoding offset:i increment:i}>}>+]
bitfield_ro 78v r 1 key:k [get_blocks{encoding offset:i}+@@GET]
bitop 78v w 2,3:-1 operation(AND|OR|XOR|NOT) destkey:k keys:k+
bitpos 78v r 1 key:k bit:i [range{start:i [end_unit_block{end:i [unit(BYTE|BIT)]}]}]
blmove 78v bw 1,2 source:k destination:k wherefrom(LEFT|RIGHT) whereto(LEFT|RIGHT) timeout:d
blmpop 78v bw 2#0:1:1 timeout:d numkeys#keys keys:k+ where(LEFT|RIGHT) [count:i@COUNT]
blpop 78v bw 1:-2 keys:k+ timeout:d
brpop 78v bw 1:-2 keys:k+ timeout:d
brpoplpush 78v bw 1,2 source:k destination:k timeout:d
bzmpop 78v bw 2#0:1:1 timeout:d numkeys#keys keys:k+ where(MIN|MAX) [count:i@COUNT]
bzpopmax 78v bw 1:-2 keys:k+ timeout:d
bzpopmin 78v bw 1:-2 keys:k+ timeout:d
client 78v c -
cluster 78v c -
clusterscan v r 1 cursor [match_pattern@MATCH] [count:i@COUNT] [type@TYPE] [slot:i@SLOT]
command 78v c -
commandlog v c -
config 78v c -
copy 78v w 1,2 source:k destination:k [destination_db:i@DB] replace!REPLACE
dbsize 78v r -
debug 78v Aa -
decr 78v w 1 key:k
decrby 78v w 1 key:k decrement:i
del 78v w 1:-1 keys:k+
delifeq v w 1 key:k value:v
discard 78v - -
dump 78v r 1 key:k
echo 78v - - message:v
eval 78v - 2#0:1:1 script numkeys#keys [keys:k+] [args:v+]
eval_ro 78v r 2#0:1:1 script numkeys#keys [keys:k+] [args:v+]
evalsha 78v - 2#0:1:1 sha1 numkeys#keys [keys:k+] [args:v+]
evalsha_ro 78v r 2#0:1:1 sha1 numkeys#keys [keys:k+] [args:v+]
exec 78v - -
exists 78v r 1:-1 keys:k+
expire 78v w 1 key:k seconds:i [condition(NX|XX|GT|LT)]
expireat 78v w 1 key:k unix_time_seconds:i [condition(NX|XX|GT|LT)]
expiretime 78v r 1 key:k
failover 78v Aa - [target{host port:i force!FORCE}@TO] abort!ABORT [milliseconds:i@TIMEOUT]
fcall 78v - 2#0:1:1 function numkeys#keys [keys:k+] [args:v+]
fcall_ro 78v r 2#0:1:1 function numkeys#keys [keys:k+] [args:v+]
flushall 78v w - [flush_type(ASYNC|SYNC)]
flushdb 78v w - [flush_type(ASYNC|SYNC)]
function 78v c -
geoadd 78v w 1 key:k [condition(NX|XX)] change!CH datas{longitude:d latitude:d member:v}+
geodist 78v r 1 key:k member1 member2 [unit(M|KM|FT|MI)]
geohash 78v r 1 key:k [members:v+]
geopos 78v r 1 key:k [members:v+]
georadius 78v w 1,@STORE/6,@STOREDIST/6 key:k longitude:d latitude:d radius:d unit(M|KM|FT|MI) withcoord!WITHCOORD withdist!WITHDIST withhash!WITHHASH [count_block{count:i@COUNT any!ANY}] [order(ASC|DESC)] [store<STORE/storekey{storekey:k@STORE}|STOREDIST/storedistkey{storedistkey:k@STOREDIST}>]
georadius_ro 78v r 1 key:k longitude:d latitude:d radius:d unit(M|KM|FT|MI) withcoord!WITHCOORD withdist!WITHDIST withhash!WITHHASH [count_block{count:i@COUNT any!ANY}] [order(ASC|DESC)]
georadiusbymember 78v w 1,@STORE/5,@STOREDIST/5 key:k member:v radius:d unit(M|KM|FT|MI) withcoord!WITHCOORD withdist!WITHDIST withhash!WITHHASH [count_block{count:i@COUNT any!ANY}] [order(ASC|DESC)] [store<STORE/storekey{storekey:k@STORE}|STOREDIST/storedistkey{storedistkey:k@STOREDIST}>]
georadiusbymember_ro 78v r 1 key:k member:v radius:d unit(M|KM|FT|MI) withcoord!WITHCOORD withdist!WITHDIST withhash!WITHHASH [count_block{count:i@COUNT any!ANY}] [order(ASC|DESC)]
geosearch 78v r 1 key:k from<FROMMEMBER/member{member:v@FROMMEMBER}|fromlonlat{longitude:d latitude:d}> by<circle{radius:d@BYRADIUS unit(M|KM|FT|MI)}|box{width:d@BYBOX height:d unit(M|KM|FT|MI)}> [order(ASC|DESC)] [count_block{count:i@COUNT any!ANY}] withcoord!WITHCOORD withdist!WITHDIST withhash!WITHHASH
geosearchstore 78v w 1,2 destination:k source:k from<FROMMEMBER/member{member:v@FROMMEMBER}|fromlonlat{longitude:d latitude:d}> by<circle{radius:d@BYRADIUS unit(M|KM|FT|MI)}|box{width:d@BYBOX height:d unit(M|KM|FT|MI)}> [order(ASC|DESC)] [count_block{count:i@COUNT any!ANY}] storedist!STOREDIST
get 78v r 1 key:k
getbit 78v r 1 key:k offset:i
getdel 78v w 1 key:k
getex 78v w 1 key:k [expiration<EX/seconds{seconds:i@EX}|PX/milliseconds{milliseconds:i@PX}|EXAT/unix_time_seconds{unix_time_seconds:i@EXAT}|PXAT/unix_time_milliseconds{unix_time_milliseconds:i@PXAT}|PERSIST>]
getrange 78v r 1 key:k start:i end:i
getset 78v w 1 key:k value:v
hdel 78v w 1 key:k fields:v+
hello 78v - - [arguments{protover:i [auth{username password}@AUTH] [clientname@SETNAME]}]
hexists 78v r 1 key:k field:v
hexpire 78v w 1 key:k seconds:i [condition(NX|XX|GT|LT)] 'FIELDS' numfields#fields fields:v+
hexpireat 78v w 1 key:k unix_time_seconds:i [condition(NX|XX|GT|LT)] 'FIELDS' numfields#fields fields:v+
hexpiretime 78v r 1 key:k 'FIELDS' numfields#fields fields:v+
hget 78v r 1 key:k field:v
hgetall 78v r 1 key:k
hgetdel 8v w 1 key:k 'FIELDS' numfields#fields fields:v+
hgetex 8v w 1 key:k [expiration<EX/seconds{seconds:i@EX}|PX/milliseconds{milliseconds:i@PX}|EXAT/unix_time_seconds{unix_time_seconds:i@EXAT}|PXAT/unix_time_milliseconds{unix_time_milliseconds:i@PXAT}|PERSIST>] 'FIELDS' numfields#fields fields:v+
hincrby 78v w 1 key:k field:v increment:i
hincrbyfloat 78v w 1 key:k field:v increment:d
hkeys 78v r 1 key:k
hlen 78v r 1 key:k
hmget 78v r 1 key:k fields:v+
hmset 78v w 1 key:k datas{field:v value:v}+
hpersist 78v w 1 key:k 'FIELDS' numfields#fields fields:v+
hpexpire 78v w 1 key:k milliseconds:i [condition(NX|XX|GT|LT)] 'FIELDS' numfields#fields fields:v+
hpexpireat 78v w 1 key:k unix_time_milliseconds:i [condition(NX|XX|GT|LT)] 'FIELDS' numfields#fields fields:v+
hpexpiretime 78v r 1 key:k 'FIELDS' numfields#fields fields:v+
hpttl 78v r 1 key:k 'FIELDS' numfields#fields fields:v+
hrandfield 78v r 1 key:k [options{count:i withvalues!WITHVALUES}]
hscan 78v r 1 key:k cursor:i [pattern@MATCH] [count:i@COUNT] novalues!NOVALUES
hset 78v w 1 key:k datas{field:v value:v}+
hsetex 8v w 1 key:k [condition(FNX|FXX)] [expiration<EX/seconds{seconds:i@EX}|PX/milliseconds{milliseconds:i@PX}|EXAT/unix_time_seconds{unix_time_seconds:i@EXAT}|PXAT/unix_time_milliseconds{unix_time_milliseconds:i@PXAT}|KEEPTTL>] 'FIELDS' numfields#datas datas{field:v value:v}+
hsetnx 78v w 1 key:k field:v value:v
hstrlen 78v r 1 key:k field:v
httl 78v r 1 key:k 'FIELDS' numfields#fields fields:v+
hvals 78v r 1 key:k
incr 78v w 1 key:k
incrby 78v w 1 key:k increment:i
incrbyfloat 78v w 1 key:k increment:d
info 78v - - [sections+]
keys 78v r - pattern
lastsave 78v A -
latency 78v c -
lcs 78v r 1:1 key1:k key2:k len!LEN idx!IDX [min_match_len:i@MINMATCHLEN] withmatchlen!WITHMATCHLEN
lindex 78v r 1 key:k index:i
linsert 78v w 1 key:k where(BEFORE|AFTER) pivot:v element:v
llen 78v r 1 key:k
lmove 78v w 1,2 source:k destination:k wherefrom(LEFT|RIGHT) whereto(LEFT|RIGHT)
lmpop 78v w 1#0:1:1 numkeys#keys keys:k+ where(LEFT|RIGHT) [count:i@COUNT]
lolwut 78v r - [version:i@VERSION]
lpop 78v w 1 key:k [count:i]
lpos 78v r 1 key:k element:v [rank:i@RANK] [num_matches:i@COUNT] [len:i@MAXLEN]
lpush 78v w 1 key:k elements:v+
lpushx 78v w 1 key:k elements:v+
lrange 78v r 1 key:k start:i stop:i
lrem 78v w 1 key:k count:i element:v
lset 78v w 1 key:k index:i element:v
ltrim 78v w 1 key:k start:i stop:i
memory 78v c -
mget 78v r 1:-1 keys:k+
migrate 78v w 3,@KEYS/-2:-1 host port:i key_selector<key{key:k}|> destination_db:i timeout:i copy!COPY replace!REPLACE [authentication<AUTH/auth{auth@AUTH}|auth2{username password}>] [keys:k+@KEYS]
module 78v c -
monitor 78v Aa -
move 78v w 1 key:k db:i
mset 78v w 1:-1:2 datas{key:k value:v}+
msetex v w 1#0:1:2 numkeys#datas datas{key:k value:v}+ [condition(NX|XX)] [expiration<EX/seconds{seconds:i@EX}|PX/milliseconds{milliseconds:i@PX}|EXAT/unix_time_seconds{unix_time_seconds:i@EXAT}|PXAT/unix_time_milliseconds{unix_time_milliseconds:i@PXAT}|KEEPTTL>]
msetnx 78v w 1:-1:2 datas{key:k value:v}+
multi 78v - -
object 78v c -
persist 78v w 1 key:k
pexpire 78v w 1 key:k milliseconds:i [condition(NX|XX|GT|LT)]
pexpireat 78v w 1 key:k unix_time_milliseconds:i [condition(NX|XX|GT|LT)]
pexpiretime 78v r 1 key:k
pfadd 78v w 1 key:k [elements:v+]
pfcount 78v r 1:-1 keys:k+
pfdebug 78v Aaw 2 subcommand key:k
pfmerge 78v w 1,2:-1 destkey:k [sourcekeys:k+]
pfselftest 78v Aa -
ping 78v - - [message:v]
psetex 78v w 1 key:k milliseconds:i value:v
psubscribe 78v p - patterns+
psync 78v Aa - replicationid offset:i
pttl 78v r 1 key:k
publish 78v p - channel message:v
pubsub 78v c -
punsubscribe 78v p - [patterns+]
quit 78v - -
randomkey 78v r -
readonly 78v - -
readwrite 78v - -
rename 78v w 1,2 key:k newkey:k
renamenx 78v w 1,2 key:k newkey:k
replconf 78v Aa -
replicaof 78v Aa - args<host_port{host port:i}|no_one{'NO' 'ONE'}>
reset 78v - -
restore 78v w 1 key:k ttl:i serialized_value replace!REPLACE absttl!ABSTTL [seconds:i@IDLETIME] [frequency:i@FREQ]
restore-asking 78v w 1 key:k ttl:i serialized_value replace!REPLACE absttl!ABSTTL [seconds:i@IDLETIME] [frequency:i@FREQ]
role 78v A -
rpop 78v w 1 key:k [count:i]
rpoplpush 78v w 1,2 source:k destination:k
rpush 78v w 1 key:k elements:v+
rpushx 78v w 1 key:k elements:v+
sadd 78v w 1 key:k members:v+
save 78v Aa -
scan 78v r - cursor:i [pattern@MATCH] [count:i@COUNT] [type@TYPE]
scard 78v r 1 key:k
script 78v c -
sdiff 78v r 1:-1 keys:k+
sdiffstore 78v w 1,2:-1 destination:k keys:k+
select 78v - - index:i
set 78v w 1 key:k value:v [condition(NX|XX)] get!GET [expiration<EX/seconds{seconds:i@EX}|PX/milliseconds{milliseconds:i@PX}|EXAT/unix_time_seconds{unix_time_seconds:i@EXAT}|PXAT/unix_time_milliseconds{unix_time_milliseconds:i@PXAT}|KEEPTTL>]
setbit 78v w 1 key:k offset:i value:i
setex 78v w 1 key:k seconds:i value:v
setnx 78v w 1 key:k value:v
setrange 78v w 1 key:k offset:i value:v
shutdown 78v Aa - [save_selector(NOSAVE|SAVE)] now!NOW force!FORCE abort!ABORT
sinter 78v r 1:-1 keys:k+
sintercard 78v r 1#0:1:1 numkeys#keys keys:k+ [limit:i@LIMIT]
sinterstore 78v w 1,2:-1 destination:k keys:k+
sismember 78v r 1 key:k member:v
slaveof 78v Aa - args<host_port{host port:i}|no_one{'NO' 'ONE'}>
slowlog 78v c -
smembers 78v r 1 key:k
smismember 78v r 1 key:k members:v+
smove 78v w 1,2 source:k destination:k member:v
sort 78v w 1,?,? key:k [by_pattern@BY] [limit{offset:i count:i}@LIMIT] [get_patterns+@@GET] [order(ASC|DESC)] sorting!ALPHA [destination:k@STORE]
sort_ro 78v r 1,? key:k [by_pattern@BY] [limit{offset:i count:i}@LIMIT] [get_patterns+@@GET] [order(ASC|DESC)] sorting!ALPHA
spop 78v w 1 key:k [count:i]
spublish 78v p 1 shardchannel message:v
srandmember 78v r 1 key:k [count:i]
srem 78v w 1 key:k members:v+
sscan 78v r 1 key:k cursor:i [pattern@MATCH] [count:i@COUNT]
ssubscribe 78v p 1:-1 shardchannels+
strlen 78v r 1 key:k
subscribe 78v p - channels+
substr 78v r 1 key:k start:i end:i
sunion 78v r 1:-1 keys:k+
sunionstore 78v w 1,2:-1 destination:k keys:k+
sunsubscribe 78v p 1:-1 [shardchannels+]
swapdb 78v w - index1:i index2:i
sync 78v Aa -
time 78v - -
touch 78v r 1:-1 keys:k+
ttl 78v r 1 key:k
type 78v r 1 key:k
unlink 78v w 1:-1 keys:k+
unsubscribe 78v p - [channels+]
unwatch 78v - -
vadd 8 w 1
vcard 8 r 1
vdim 8 r 1
vemb 8 r 1
vgetattr 8 r 1
vinfo 8 r 1
vismember 8 r 1
vlinks 8 r 1
vrandmember 8 r 1
vrem 8 w 1
vsetattr 8 w 1
vsim 8 r 1
wait 78v b - numreplicas:i timeout:i
waitaof 78v b - numlocal:i numreplicas:i timeout:i
watch 78v - 1:-1 keys:k+
xack 78v w 1 key:k group ids+
xackdel 8 w 1 key:k group [condition(KEEPREF|DELREF|ACKED)] 'IDS' numids#ids ids+
xadd 78v w 1 key:k nomkstream!NOMKSTREAM [trim{strategy(MAXLEN|MINID) [operator(=|~)] threshold [count:i@LIMIT]}] id_selector<*|id{id}> datas{field:v value:v}+
xautoclaim 78v w 1 key:k group consumer min_idle_time start [count:i@COUNT] justid!JUSTID
xclaim 78v w 1 key:k group consumer min_idle_time ids+ [ms:i@IDLE] [unix_time_milliseconds:i@TIME] [count:i@RETRYCOUNT] force!FORCE justid!JUSTID [lastid@LASTID]
xdel 78v w 1 key:k ids+
xdelex 8 w 1 key:k [condition(KEEPREF|DELREF|ACKED)] 'IDS' numids#ids ids+
xgroup 78v c -
xinfo 78v c -
xlen 78v r 1 key:k
xpending 78v r 1 key:k group [filters{[min_idle_time:i@IDLE] start end count:i [consumer]}]
xrange 78v r 1 key:k start end [count:i@COUNT]
xread 78v br @STREAMS/1:-1:1:2 [count:i@COUNT] [milliseconds:i@BLOCK] 'STREAMS' keys:k+ ids+
xreadgroup 78v bw @STREAMS/4:-1:1:2 'GROUP' group consumer [count:i@COUNT] [milliseconds:i@BLOCK] noack!NOACK 'STREAMS' keys:k+ ids+
xrevrange 78v r 1 key:k end start [count:i@COUNT]
xsetid 78v w 1 key:k last_id [entries_added:i@ENTRIESADDED] [max_deleted_id@MAXDELETEDID]
xtrim 78v w 1 key:k strategy(MAXLEN|MINID) [operator(=|~)] threshold [count:i@LIMIT]
zadd 78v w 1 key:k [condition(NX|XX)] [comparison(GT|LT)] change!CH increment!INCR datas{score:d member:v}+
zcard 78v r 1 key:k
zcount 78v r 1 key:k min:d max:d
zdiff 78v r 1#0:1:1 numkeys#keys keys:k+ withscores!WITHSCORES
zdiffstore 78v w 1,2#0:1:1 destination:k numkeys#keys keys:k+
zincrby 78v w 1 key:k increment:i member:v
zinter 78v r 1#0:1:1 numkeys#keys keys:k+ [weights:i+@WEIGHTS] [aggregate(SUM|MIN|MAX)@AGGREGATE] withscores!WITHSCORES
zintercard 78v r 1#0:1:1 numkeys#keys keys:k+ [limit:i@LIMIT]
zinterstore 78v w 1,2#0:1:1 destination:k numkeys#keys keys:k+ [weights:i+@WEIGHTS] [aggregate(SUM|MIN|MAX)@AGGREGATE]
zlexcount 78v r 1 key:k min max
zmpop 78v w 1#0:1:1 numkeys#keys keys:k+ where(MIN|MAX) [count:i@COUNT]
zmscore 78v r 1 key:k members:v+
zpopmax 78v w 1 key:k [count:i]
zpopmin 78v w 1 key:k [count:i]
zrandmember 78v r 1 key:k [options{count:i withscores!WITHSCORES}]
zrange 78v r 1 key:k start stop [sortby(BYSCORE|BYLEX)] rev!REV [limit{offset:i count:i}@LIMIT] withscores!WITHSCORES
zrangebylex 78v r 1 key:k min max [limit{offset:i count:i}@LIMIT]
zrangebyscore 78v r 1 key:k min:d max:d withscores!WITHSCORES [limit{offset:i count:i}@LIMIT]
zrangestore 78v w 1,2 dst:k src:k min max [sortby(BYSCORE|BYLEX)] rev!REV [limit{offset:i count:i}@LIMIT]
zrank 78v r 1 key:k member:v withscore!WITHSCORE
zrem 78v w 1 key:k members:v+
zremrangebylex 78v w 1 key:k min max
zremrangebyrank 78v w 1 key:k start:i stop:i
zremrangebyscore 78v w 1 key:k min:d max:d
zrevrange 78v r 1 key:k start:i stop:i withscores!WITHSCORES
zrevrangebylex 78v r 1 key:k max min [limit{offset:i count:i}@LIMIT]
zrevrangebyscore 78v r 1 key:k max:d min:d withscores!WITHSCORES [limit{offset:i count:i}@LIMIT]
zrevrank 78v r 1 key:k member:v withscore!WITHSCORE
zscan 78v r 1 key:k cursor:i [pattern@MATCH] [count:i@COUNT]
zscore 78v r 1 key:k member:v
zunion 78v r 1#0:1:1 numkeys#keys keys:k+ [weights:i+@WEIGHTS] [aggregate(SUM|MIN|MAX)@AGGREGATE] withscores!WITHSCORES
zunionstore 78v w 1,2#0:1:1 destination:k numkeys#keys keys:k+ [weights:i+@WEIGHTS] [aggregate(SUM|MIN|MAX)@AGGREGATE]
`;
