/** Stages and commands that are read for what they name. Source: MongoDB manual, "Aggregation Stages", "Database Commands". */

/** Stages that name no collection, and look at the pipeline's own alone. */
export const STAGES: ReadonlySet<string> = new Set([
  ...['$addFields', '$bucket', '$bucketAuto', '$collStats', '$count', '$densify', '$documents'],
  ...['$fill', '$geoNear', '$group', '$indexStats', '$limit', '$match', '$project', '$redact'],
  ...['$replaceRoot', '$replaceWith', '$sample', '$search', '$searchMeta', '$set', '$vectorSearch'],
  ...['$setWindowFields', '$skip', '$sort', '$sortByCount', '$unset', '$unwind'],
  '$changeStreamSplitLargeEvent',
]);

/** Run code that is not read. */
export const SCRIPTS: ReadonlySet<string> = new Set(['$where', '$function', '$accumulator']);

/** Commands, and what their first member names; in lower case. */
export const COMMANDS: {
  readonly [name: string]: 'collection' | 'aggregate' | 'command' | 'nothing';
} = {
  ping: 'nothing',
  aggregate: 'aggregate',
  explain: 'command',
  ...Object.fromEntries(
    [
      ...['find', 'count', 'distinct', 'insert', 'update', 'delete', 'findandmodify', 'collstats'],
      ...['createindexes', 'dropindexes', 'listindexes', 'drop'],
    ].map((name) => [name, 'collection'] as const),
  ),
};
