/** Lines of search and suggestions, as redis-cli takes them. */
export const SEARCH_LINES = `
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
`;
