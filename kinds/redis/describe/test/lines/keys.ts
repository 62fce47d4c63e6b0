/** Lines of strings, keys and hashes, as redis-cli takes them. */
export const KEY_LINES = String.raw`
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
`;
