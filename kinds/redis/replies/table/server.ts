/** Replies of commands on the server, its users, scripts, channels and peers. */
import { ReplyMap, type ReplyValue } from '../../reply-value.ts';
import { utf8Of } from '../natural.ts';
import { record } from '../shaped.ts';
import {
  always,
  asGiven,
  binary,
  double,
  exactly,
  itemsOf,
  listShape,
  mapOf,
  orNull,
  type Shape,
  type Shaper,
  tuple,
} from '../shapes.ts';

const maps = always(listShape(mapOf()));
const map = always(mapOf());

const user: Shape = mapOf({ selectors: listShape(mapOf()) });
const refusals: Shape = listShape(mapOf({ 'age-seconds': double }));

/** Arguments of a command have arguments of their own. */
const argument: Shape = (value) => mapOf({ arguments: listShape(argument) })(value);
const documented: Shape = (value) =>
  mapOf({}, mapOf({ arguments: listShape(argument), subcommands: documented }))(value);

/** Where a command's keys are. */
const keys = listShape(
  mapOf({ begin_search: mapOf({ spec: mapOf() }), find_keys: mapOf({ spec: mapOf() }) }),
);
const described: Shape = (value) =>
  tuple(
    ...[asGiven, asGiven, asGiven, asGiven, asGiven, asGiven, asGiven, asGiven],
    keys,
    listShape(described),
  )(value);

const library = mapOf({ functions: listShape(mapOf()) });
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
    return record({ role, offset, replicas: listShape(replica)(replicas ?? []) });
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

const shard = mapOf({ nodes: listShape(mapOf()) });

/** By the commands' names. */
export const SERVER: { readonly [type: string]: Shaper } = {
  dump: always(binary),
  'function dump': always(binary),
  'config get': map,
  'memory stats': always(memory),
  'module list': maps,
  'acl getuser': always(orNull(user)),
  'acl log': always(refusals),
  command: always(listShape(orNull(described))),
  'command info': always(listShape(orNull(described))),
  'command docs': always(documented),
  'function list': always(listShape(library)),
  'function stats': always(running),
  'latency histogram': always(histogram),
  'latency latest': always(listShape(latest)),
  'latency history': always(listShape(measured)),
  'slowlog get': always(listShape(slow)),
  'commandlog get': always(listShape(slow)),
  role: always(role),
  'pubsub numsub': map,
  'pubsub shardnumsub': map,
  'client trackinginfo': map,
  'cluster shards': always(listShape(shard)),
  'cluster links': maps,
  'cluster slot-stats': always(listShape(tuple(asGiven, mapOf()))),
  hello: always(mapOf({ modules: listShape(mapOf()) })),
  'sentinel masters': maps,
  'sentinel replicas': maps,
  'sentinel slaves': maps,
  'sentinel sentinels': maps,
  'sentinel master': map,
};
