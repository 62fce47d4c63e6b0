/** Commands that change nothing, whatever they are asked with. Source: MongoDB manual, "Database Commands". */

/** In lower case. */
export const READING: ReadonlySet<string> = new Set(
  [
    'ping hello ismaster buildinfo collstats dbstats count distinct find aggregate listcollections',
    'listindexes listdatabases explain connectionstatus hostinfo serverstatus datasize dbhash',
    'listcommands getcmdlineopts getparameter getlog rolesinfo usersinfo getdefaultrwconcern',
    'replsetgetstatus replsetgetconfig features whatsmyuri validate top currentop',
    'listsearchindexes shardingstate getshardmap getshardversion listshards balancerstatus',
    'isdbgrid lockinfo dbstats collstats plancachelistfilters availablequeryoptions',
  ]
    .join(' ')
    .split(' '),
);
