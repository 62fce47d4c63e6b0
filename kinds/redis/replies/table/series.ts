/** Replies of time series: samples as `{timestamp, value}`. */
import { ReplyMap, type ReplyValue } from '../../reply-value.ts';
import { utf8Of } from '../natural.ts';
import { record, type Shaped } from '../shaped.ts';
import {
  always,
  double,
  exactly,
  itemsOf,
  listShape,
  mapOf,
  orNull,
  pairedMapOf,
  type Shape,
  type Shaper,
} from '../shapes.ts';
import { optionName } from '../words.ts';

/** One sample; without any, null. With several aggregators it has `values`. */
const sample: Shape = (value) => {
  const [timestamp, ...values] = itemsOf(value) ?? [null];
  if (timestamp === undefined) return null;
  const [first, ...more] = values;
  if (first === undefined) return value;
  if (more.length > 0) return record({ timestamp, values: values.map(double) });
  return record({ timestamp, value: double(first) });
};

const samples = listShape(sample);
const labels = pairedMapOf();

/** Labels of a group, in which RESP2 hides how it was made. */
const HIDDEN: { readonly [label: string]: string } = {
  __reducer__: 'reducers',
  __source__: 'sources',
};

function labelsOf(value: ReplyValue): { readonly [name: string]: Shaped } {
  const pairs = itemsOf(value);
  if (pairs === undefined) return { labels: labels(value) };
  const told: { [name: string]: Shaped } = {};
  const own = pairs.filter((pair) => {
    const [name = null, of = null] = exactly(pair, 2) ?? [];
    const hidden = HIDDEN[utf8Of(name) ?? ''];
    const text = utf8Of(of);
    if (hidden === undefined || text === undefined || told[hidden] !== undefined) return true;
    told[hidden] = text.split(',');
    return false;
  });
  return { labels: labels(own), ...told };
}

/** Members by their names. */
interface ShapedMembers {
  readonly [name: string]: Shaped;
}

const ADDED = new Set(['aggregators', 'reducers', 'sources']);

/** What RESP3 adds to a series' labels; undefined when the parts have another shape. */
function addedMembers(parts: readonly ReplyValue[]): { [name: string]: Shaped } | undefined {
  const members: { [name: string]: Shaped } = {};
  for (const part of parts) {
    const [name = null, value, ...more] = part instanceof ReplyMap ? part.items : [];
    const items = itemsOf(value);
    const known = utf8Of(name) ?? '';
    if (items === undefined || more.length > 0 || !ADDED.has(known)) return undefined;
    if (items.length > 0) members[known] = items;
  }
  return members;
}

/** Series by their keys: a map in RESP3, in RESP2 a list with each key before the rest. */
function seriesOf(value: ReplyValue): (readonly ReplyValue[])[] | undefined {
  if (!(value instanceof ReplyMap)) {
    return itemsOf(value)?.map((item) => itemsOf(item) ?? []);
  }
  const all: ReplyValue[][] = [];
  for (let at = 0; at < value.items.length; at += 2) {
    all.push([value.items[at] ?? null, ...(itemsOf(value.items[at + 1]) ?? [])]);
  }
  return all;
}

/** @param asked what the request said; RESP3 repeats it for series that are not grouped */
const series =
  (name: string, of: Shape, asked: ShapedMembers = {}): Shape =>
  (value) => {
    const more = value instanceof ReplyMap ? {} : asked;
    const all = seriesOf(value)?.map((one) => seriesNamed(one, name, of, more));
    return all === undefined || all.includes(undefined) ? value : all.map((one) => one ?? null);
  };

/** `[key, labels, …, samples]`; undefined for any other reply. */
function seriesNamed(
  [key, itsLabels, ...parts]: readonly ReplyValue[],
  name: string,
  of: Shape,
  asked: ShapedMembers,
): Shaped | undefined {
  const data = parts.at(-1);
  const more = addedMembers(parts.slice(0, -1));
  if (key === undefined || itsLabels === undefined || data === undefined || more === undefined) {
    return undefined;
  }
  const labelled = labelsOf(itsLabels);
  const made = 'reducers' in labelled ? {} : asked;
  return record({ key, ...labelled, ...made, ...more, [name]: of(data) });
}

const chunk = mapOf({ bytesPerSample: double });

const info: Shape = mapOf({
  labels,
  rules: (value) => (itemsOf(value) ? rules(value) : mapOf()(value)),
  ignoreMaxValDiff: double,
  Chunks: orNull(listShape(chunk)),
});

/** RESP2: `[key, …]` of each; RESP3 has them by key. */
const rules: Shape = (value) => {
  const all = itemsOf(value)?.map((item) => exactly(item, 1, Number.MAX_SAFE_INTEGER) ?? []) ?? [];
  if (all.some((each) => each.length === 0)) return value;
  return new ReplyMap(all.flatMap(([key = null, ...rest]) => [key, rest]));
};

const ranges: Shaper = ({ args }) => {
  const at = args.findIndex((word) => optionName(word) === 'AGGREGATION');
  const named = at < 0 ? '' : optionName(args[at + 1]).toLowerCase();
  const asked = named === '' ? {} : { aggregators: named.split(',') };
  return series('data_points', samples, asked);
};

/** By the commands' names. */
export const SERIES: { readonly [type: string]: Shaper } = {
  'ts.get': always(sample),
  'ts.range': always(samples),
  'ts.revrange': always(samples),
  'ts.mget': always(series('data_point', sample)),
  'ts.mrange': ranges,
  'ts.mrevrange': ranges,
  'ts.info': always(info),
};
