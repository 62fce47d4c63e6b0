/** Replies of commands on the server, its users, scripts, channels and peers. */
import { ReplyMap, type ReplyValue } from '../../reply-value.ts';
import { utf8Of } from '../natural.ts';
import { record } from '../shaped.ts';
import {
  always,
  binary,
  double,
  exactly,
  itemsOf,
  listOf,
  mapOf,
  orNull,
  plain,
  type Shape,
  type Shaper,
  tuple,
} from '../shapes.ts';

const maps = always(listOf(mapOf()));
const map = always(mapOf());

const user: Shape = mapOf({ selectors: listOf(mapOf()) });
const refusals: Shape = listOf(mapOf({ 'age-seconds': double }));

/** Arguments of a command have arguments of their own. */
const argument: Shape = (value) => mapOf({ arguments: listOf(argument) })(value);
const documented: Shape = (value) =>
  mapOf({}, mapOf({ arguments: listOf(argument), subcommands: documented }))(value);

/** Where a command's keys are. */
const keys = listOf(
  mapOf({ begin_search: mapOf({ spec: mapOf() }), find_keys: mapOf({ spec: mapOf() }) }),
);
const described: Shape = (value) =>
  tuple(
    ...[plain, plain, plain, plain, plain, plain, plain, plain],
    keys,
    listOf(described),
  )(value);

const library = mapOf({ functions: listOf(mapOf()) });
const running = mapOf({ running_script: orNull(mapOf()), engines: mapOf({}, mapOf()) });

const slow = recordOf(
  'id',
  'timestamp',
  'duration_micros',
  'command',
  'client_address',
  'client_name',
);
const latest = recordOf('event', 'timestamp', 'latest', 'maximum');
const measured = recordOf('timestamp', 'latency');
const replica = recordOf('host', 'port', 'offset');
const histogram = mapOf({}, mapOf({ histogram_usec: mapOf() }));

/** A list whose places have names; more than these stay away, fewer leave names away. */
function recordOf(...names: readonly string[]): Shape {
  return (value) => {
    const items = itemsOf(value);
    if (items === undefined || items.length > names.length) return value;
    return record(Object.fromEntries(items.map((item, at) => [names[at] ?? '', item])));
  };
}

/** What each role answers about itself. */
const ROLES: { readonly [role: string]: Shape } = {
  master: (value) => {
    const [role, offset, replicas] = exactly(value, 3) ?? [];
    if (role === undefined) return value;
    return record({ role, offset, replicas: listOf(replica)(replicas ?? []) });
  },
  slave: recordOf('role', 'master_host', 'master_port', 'state', 'offset'),
  sentinel: recordOf('role', 'masters'),
};

const role: Shape = (value) => {
  const [name = null] = itemsOf(value) ?? [];
  const shape = ROLES[utf8Of(name) ?? ''];
  return shape === undefined ? value : shape(value);
};

/** MEMORY STATS has maps of databases among its numbers. */
const memory: Shape = mapOf({}, (value: ReplyValue) =>
  itemsOf(value) || value instanceof ReplyMap ? mapOf()(value) : double(value),
);

const shard = mapOf({ nodes: listOf(mapOf()) });

/** By the commands' names. */
export const SERVER: { readonly [type: string]: Shaper } = {
  dump: always(binary),
  'function dump': always(binary),
  'config get': map,
  'memory stats': always(memory),
  'module list': maps,
  'acl getuser': always(orNull(user)),
  'acl log': always(refusals),
  command: always(listOf(orNull(described))),
  'command info': always(listOf(orNull(described))),
  'command docs': always(documented),
  'function list': always(listOf(library)),
  'function stats': always(running),
  'latency histogram': always(histogram),
  'latency latest': always(listOf(latest)),
  'latency history': always(listOf(measured)),
  'slowlog get': always(listOf(slow)),
  'commandlog get': always(listOf(slow)),
  role: always(role),
  'pubsub numsub': map,
  'pubsub shardnumsub': map,
  'client trackinginfo': map,
  'cluster shards': always(listOf(shard)),
  'cluster links': maps,
  'cluster slot-stats': always(listOf(tuple(plain, mapOf()))),
  hello: always(mapOf({ modules: listOf(mapOf()) })),
  'sentinel masters': maps,
  'sentinel replicas': maps,
  'sentinel slaves': maps,
  'sentinel sentinels': maps,
  'sentinel master': map,
};
