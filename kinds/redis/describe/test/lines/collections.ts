/** Lines of lists, sets, sorted sets and streams, as redis-cli takes them. */
export const COLLECTION_LINES = `
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
`;
