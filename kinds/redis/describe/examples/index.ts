/** Examples of requests by their families, which are those of the API's description. Source: backends.md §4.3. */
import { BITMAP, GEOSPATIAL_INDICES, HYPER_LOG_LOG, JSON_DOCUMENTS } from './bits-and-places.ts';
import { LIST, SET, SORTED_SET, STREAM } from './collections.ts';
import type { Examples } from './examples.ts';
import { GENERIC, HASH, STRING } from './keys.ts';
import {
  BLOOM_FILTER,
  COUNT_MIN_SKETCH,
  CUCKOO_FILTER,
  T_DIGEST,
  TIME_SERIES,
  TOP_K,
  VECTOR_SET,
} from './modules.ts';
import { AUTO_SUGGEST, REDIS_QUERY_ENGINE } from './search.ts';
import {
  CLUSTER_MANAGEMENT,
  CONNECTION_MANAGEMENT,
  PUB_SUB,
  SCRIPTING_AND_FUNCTIONS,
  SERVER_MANAGEMENT,
  TRANSACTIONS,
} from './server.ts';

/** By the family's name, as people write it. */
export const FAMILIES: Readonly<Record<string, Examples>> = {
  Strings: STRING,
  Keys: GENERIC,
  Hashes: HASH,
  Lists: LIST,
  Sets: SET,
  'Sorted sets': SORTED_SET,
  Streams: STREAM,
  Bitmaps: BITMAP,
  HyperLogLogs: HYPER_LOG_LOG,
  Places: GEOSPATIAL_INDICES,
  JSON: JSON_DOCUMENTS,
  Search: REDIS_QUERY_ENGINE,
  Suggestions: AUTO_SUGGEST,
  'Bloom filters': BLOOM_FILTER,
  'Cuckoo filters': CUCKOO_FILTER,
  'Count-min sketches': COUNT_MIN_SKETCH,
  't-digests': T_DIGEST,
  'Top-k': TOP_K,
  'Time series': TIME_SERIES,
  'Vector sets': VECTOR_SET,
  Messages: PUB_SUB,
  Transactions: TRANSACTIONS,
  Scripts: SCRIPTING_AND_FUNCTIONS,
  Connections: CONNECTION_MANAGEMENT,
  Clusters: CLUSTER_MANAGEMENT,
  Servers: SERVER_MANAGEMENT,
};
