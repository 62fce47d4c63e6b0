/** Functions of ClickHouse's by whether they leave the server, in lower case. Source: system.table_functions and system.functions of 26.9 and older servers. */

const list = (names: string): ReadonlySet<string> => new Set(names.trim().split(/\s+/));

/** Table functions that stay on the server, in memory or in its own tables; those not here are refused. */
export const HARMLESS_TABLE_FUNCTIONS = list(`
  format fuzzjson fuzzquery generate_series generaterandom generateseries loop merge
  mergetreeanalyzeindexes mergetreeanalyzeindexesuuid mergetreecodecblockcounts mergetreeindex
  mergetreeprojection mergetreetextindex null numbers numbers_mt primes sqlstandardvalues
  timeseriesdata timeseriesmetricfamilies timeseriesmetrics timeseriessamples timeseriesselector
  timeseriestags values view viewexplain viewifpermitted zeros zeros_mt`);

/** What may stand before a parenthesis where a table does, without being a function. */
export const KEYWORDS_BEFORE_PARENTHESES = list('select with values table array tuple final');

/** Functions that reach files, programs, other servers or models, wherever they stand. */
export const LEAVING = list(`
  arrowflight arrowstream azureblobstorage azureblobstoragecluster bigquery cluster
  clusterallreplicas cosn deltalake deltalakeazure deltalakeazurecluster deltalakecluster
  deltalakelocal deltalakes3 deltalakes3cluster dictionary eval executable executablepool
  file filecluster filesystem gcs hdfs hdfscluster hive hudi hudicluster iceberg icebergazure
  icebergazurecluster icebergcluster iceberghdfs iceberghdfscluster iceberglocal
  iceberglocalcluster icebergs3 icebergs3cluster input jdbc kafka mongodb mysql nats odbc oss
  paimon paimonazure paimonazurecluster paimoncluster paimonhdfs paimonhdfscluster paimonlocal
  paimons3 paimons3cluster postgresql prometheusquery prometheusqueryrange python rabbitmq redis
  remote remotesecure s3 s3cluster sqlite timeserieslocal url urlcluster ytsaurus
  aiclassify aiembed aiextract aifilter aigenerate airedact aisimilarity aitranslate
  catboostevaluate modelevaluate logtrace
  addresstoline addresstolinewithinlines addresstosymbol demangle`);
