/** Commands of the search module, one a line, each after those before it. */

/** Run in this order on an empty database. */
export const SEARCH = `
HSET doc:1 title 'hello world' price 10 tag red,blue
HSET doc:2 title 'hello there' price 20.5 tag red
HSET doc:3 title 'other thing' price 30 tag green
FT.CREATE idx ON HASH PREFIX 1 doc: SCHEMA title TEXT SORTABLE price NUMERIC SORTABLE tag TAG
FT._CREATEIFNX idx ON HASH SCHEMA title TEXT
FT._LIST
FT.SEARCH idx hello
FT.SEARCH idx hello NOCONTENT
FT.SEARCH idx hello WITHSCORES
FT.SEARCH idx hello WITHSCORES EXPLAINSCORE
FT.SEARCH idx hello WITHSCORES WITHPAYLOADS WITHSORTKEYS SORTBY price ASC
FT.SEARCH idx hello WITHSORTKEYS SORTBY price DESC
FT.SEARCH idx hello RETURN 1 title
FT.SEARCH idx hello RETURN 0
FT.SEARCH idx nothing
FT.SEARCH idx hello LIMIT 0 0
FT.SEARCH idx '@price:[0 15]' NOCONTENT WITHSCORES
FT.AGGREGATE idx * GROUPBY 1 @tag REDUCE COUNT 0 AS n SORTBY 2 @tag ASC
FT.AGGREGATE idx * LOAD 2 @title @price SORTBY 2 @price ASC
FT.AGGREGATE idx nothing
FT.AGGREGATE idx * LOAD 1 @title SORTBY 2 @title ASC WITHCURSOR COUNT 2
FT.CURSOR DEL idx 1
FT.CURSOR READ idx 1
FT.PROFILE idx SEARCH QUERY hello
FT.PROFILE idx AGGREGATE QUERY hello
FT.INFO idx
FT.EXPLAIN idx 'hello @price:[0 15]'
FT.EXPLAINCLI idx 'hello @price:[0 15]'
FT.TAGVALS idx tag
FT.SPELLCHECK idx helo
FT.SPELLCHECK idx helo INCLUDE dict TERMS
FT.SYNUPDATE idx group1 hello hi
FT.SYNDUMP idx
FT.SYNADD idx hello
FT.DICTADD dict one two
FT.DICTDUMP dict
FT.DICTDEL dict one
FT.ALIASADD alias idx
FT._ALIASADDIFNX alias idx
FT.ALIASUPDATE alias idx
FT.ALIASDEL alias
FT._ALIASDELIFX alias
FT.ALTER idx SCHEMA ADD more TEXT
FT._ALTERIFNX idx SCHEMA ADD more TEXT
FT.CONFIG GET MINPREFIX
FT.CONFIG SET MINPREFIX 2
FT.CONFIG HELP MINPREFIX
FT.SUGADD sug hello 1
FT.SUGADD sug help 2.5 PAYLOAD extra
FT.SUGGET sug hel
FT.SUGGET sug hel WITHSCORES
FT.SUGGET sug hel WITHPAYLOADS
FT.SUGGET sug hel WITHSCORES WITHPAYLOADS
FT.SUGGET sug none
FT.SUGLEN sug
FT.SUGDEL sug hello
FT.GET idx doc:1
FT.GET idx none
FT.MGET idx doc:1 none
FT.DEL idx doc:1
FT.ADD idx doc:9 1.0 FIELDS title nine
FT.SAFEADD idx doc:10 1.0 FIELDS title ten
FT.DEBUG HELP
FT.DEBUG DUMP_TERMS idx
FT.DEBUG DOCIDTOID idx doc:2
FT.DEBUG INVIDX_SUMMARY idx hello
FT.DEBUG DUMP_INVIDX idx hello
FT.DEBUG NUMIDX_SUMMARY idx price
FT.DEBUG DUMP_NUMIDX idx price
FT.DEBUG DUMP_TAGIDX idx tag
FT._DROPINDEXIFX none
FT._DROPIFX none
FT.DROPINDEX idx
FT.CREATE jdx ON JSON PREFIX 1 js: SCHEMA $.a AS a TEXT $.n AS n NUMERIC
JSON.SET js:1 $ '{"a":"hello","n":9007199254740993}'
FT.SEARCH jdx hello
FT.SEARCH jdx hello RETURN 1 a
FT.DROP jdx
`;
