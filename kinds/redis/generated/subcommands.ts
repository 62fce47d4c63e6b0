/**
 * Subcommands as the servers describe them, one a line: name, servers (8, 7, v for Valkey), flags,
 * where its keys are, and its members. Written by tooling/redis-table/write-table.ts.
 */
export const SUBCOMMANDS = `
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
config|get 78v Aa - parameters+
config|help 78v - -
config|resetstat 78v Aa -
config|rewrite 78v Aa -
config|set 78v Aa - datas{parameter value:v}+
function|delete 78v w - library_name
function|dump 78v - -
function|flush 78v w - [flush_type(ASYNC|SYNC)]
function|help 78v - -
function|kill 78v - -
function|list 78v - - [library_name_pattern@LIBRARYNAME] withcode!WITHCODE
function|load 78v w - replace!REPLACE function_code
function|restore 78v w - serialized_value [policy(FLUSH|APPEND|REPLACE)]
function|stats 78v - -
latency|doctor 78v Aa -
latency|graph 78v Aa - event
latency|help 78v - -
latency|histogram 78v Aa - [commands+]
latency|history 78v Aa - event
latency|latest 78v Aa -
latency|reset 78v Aa - [events+]
memory|doctor 78v - -
memory|help 78v - -
memory|malloc-stats 78v - -
memory|purge 78v - -
memory|stats 78v - -
memory|usage 78v r 2 key:k [count:i@SAMPLES]
module|help 78v - -
module|list 78v Aa -
module|load 78v Aa - path [args:v+]
module|loadex 78v Aa - path [configs{name value:v}+@@CONFIG] [args:v+@ARGS]
module|unload 78v Aa - name
object|encoding 78v r 2 key:k
object|freq 78v r 2 key:k
object|help 78v - -
object|idletime 78v r 2 key:k
object|refcount 78v r 2 key:k
pubsub|channels 78v p - [pattern]
pubsub|help 78v - -
pubsub|numpat 78v p -
pubsub|numsub 78v p - [channels+]
pubsub|shardchannels 78v p - [pattern]
pubsub|shardnumsub 78v p - [shardchannels+]
script|debug 78v - - mode(YES|SYNC|NO)
script|exists 78v - - sha1s+
script|flush 78v - - [flush_type(ASYNC|SYNC)]
script|help 78v - -
script|kill 78v - -
script|load 78v - - script
script|show v - - sha1
slowlog|get 78v Aa - [count:i]
slowlog|help 78v - -
slowlog|len 78v Aa -
slowlog|reset 78v Aa -
xgroup|create 78v w 2 key:k group id_selector<id{id}|$> mkstream!MKSTREAM [entriesread:i@ENTRIESREAD]
xgroup|createconsumer 78v w 2 key:k group consumer
xgroup|delconsumer 78v w 2 key:k group consumer
xgroup|destroy 78v w 2 key:k group
xgroup|help 78v - -
xgroup|setid 78v w 2 key:k group id_selector<id{id}|$> [entriesread:i@ENTRIESREAD]
xinfo|consumers 78v r 2 key:k group
xinfo|groups 78v r 2 key:k
xinfo|help 78v - -
xinfo|stream 78v r 2 key:k [full_block{'FULL' [count:i@COUNT]}]
`;
