/** Functions of ClickHouse's by what they do: what is not known to compute only may not be called on `/read`. */
import { AGGREGATES, COMBINATORS } from './aggregates.ts';
import { OF_OTHER_SERVERS, PLAIN } from './plain.ts';
import { TYPES } from './types.ts';

const list = (...texts: string[]): ReadonlySet<string> =>
  new Set(texts.join(' ').trim().split(/\s+/));

/** Table functions that stay on the server, in memory or in its own tables. Source: system.table_functions of 26.9. */
const TABLE_FUNCTIONS = `
  format fuzzjson fuzzquery generate_series generaterandom generateseries loop merge
  mergetreeanalyzeindexes mergetreeanalyzeindexesuuid mergetreecodecblockcounts mergetreeindex
  mergetreeprojection mergetreetextindex null numbers numbers_mt primes sqlstandardvalues
  timeseriesdata timeseriesmetricfamilies timeseriesmetrics timeseriessamples timeseriesselector
  timeseriestags values view viewifpermitted zeros zeros_mt`;

const HARMLESS = list(PLAIN, OF_OTHER_SERVERS, AGGREGATES, TYPES, TABLE_FUNCTIONS);
const AGGREGATE = list(AGGREGATES);

/** Words of the grammar that may be before a parenthesis, unquoted. */
export const WORDS_BEFORE_PARENTHESES = list(`
  all and any apply array as asof anti asc ast between by case columns cross cube cte desc describe
  distinct div else end estimate except exists explain fill filter final from full global group
  having ilike in inner intersect interpolate interval is join left like limit materialized mod not
  offset on or order over partition pipeline plan prewhere qualify query range replace right rollup
  row rows sample select semi sets settings step syntax table then to totals tree union using
  values when where with within`);

/**
 * They read files, call programs, models or other servers, count up what is kept, write to logs or
 * reveal the server's own program: refused wherever their name is, with a parenthesis or
 * without. Table functions are called with a parenthesis only.
 */
export const REFUSED = list(`
  addresstoline addresstolinewithinlines addresstosymbol aiclassify aiembed aiextract aifilter
  aigenerate airedact aisimilarity aitranslate catboostevaluate demangle file flamegraph
  generateserialid getclienthttpheader hascolumnintable logtrace modelevaluate`);

/** They take a lambda, or in its place the name of a function, as their first argument. Source: system.functions of 26.9. */
export const HIGHER_ORDER = list(`
  arrayall arrayavg arraybottomk arraycompact arraycount arraycumsum arraycumsumnonnegative
  arraydifference arrayexists arrayfill arrayfilter arrayfirst arrayfirstindex arrayfirstornull
  arrayfold arraylast arraylastindex arraylastornull arraymap arraymax arraymin
  arraypartialreversesort arraypartialsort arrayproduct arrayreversefill arrayreversesort
  arrayreversesplit arraysort arraysplit arraysum arraytopk mapall mapapply mapexists mapfilter
  mappartialreversesort mappartialsort mapreversesort mapsort`);

/** Whether a function, a table function or a type of this name is known to compute or to tell only. */
export function isHarmless(name: string): boolean {
  const lower = name.toLowerCase();
  return HARMLESS.has(lower) || isAggregate(lower);
}

/** Whether it is an aggregate function, with any combinators. */
export function isAggregate(name: string): boolean {
  const lower = name.toLowerCase();
  if (AGGREGATE.has(lower)) return true;
  return COMBINATORS.some(
    (ending) => lower.endsWith(ending) && isAggregate(lower.slice(0, -ending.length)),
  );
}
