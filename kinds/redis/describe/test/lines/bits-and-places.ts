/** Lines of bitmaps, HyperLogLogs, places and JSON, as redis-cli takes them. */
export const BIT_AND_PLACE_LINES = String.raw`
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
`;
