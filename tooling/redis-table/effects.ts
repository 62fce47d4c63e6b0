/** The three lists of commands: a change of one is written here. Contract §6. */

/** What `/read` takes. */
export const READS = `
acl cat, acl genpass, acl whoami, bf.card, bf.debug, bf.exists, bf.info, bf.mexists,
bf.scandump, bitcount, bitfield_ro, bitpos, cf.count, cf.debug, cf.exists, cf.info, cf.mexists,
cf.scandump, cluster info, cluster keyslot, cluster myid, cluster shards, cluster slots,
clusterscan, cms.info, cms.query, command, command count, command docs, command getkeys,
command getkeysandflags, command help, command info, command list, dbsize, dump, echo, exists,
expiretime, ft._list, ft.aggregate, ft.config get, ft.config help, ft.cursor read, ft.dictdump,
ft.explain, ft.explaincli, ft.get, ft.info, ft.mget, ft.profile, ft.search, ft.spellcheck,
ft.sugget, ft.suglen, ft.syndump, ft.tagvals, geodist, geohash, geopos, georadius_ro,
georadiusbymember_ro, geosearch, get, getbit, getrange, hexists, hexpiretime, hget, hgetall,
hkeys, hlen, hmget, hpexpiretime, hpttl, hrandfield, hscan, hstrlen, httl, hvals, info,
json.arrindex, json.arrlen, json.debug help, json.debug memory, json.get, json.mget,
json.objkeys, json.objlen, json.resp, json.strlen, json.type, keys, lastsave, lcs, lindex,
llen, lolwut, lpos, lrange, memory usage, mget, object encoding, object freq, object help,
object idletime, object refcount, pexpiretime, pfcount, ping, psubscribe, pttl,
pubsub channels, pubsub help, pubsub numpat, pubsub numsub, pubsub shardchannels,
pubsub shardnumsub, punsubscribe, randomkey, role, scan, scard, sdiff, sinter, sintercard,
sismember, smembers, smismember, sort_ro, srandmember, sscan, ssubscribe, strlen, subscribe,
substr, sunion, sunsubscribe, tdigest.byrank, tdigest.byrevrank, tdigest.cdf, tdigest.info,
tdigest.max, tdigest.min, tdigest.quantile, tdigest.rank, tdigest.revrank,
tdigest.trimmed_mean, time, topk.info, topk.list, topk.query, touch, ts.get, ts.info, ts.mget,
ts.mrange, ts.mrevrange, ts.queryindex, ts.range, ts.revrange, ttl, type, unsubscribe, vcard,
vdim, vemb, vgetattr, vinfo, vismember, vlinks, vrandmember, vsim, wait, xinfo consumers,
xinfo groups, xinfo help, xinfo stream, xlen, xpending, xrange, xread, xrevrange, zcard,
zcount, zdiff, zinter, zintercard, zlexcount, zmscore, zrandmember, zrange, zrangebylex,
zrangebyscore, zrank, zrevrange, zrevrangebylex, zrevrangebyscore, zrevrank, zscan, zscore,
zunion
`;

/** Reads although their category is the administrators'. */
export const ADMIN_READS = ['lastsave', 'role'];

/** What `/write` takes from every caller who may write. */
export const WRITES = `
acl help, append, asking, auth, bf.add, bf.insert, bf.loadchunk, bf.madd, bf.reserve, bitfield,
bitop, blmove, blmpop, blpop, brpop, brpoplpush, bzmpop, bzpopmax, bzpopmin, cf.add, cf.addnx,
cf.compact, cf.del, cf.insert, cf.insertnx, cf.loadchunk, cf.reserve, client caching,
client capa, client getname, client getredir, client help, client id, client import-source,
client info, client no-touch, client reply, client setinfo, client setname, client tracking,
client trackinginfo, cluster countkeysinslot, cluster getkeysinslot, cluster help,
cluster links, cluster myshardid, cluster nodes, cluster slot-stats, cms.incrby, cms.initbydim,
cms.initbyprob, cms.merge, commandlog help, config help, copy, decr, decrby, del, delifeq,
discard, eval, eval_ro, evalsha, evalsha_ro, exec, expire, expireat, fcall, fcall_ro,
ft._aliasaddifnx, ft._aliasdelifx, ft._alterifnx, ft._createifnx, ft._dropifx,
ft._dropindexifx, ft.add, ft.aliasadd, ft.aliasdel, ft.aliasupdate, ft.alter, ft.create,
ft.cursor del, ft.debug delete_local_cursors, ft.debug docidtoid, ft.debug docinfo,
ft.debug dump_geomidx, ft.debug dump_hnsw, ft.debug dump_invidx, ft.debug dump_numidx,
ft.debug dump_numidxtree, ft.debug dump_phonetic_hash, ft.debug dump_prefix_trie,
ft.debug dump_suffix_trie, ft.debug dump_tagidx, ft.debug dump_terms,
ft.debug gc_clean_numeric, ft.debug gc_continue_schedule, ft.debug gc_forcebginvoke,
ft.debug gc_forceinvoke, ft.debug gc_stop_schedule, ft.debug gc_wait_for_jobs,
ft.debug git_sha, ft.debug help, ft.debug idtodocid, ft.debug info_tagidx,
ft.debug invidx_summary, ft.debug numidx_summary, ft.debug ttl, ft.debug ttl_expire,
ft.debug ttl_pause, ft.debug vecsim_info, ft.del, ft.dictadd, ft.dictdel, ft.drop,
ft.dropindex, ft.safeadd, ft.sugadd, ft.sugdel, ft.synadd, ft.synupdate, function dump,
function help, function list, function stats, geoadd, georadius, georadiusbymember,
geosearchstore, getdel, getex, getset, hdel, hello, hexpire, hexpireat, hgetdel, hgetex,
hincrby, hincrbyfloat, hmset, hpersist, hpexpire, hpexpireat, hset, hsetex, hsetnx, incr,
incrby, incrbyfloat, json.arrappend, json.arrinsert, json.arrpop, json.arrtrim, json.clear,
json.del, json.forget, json.merge, json.mset, json.numincrby, json.nummultby, json.numpowby,
json.set, json.strappend, json.toggle, latency help, linsert, lmove, lmpop, lpop, lpush,
lpushx, lrem, lset, ltrim, memory doctor, memory help, memory malloc-stats, memory purge,
memory stats, move, mset, msetex, msetnx, multi, persist, pexpire, pexpireat, pfadd, pfmerge,
psetex, publish, quit, readonly, readwrite, rename, renamenx, reset, restore, restore-asking,
rpop, rpoplpush, rpush, rpushx, sadd, script debug, script exists, script help, script load,
script show, sdiffstore, select, set, setbit, setex, setnx, setrange, sinterstore,
slowlog help, smove, sort, spop, spublish, srem, sunionstore, tdigest.add, tdigest.create,
tdigest.merge, tdigest.reset, topk.add, topk.count, topk.incrby, topk.reserve, ts.add,
ts.alter, ts.create, ts.createrule, ts.decrby, ts.del, ts.deleterule, ts.incrby, ts.madd,
unlink, unwatch, vadd, vrem, vsetattr, waitaof, watch, xack, xackdel, xadd, xautoclaim, xclaim,
xdel, xdelex, xgroup create, xgroup createconsumer, xgroup delconsumer, xgroup destroy,
xgroup help, xgroup setid, xreadgroup, xsetid, xtrim, zadd, zdiffstore, zincrby, zinterstore,
zmpop, zpopmax, zpopmin, zrangestore, zrem, zremrangebylex, zremrangebyrank, zremrangebyscore,
zunionstore
`;

/** What `/write` takes from administrators of the endpoint. */
export const ADMINS = `
acl deluser, acl dryrun, acl getuser, acl list, acl load, acl log, acl save, acl setuser,
acl users, bgrewriteaof, bgsave, client kill, client list, client no-evict, client pause,
client unblock, client unpause, cluster addslots, cluster addslotsrange, cluster bumpepoch,
cluster cancelslotmigrations, cluster count-failure-reports, cluster delslots,
cluster delslotsrange, cluster failover, cluster flushslot, cluster flushslots, cluster forget,
cluster getslotmigrations, cluster meet, cluster migrateslots, cluster replicas,
cluster replicate, cluster reset, cluster saveconfig, cluster set-config-epoch,
cluster setslot, cluster slaves, cluster syncslots, commandlog get, commandlog len,
commandlog reset, config get, config resetstat, config rewrite, config set, debug, failover,
flushall, flushdb, ft.config set, function delete, function flush, function kill,
function load, function restore, latency doctor, latency graph, latency histogram,
latency history, latency latest, latency reset, migrate, module help, module list, module load,
module loadex, module unload, monitor, pfdebug, pfselftest, psync, replconf, replicaof, save,
script flush, script kill, shutdown, slaveof, slowlog get, slowlog len, slowlog reset, swapdb,
sync, timeseries.clusterset, timeseries.clustersetfromshard, timeseries.forceshardsconnection,
timeseries.hello, timeseries.infocluster, timeseries.innercommunication,
timeseries.networktest, timeseries.refreshcluster
`;
