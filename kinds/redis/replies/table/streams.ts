/** Replies of commands on streams: entries as `{id, fields}`, their fields as pairs, which keep their order and repetitions. */
import { pairsOf } from '../natural.ts';
import { record } from '../shaped.ts';
import {
  always,
  asGiven,
  exactly,
  integer,
  itemsOf,
  listShape,
  mapOf,
  orNull,
  pairsAs,
  type Shape,
  type Shaper,
} from '../shapes.ts';
import { hasOption } from '../words.ts';

/** One entry; the fields of one that was deleted are null. */
const entry: Shape = (value) => {
  const [id, fields] = exactly(value, 2) ?? [];
  if (id === undefined || fields === undefined) return value;
  const flat = itemsOf(fields);
  return record({ id, fields: flat === undefined ? fields : pairsOf(flat) });
};

const entries = listShape(entry);

/** By the streams' keys. */
const read: Shape = pairsAs('key', 'entries', entries);

const claimed: Shaper = (command) => (hasOption(command, 'JUSTID', 4) ? asGiven : entries);

const claimedAll: Shaper = (command) => (value) => {
  const [cursor, items, deleted] = exactly(value, 2, 3) ?? [];
  if (cursor === undefined || items === undefined) return value;
  const told = hasOption(command, 'JUSTID', 5) ? { ids: items } : { entries: entries(items) };
  // Redis 6.2 does not report deleted entries.
  return record({ cursor, ...told, deleted_ids: deleted });
};

const summary: Shape = (value) => {
  const [count, min_id, max_id, consumers] = exactly(value, 4) ?? [];
  if (count === undefined || min_id === undefined || max_id === undefined) return value;
  const each = listShape((item) => {
    const [name, pending] = exactly(item, 2) ?? [];
    return name === undefined || pending === undefined
      ? item
      : record({ name, count: integer(pending) });
  });
  return record({ count, min_id, max_id, consumers: each(consumers ?? null) });
};

const pending: Shape = (value) => {
  const [id, consumer, idle_time, delivery_count] = exactly(value, 4) ?? [];
  if (delivery_count === undefined) return value;
  return record({ id, consumer, idle_time, delivery_count });
};

const pendings: Shaper = ({ args }) => (args.length > 2 ? listShape(pending) : summary);

const group: Shape = mapOf({
  consumers: (value) => (itemsOf(value) ? listShape(mapOf())(value) : value),
});

const stream: Shape = mapOf({
  'first-entry': orNull(entry),
  'last-entry': orNull(entry),
  entries,
  groups: (value) => (itemsOf(value) ? listShape(group)(value) : value),
});

/** By the commands' names. */
export const STREAMS: { readonly [type: string]: Shaper } = {
  xrange: always(entries),
  xrevrange: always(entries),
  xread: always(read),
  xreadgroup: always(read),
  xclaim: claimed,
  xautoclaim: claimedAll,
  xpending: pendings,
  'xinfo stream': always(stream),
  'xinfo groups': always(listShape(group)),
  'xinfo consumers': always(listShape(mapOf())),
};
