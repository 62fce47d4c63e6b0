/** Replies of time series: samples as `{timestamp, value}`. */
import { ReplyMap, type ReplyValue } from '../../reply-value.ts';
import { textOf } from '../natural.ts';
import { record, type Shaped } from '../shaped.ts';
import {
  always,
  double,
  itemsOf,
  listOf,
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

const samples = listOf(sample);
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
    const [name = null, of = null] = itemsOf(pair) ?? [];
    const hidden = HIDDEN[textOf(name) ?? ''];
    if (hidden !== undefined) told[hidden] = (textOf(of) ?? '').split(',');
    return hidden === undefined;
  });
  return { labels: labels(own), ...told };
}

/** What RESP3 tells of a series beside its labels, where there is something. */
function told(parts: readonly ReplyValue[]): { [name: string]: Shaped } {
  const members: { [name: string]: Shaped } = {};
  for (const part of parts) {
    const [name, value] = part instanceof ReplyMap ? part.items : [];
    const items = itemsOf(value);
    if (items === undefined || items.length === 0) continue;
    for (const known of ['aggregators', 'reducers', 'sources']) {
      if (name !== undefined && textIs(name, known)) members[known] = items;
    }
  }
  return members;
}

function textIs(value: ReplyValue, text: string): boolean {
  return textOf(value) === text;
}

/** Series by their keys: a map in RESP3, in RESP2 a list with each key before the rest. */
function seriesOf(value: ReplyValue): (readonly ReplyValue[])[] | undefined {
  if (!(value instanceof ReplyMap)) {
    return itemsOf(value)?.map((item) => itemsOf(item) ?? [item]);
  }
  const all: ReplyValue[][] = [];
  for (let at = 0; at < value.items.length; at += 2) {
    all.push([value.items[at] ?? null, ...(itemsOf(value.items[at + 1]) ?? [])]);
  }
  return all;
}

/** @param asked what the request said, which RESP3 tells of series that are no group */
const series =
  (name: string, of: Shape, asked: { readonly [name: string]: Shaped } = {}): Shape =>
  (value) =>
    seriesOf(value)?.map(([key, itsLabels, ...parts]) => {
      if (key === undefined || itsLabels === undefined) return null;
      const labelled = labelsOf(itsLabels);
      return record({
        key,
        ...labelled,
        ...(value instanceof ReplyMap || 'reducers' in labelled ? {} : asked),
        ...told(parts.slice(0, -1)),
        [name]: of(parts.at(-1) ?? null),
      });
    }) ?? value;

const chunk = mapOf({ bytesPerSample: double });

const info: Shape = mapOf({
  labels,
  rules: (value) => (itemsOf(value) ? rules(value) : mapOf()(value)),
  ignoreMaxValDiff: double,
  Chunks: orNull(listOf(chunk)),
});

/** RESP2: `[key, …]` of each; RESP3 has them by key. */
const rules: Shape = (value) => {
  const all = itemsOf(value)?.map((item) => itemsOf(item) ?? []) ?? [];
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
