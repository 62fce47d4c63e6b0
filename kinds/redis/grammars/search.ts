/** Members of search, its suggestions and JSON: their servers say nothing about them. Source: redis.io/docs/latest/commands. */

const LIMIT = "[limit{'LIMIT' offset:i num/count:i}]";
const PARAMS = "[params{'PARAMS' nargs##params params/pairs{name value:v}+}]";
const DIALECT = '[dialect:i@DIALECT]';
const FIELDS = "[fields{'FIELDS' count#fields fields+}]";
const SKIP = 'skip_initial_scan/skip!SKIPINITIALSCAN';
/** What an index knows of one field. A vector's attributes follow its type. */
const FIELD = [
  'name/field_name [as@AS] type/attribute_type(TEXT|TAG|NUMERIC|GEO|VECTOR|GEOSHAPE)',
  '[vector{algorithm(FLAT|HNSW|SVS-VAMANA) nargs##attributes attributes{name value:v}+}]',
  '[coordinates(FLAT|SPHERICAL)] no_stem!NOSTEM [weight:d@WEIGHT] [phonetic@PHONETIC]',
  '[separator@SEPARATOR] case_sensitive!CASESENSITIVE with_suffix_trie!WITHSUFFIXTRIE',
  'index_empty!INDEXEMPTY index_missing!INDEXMISSING sortable!SORTABLE unf!UNF no_index!NOINDEX',
].join(' ');
const INDEX = [
  "[on(HASH|JSON)@ON] [prefix{'PREFIX' count#prefix prefix/prefixes+}] [filter@FILTER]",
  '[language@LANGUAGE] [language_field@LANGUAGE_FIELD] [score:d@SCORE] [score_field@SCORE_FIELD]',
  '[payload_field@PAYLOAD_FIELD] max_text_fields!MAXTEXTFIELDS [temporary:i@TEMPORARY]',
  'no_offsets!NOOFFSETS no_hl!NOHL no_fields!NOFIELDS no_freqs!NOFREQS',
  "[stop_words{'STOPWORDS' count#words [words/stop_words+]}] skip_initial_scan!SKIPINITIALSCAN",
].join(' ');
const GROUP =
  "'GROUPBY' nargs#property property+ [groups/reducers{reduce{'REDUCE' function nargs#args [args+]} [as@AS]}+]";
const SEARCH = [
  'no_content!NOCONTENT verbatim!VERBATIM no_stop_words!NOSTOPWORDS with_scores!WITHSCORES',
  'with_payloads!WITHPAYLOADS with_sort_keys!WITHSORTKEYS',
  '[filters{field/numeric_field@FILTER min:d max:d}+]',
  '[geo_filters{field/geo_field@GEOFILTER longitude/lon:d latitude/lat:d radius:d unit(m:m|km:km|mi:mi|ft:ft)}+]',
  "[in_keys{'INKEYS' count#keys keys:k+}] [in_fields{'INFIELDS' count#fields fields+}]",
  "[return{'RETURN' count##fields fields/identifiers{name/identifier/field [as/property@AS]}+}]",
  `[summarize{'SUMMARIZE' ${FIELDS} [frags:i@FRAGS] [len:i@LEN] [separator@SEPARATOR]}]`,
  `[highlight{'HIGHLIGHT' ${FIELDS} [tags{'TAGS' open close}]}]`,
  '[slop:i@SLOP] [timeout:i@TIMEOUT] in_order!INORDER [language@LANGUAGE] [expander@EXPANDER]',
  '[scorer@SCORER] explain_score!EXPLAINSCORE [payload:v@PAYLOAD]',
  '[sort_by{field@SORTBY [order(ASC|DESC)] with_count!WITHCOUNT}]',
  `${LIMIT} ${PARAMS} ${DIALECT}`,
].join(' ');
const LOADED = "load<*{'LOAD' '*'}|fields{'LOAD' count#field field+}>";
const SORTED = "sort_by{'SORTBY' nargs##by by/property{property [order(ASC|DESC)]}+ [max:i@MAX]}";
const APPLIED = 'apply{expression@APPLY name/as@AS}';
/** The members' own order is one of many: here the caller says which. */
const STEPS = `[steps<load{${LOADED}}|group_by{${GROUP}}|${SORTED}|${APPLIED}|limit{'LIMIT' offset:i num/count:i}|filter{filter@FILTER}>+]`;
const AGGREGATE = [
  `verbatim!VERBATIM [${LOADED}] [timeout:i@TIMEOUT] [group_by{${GROUP}}+]`,
  `[${SORTED}] [${APPLIED}+] ${LIMIT} [filter@FILTER] ${STEPS}`,
  "[with_cursor{'WITHCURSOR' [count:i@COUNT] [max_idle:i@MAXIDLE]}]",
  `${PARAMS} [scorer@SCORER] add_scores!ADDSCORES ${DIALECT}`,
].join(' ');
const PATH = 'key:k [path]';

export const SEARCHES: Readonly<Record<string, string>> = {
  'ft.aggregate': `index query ${AGGREGATE}`,
  'ft.aliasadd': 'alias index',
  'ft.aliasdel': 'alias',
  'ft.aliasupdate': 'alias index',
  'ft.alter': `index ${SKIP} 'SCHEMA' 'ADD' attribute options+`,
  'ft.config get': 'option',
  'ft.config help': '[option]',
  'ft.config set': 'option value:v',
  'ft.create': `index ${INDEX} schema{'SCHEMA' fields{${FIELD}}+}`,
  'ft.cursor del': 'index cursor_id',
  'ft.cursor read': 'index cursor_id [count:i@COUNT]',
  'ft.dictadd': 'dict terms+',
  'ft.dictdel': 'dict terms+',
  'ft.dictdump': 'dict',
  'ft.dropindex': 'index dd!DD',
  'ft.explain': `index query ${DIALECT}`,
  'ft.explaincli': `index query ${DIALECT}`,
  'ft.info': 'index',
  'ft.profile': 'index profile_type(SEARCH|AGGREGATE) limited!LIMITED query@QUERY',
  'ft.search': `index query ${SEARCH}`,
  'ft.spellcheck': `index query [distance:i@DISTANCE] [terms{'TERMS' inclusion/kind(INCLUDE|EXCLUDE) dictionary/dict [terms+]}+] ${DIALECT}`,
  'ft.sugadd': 'key:k string score:d incr!INCR [payload:v@PAYLOAD]',
  'ft.sugdel': 'key:k string',
  'ft.sugget':
    'key:k prefix fuzzy!FUZZY with_scores!WITHSCORES with_payloads!WITHPAYLOADS [max:i@MAX]',
  'ft.suglen': 'key:k',
  'ft.syndump': 'index',
  'ft.synupdate': 'index synonym_group_id skip_initial_scan!SKIPINITIALSCAN terms+',
  'ft.tagvals': 'index field_name',
  'ft._list': '',
  'json.arrappend': 'key:k [path?$] value:j+',
  'json.arrindex': 'key:k path value:j [range{start:i [stop/end:i]}]',
  'json.arrinsert': 'key:k path index:i value:j+',
  'json.arrlen': PATH,
  'json.arrpop': 'key:k [path{path [index:i]}]',
  'json.arrtrim': 'key:k path start:i stop:i',
  'json.clear': PATH,
  'json.debug help': '',
  'json.debug memory': PATH,
  'json.del': PATH,
  'json.forget': PATH,
  'json.get': 'key:k [indent@INDENT] [newline@NEWLINE] [space@SPACE] [path+]',
  'json.merge': 'key:k path value:j',
  'json.mget': 'keys:k+ path',
  'json.mset': 'set{key:k path value:j}+',
  'json.numincrby': 'key:k path value:d',
  'json.nummultby': 'key:k path value:d',
  'json.numpowby': 'key:k path value:d',
  'json.objkeys': PATH,
  'json.objlen': PATH,
  'json.resp': PATH,
  'json.set': 'key:k path value:j [options/rule/condition(NX|XX)]',
  'json.strappend': 'key:k [path] value:j',
  'json.strlen': PATH,
  'json.toggle': 'key:k path',
  'json.type': PATH,
};
