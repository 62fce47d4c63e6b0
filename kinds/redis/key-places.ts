/** Where keys are, where a server's own account of it is wrong or none. In the notation of the generated tables. */
export const KEYS: Readonly<Record<string, string>> = {
  'cms.merge': '1,2#0:1:1',
  'json.mget': '1:-2',
  'tdigest.merge': '1,2#0:1:1',
  'ts.createrule': '1:1',
  'ts.deleterule': '1:1',
  'memory usage': '2',
};
