/**
 * Commands as the servers describe them, one a line: name, servers (8, 7, v for Valkey), flags,
 * where its keys are, and its members. Written by scripts/redis/write-table.ts.
 */
export const TABLE = `
acl 78v c -
acl|cat 78v - - [category]
acl|deluser 78v Aa - usernames+
acl|dryrun 78v Aa - username command [args:v+]
acl|genpass 78v - - [bits:i]
acl|getuser 78v Aa - username
acl|help 78v - -
acl|list 78v Aa -
acl|load 78v Aa -
acl|log 78v Aa - [operation<count{count:i}|RESET>]
acl|save 78v Aa -
acl|setuser 78v Aa - username [rules+]
acl|users 78v Aa -
acl|whoami 78v - -
append 78v w 1 key:k value:v
asking 78v - -
auth 78v - - [username] password
bf.add 78 w 1
bf.card 78 r 1
bf.debug 78 r 1
bf.exists 78 r 1
bf.info 78 r 1
bf.insert 78 w 1
bf.loadchunk 78 w 1
bf.madd 78 w 1
bf.mexists 78 r 1
bf.reserve 78 w 1
bf.scandump 78 r 1
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
cf.add 78 w 1
cf.addnx 78 w 1
cf.compact 78 r 1
cf.count 78 r 1
cf.debug 78 r 1
cf.del 78 w 1
cf.exists 78 r 1
cf.info 78 r 1
cf.insert 78 w 1
cf.insertnx 78 w 1
cf.loadchunk 78 w 1
cf.mexists 78 r 1
cf.reserve 78 w 1
cf.scandump 78 r 1
client 78v c -
client|caching 78v - - mode(YES|NO)
client|capa v - - capabilitys+
client|getname 78v - -
client|getredir 78v - -
client|help 78v - -
client|id 78v - -
client|import-source v - - enabled(ON|OFF)
client|info 78v - -
client|kill 78v Aa - filter<old_format{old_format}|new_formats{new_formats<ID/client_id{client_id:i@ID}|TYPE/client_type{client_type(NORMAL|MASTER|SLAVE|REPLICA|PUBSUB)@TYPE}|USER/username{username@USER}|ADDR/addr{addr@ADDR}|LADDR/laddr{laddr@LADDR}|SKIPME/skipme{skipme(YES|NO)@SKIPME}|MAXAGE/maxage{maxage:i@MAXAGE}>+}>
client|list 78v Aa - [client_type(NORMAL|MASTER|REPLICA|PUBSUB)@TYPE] [client_ids:i+@ID]
client|no-evict 78v Aa - enabled(ON|OFF)
client|no-touch 78v - - enabled(ON|OFF)
client|pause 78v Aa - timeout:i [mode(WRITE|ALL)]
client|reply 78v - - action(ON|OFF|SKIP)
client|setinfo 78v - - attr<LIB-NAME/libname{libname@LIB-NAME}|LIB-VER/libver{libver@LIB-VER}>
client|setname 78v - - connection_name
client|tracking 78v - - status(ON|OFF) [client_id:i@REDIRECT] [prefixs+@@PREFIX] bcast!BCAST optin!OPTIN optout!OPTOUT noloop!NOLOOP
client|trackinginfo 78v - -
client|unblock 78v Aa - client_id:i [unblock_type(TIMEOUT|ERROR)]
client|unpause 78v Aa -
cluster 78v c -
clusterscan v r 1 cursor [match_pattern@MATCH] [count:i@COUNT] [type@TYPE] [slot:i@SLOT]
cluster|addslots 78v Aa - slots:i+
cluster|addslotsrange 78v Aa - ranges{start_slot:i end_slot:i}+
cluster|bumpepoch 78v Aa -
cluster|cancelslotmigrations v Aa -
cluster|count-failure-reports 78v Aa - node_id
cluster|countkeysinslot 78v - - slot:i
cluster|delslots 78v Aa - slots:i+
cluster|delslotsrange 78v Aa - ranges{start_slot:i end_slot:i}+
cluster|failover 78v Aa - [options(FORCE|TAKEOVER)]
cluster|flushslot v Aaw - slot:i [flush_type(ASYNC|SYNC)]
cluster|flushslots 78v Aa -
cluster|forget 78v Aa - node_id
cluster|getkeysinslot 78v - - slot:i count:i
cluster|getslotmigrations v Aa -
cluster|help 78v - -
cluster|info 78v - -
cluster|keyslot 78v - - key
cluster|links 78v - -
cluster|meet 78v Aa - ip port:i [cluster_bus_port:i]
cluster|migrateslots v Aa - migration_groups{'SLOTSRANGE' ranges{start_slot:i end_slot:i}+ 'NODE' node_id}+
cluster|myid 78v - -
cluster|myshardid 78v - -
cluster|nodes 78v - -
cluster|replicas 78v Aa - node_id
cluster|replicate 78v Aa - node_id
cluster|reset 78v Aa - [reset_type(HARD|SOFT)]
cluster|saveconfig 78v Aa -
cluster|set-config-epoch 78v Aa - config_epoch:i
cluster|setslot 78v Aa - slot:i subcommand<IMPORTING/importing{importing@IMPORTING}|MIGRATING/migrating{migrating@MIGRATING}|NODE/node{node@NODE}|STABLE>
cluster|shards 78v - -
cluster|slaves 78v Aa - node_id
cluster|slot-stats 8v - - filter<slotsrange{start_slot:i end_slot:i}|orderby{metric [limit:i@LIMIT] [order(ASC|DESC)]}>
cluster|slots 78v - -
cluster|syncslots v Aa -
cms.incrby 78 w 1
cms.info 78 r 1
cms.initbydim 78 w 1
cms.initbyprob 78 w 1
cms.merge 78 w 1
cms.query 78 r 1
command 78v c -
commandlog v c -
commandlog|get v Aa - count:i type(SLOW|LARGE-REQUEST|LARGE-REPLY)
commandlog|help v - -
commandlog|len v Aa - type(SLOW|LARGE-REQUEST|LARGE-REPLY)
commandlog|reset v Aa - type(SLOW|LARGE-REQUEST|LARGE-REPLY)
command|count 78v - -
command|docs 78v - - [command_names+]
command|getkeys 78v - - command [args:v+]
command|getkeysandflags 78v - - command [args:v+]
command|help 78v - -
command|info 78v - - [command_names+]
command|list 78v - - [filterby<MODULE/module_name{module_name@MODULE}|ACLCAT/category{category@ACLCAT}|PATTERN/pattern{pattern@PATTERN}>@FILTERBY]
config 78v c -
config|get 78v Aa - parameters+
config|help 78v - -
config|resetstat 78v Aa -
config|rewrite 78v Aa -
config|set 78v Aa - datas{parameter value:v}+
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
ft._aliasaddifnx 78 r 1:1
ft._aliasdelifx 78 r 1
ft._alterifnx 78 w 1
ft._createifnx 78 w 1
ft._dropifx 78 w 1
ft._dropindexifx 78 w 1
ft._list 78 r -
ft.add 78 w 1:1
ft.aggregate 78 r 1
ft.aliasadd 78 r 1:1
ft.aliasdel 78 r 1
ft.aliasupdate 78 r 1:1
ft.alter 78 w 1
ft.config 78 r -
ft.create 78 w 1
ft.cursor 78 r 2
ft.debug 78 cr -
ft.debug|delete_local_cursors 78 r -
ft.debug|docidtoid 78 r -
ft.debug|docinfo 78 r -
ft.debug|dump_geomidx 78 r -
ft.debug|dump_hnsw 78 r -
ft.debug|dump_invidx 78 r -
ft.debug|dump_numidx 78 r -
ft.debug|dump_numidxtree 78 r -
ft.debug|dump_phonetic_hash 78 r -
ft.debug|dump_prefix_trie 78 r -
ft.debug|dump_suffix_trie 78 r -
ft.debug|dump_tagidx 78 r -
ft.debug|dump_terms 78 r -
ft.debug|gc_clean_numeric 78 r -
ft.debug|gc_continue_schedule 78 r -
ft.debug|gc_forcebginvoke 78 r -
ft.debug|gc_forceinvoke 78 r -
ft.debug|gc_stop_schedule 78 r -
ft.debug|gc_wait_for_jobs 78 r -
ft.debug|git_sha 78 r -
ft.debug|help 78 r -
ft.debug|idtodocid 78 r -
ft.debug|info_tagidx 78 r -
ft.debug|invidx_summary 78 r -
ft.debug|numidx_summary 78 r -
ft.debug|ttl 78 r -
ft.debug|ttl_expire 78 r -
ft.debug|ttl_pause 78 r -
ft.debug|vecsim_info 78 r -
ft.del 78 w 1:1
ft.dictadd 78 r -
ft.dictdel 78 r -
ft.dictdump 78 r -
ft.drop 78 w 1
ft.dropindex 78 w 1
ft.explain 78 r 1
ft.explaincli 78 r 1
ft.get 78 r 1:1
ft.info 78 r 1
ft.mget 78 r 1:-1
ft.profile 78 r 1
ft.safeadd 78 w 1:1
ft.search 78 r 1
ft.spellcheck 78 r 1
ft.sugadd 78 w 1
ft.sugdel 78 w 1
ft.sugget 78 r 1
ft.suglen 78 r 1
ft.synadd 78 w 1
ft.syndump 78 r 1
ft.synupdate 78 w 1
ft.tagvals 78 r 1
function 78v c -
function|delete 78v w - library_name
function|dump 78v - -
function|flush 78v w - [flush_type(ASYNC|SYNC)]
function|help 78v - -
function|kill 78v - -
function|list 78v - - [library_name_pattern@LIBRARYNAME] withcode!WITHCODE
function|load 78v w - replace!REPLACE function_code
function|restore 78v w - serialized_value [policy(FLUSH|APPEND|REPLACE)]
function|stats 78v - -
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
json.arrappend 78 w 1
json.arrindex 78 r 1
json.arrinsert 78 w 1
json.arrlen 78 r 1
json.arrpop 78 w 1
json.arrtrim 78 w 1
json.clear 78 w 1
json.debug 78 r 2
json.del 78 w 1
json.forget 78 w 1
json.get 78 r 1
json.merge 78 w 1
json.mget 78 r 1
json.mset 78 w 1:-1:3
json.numincrby 78 w 1
json.nummultby 78 w 1
json.numpowby 78 w 1
json.objkeys 78 r 1
json.objlen 78 r 1
json.resp 78 r 1
json.set 78 w 1
json.strappend 78 w 1
json.strlen 78 r 1
json.toggle 78 w 1
json.type 78 r 1
keys 78v r - pattern
lastsave 78v A -
latency 78v c -
latency|doctor 78v Aa -
latency|graph 78v Aa - event
latency|help 78v - -
latency|histogram 78v Aa - [commands+]
latency|history 78v Aa - event
latency|latest 78v Aa -
latency|reset 78v Aa - [events+]
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
memory|doctor 78v - -
memory|help 78v - -
memory|malloc-stats 78v - -
memory|purge 78v - -
memory|stats 78v - -
memory|usage 78v r 2 key:k [count:i@SAMPLES]
mget 78v r 1:-1 keys:k+
migrate 78v w 3,@KEYS/-2:-1 host port:i key_selector<key{key:k}|> destination_db:i timeout:i copy!COPY replace!REPLACE [authentication<AUTH/auth{auth@AUTH}|auth2{username password}>] [keys:k+@KEYS]
module 78v c -
module|help 78v - -
module|list 78v Aa -
module|load 78v Aa - path [args:v+]
module|loadex 78v Aa - path [configs{name value:v}+@@CONFIG] [args:v+@ARGS]
module|unload 78v Aa - name
monitor 78v Aa -
move 78v w 1 key:k db:i
mset 78v w 1:-1:2 datas{key:k value:v}+
msetex v w 1#0:1:2 numkeys#datas datas{key:k value:v}+ [condition(NX|XX)] [expiration<EX/seconds{seconds:i@EX}|PX/milliseconds{milliseconds:i@PX}|EXAT/unix_time_seconds{unix_time_seconds:i@EXAT}|PXAT/unix_time_milliseconds{unix_time_milliseconds:i@PXAT}|KEEPTTL>]
msetnx 78v w 1:-1:2 datas{key:k value:v}+
multi 78v - -
object 78v c -
object|encoding 78v r 2 key:k
object|freq 78v r 2 key:k
object|help 78v - -
object|idletime 78v r 2 key:k
object|refcount 78v r 2 key:k
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
pubsub|channels 78v p - [pattern]
pubsub|help 78v - -
pubsub|numpat 78v p -
pubsub|numsub 78v p - [channels+]
pubsub|shardchannels 78v p - [pattern]
pubsub|shardnumsub 78v p - [shardchannels+]
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
script|debug 78v - - mode(YES|SYNC|NO)
script|exists 78v - - sha1s+
script|flush 78v - - [flush_type(ASYNC|SYNC)]
script|help 78v - -
script|kill 78v - -
script|load 78v - - script
script|show v - - sha1
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
slowlog|get 78v Aa - [count:i]
slowlog|help 78v - -
slowlog|len 78v Aa -
slowlog|reset 78v Aa -
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
tdigest.add 78 w 1
tdigest.byrank 78 r 1
tdigest.byrevrank 78 r 1
tdigest.cdf 78 r 1
tdigest.create 78 w 1
tdigest.info 78 r 1
tdigest.max 78 r 1
tdigest.merge 78 w 1
tdigest.min 78 r 1
tdigest.quantile 78 r 1
tdigest.rank 78 r 1
tdigest.reset 78 w 1
tdigest.revrank 78 r 1
tdigest.trimmed_mean 78 r 1
time 78v - -
timeseries.clusterset 78 r -
timeseries.clustersetfromshard 78 r -
timeseries.forceshardsconnection 78 r -
timeseries.hello 78 r -
timeseries.infocluster 78 r -
timeseries.innercommunication 78 r -
timeseries.networktest 78 r -
timeseries.refreshcluster 78 r -
topk.add 78 w 1
topk.count 78 w 1
topk.incrby 78 w 1
topk.info 78 r 1
topk.list 78 r 1
topk.query 78 r 1
topk.reserve 78 w 1
touch 78v r 1:-1 keys:k+
ts.add 78 w 1
ts.alter 78 w 1
ts.create 78 w 1
ts.createrule 78 w 1
ts.decrby 78 w 1
ts.del 78 w 1
ts.deleterule 78 w 1
ts.get 78 r 1
ts.incrby 78 w 1
ts.info 78 r 1
ts.madd 78 w 1:-1:3
ts.mget 78 r -
ts.mrange 78 r -
ts.mrevrange 78 r -
ts.queryindex 78 r -
ts.range 78 r 1
ts.revrange 78 r 1
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
xgroup|create 78v w 2 key:k group id_selector<id{id}|$> mkstream!MKSTREAM [entriesread:i@ENTRIESREAD]
xgroup|createconsumer 78v w 2 key:k group consumer
xgroup|delconsumer 78v w 2 key:k group consumer
xgroup|destroy 78v w 2 key:k group
xgroup|help 78v - -
xgroup|setid 78v w 2 key:k group id_selector<id{id}|$> [entriesread:i@ENTRIESREAD]
xinfo 78v c -
xinfo|consumers 78v r 2 key:k group
xinfo|groups 78v r 2 key:k
xinfo|help 78v - -
xinfo|stream 78v r 2 key:k [full_block{'FULL' [count:i@COUNT]}]
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
