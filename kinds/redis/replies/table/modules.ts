/** Replies of JSON documents, filters, sketches and vectors. */
import { isJsonObject, type Json, parseJson } from '../../../../proto/json.ts';
import { ReplyDouble, ReplyMap } from '../../reply-value.ts';
import { utf8Of } from '../natural.ts';
import { JsonText, record, type Shaped } from '../shaped.ts';
import {
  always,
  asGiven,
  binary,
  double,
  itemsOf,
  json,
  listShape,
  mapOf,
  orNull,
  pairsAs,
  type Shape,
  type Shaper,
  truth,
  tuple,
} from '../shapes.ts';
import { hasOption, optionName } from '../words.ts';

/** Options with which a document is text for people. */
const LAID_OUT = ['INDENT', 'NEWLINE', 'SPACE'];

/** A document as JSON, unless it was asked for as text in a layout. */
const document: Shaper = (command) =>
  LAID_OUT.some((option) => hasOption(command, option, 1, LAID_OUT)) ? asGiven : json;

const popped: Shape = (value) => (itemsOf(value) ? listShape(json)(value) : json(value));

/** JSON text of RESP2, as the numbers that RESP3 gives: always a list. */
const numbers: Shape = (value) => {
  const text = utf8Of(value);
  if (text === undefined) return value;
  try {
    const parsed = parseJson(text);
    return (Array.isArray(parsed) ? parsed : [parsed]).map(numberOf);
  } catch {
    return value;
  }
};

/** Longer ones take more than linear time to read; as texts they are the same. */
const INTEGER = /^-?\d{1,1000}$/;

function numberOf(value: Json): Shaped {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isInteger(value) ? value : new ReplyDouble(value);
  if (isJsonObject(value) || Array.isArray(value)) return new JsonText(JSON.stringify(value));
  return INTEGER.test(value.rawJSON) ? BigInt(value.rawJSON) : new JsonText(value.rawJSON);
}

/** RESP3 gives a list for a path, and one of lists for one that begins with `$`. */
const types: Shaper = ({ args }) => {
  const isNewPath = optionName(args[1]).startsWith('$');
  return (value) => {
    const items = itemsOf(value);
    if (items === undefined) return [value];
    return isNewPath && items.every((item) => itemsOf(item) === undefined) ? [items] : items;
  };
};

const truths: Shape = (value) => (itemsOf(value) ? listShape(truth)(value) : truth(value));
const yesOrNo = always(truths);

const filter: Shaper = ({ args }) =>
  args.length === 1 ? mapOf() : oneOfFilter(optionName(args[1]));

/** RESP2 gives the value alone. */
const ASKED: { readonly [option: string]: string } = {
  CAPACITY: 'Capacity',
  SIZE: 'Size',
  FILTERS: 'Number of filters',
  ITEMS: 'Number of items inserted',
  EXPANSION: 'Expansion rate',
};

function oneOfFilter(option: string): Shape {
  return (value) => {
    const [first, ...more] = itemsOf(value) ?? [];
    const name = ASKED[option];
    if (first === undefined || name === undefined || more.length > 0) return mapOf()(value);
    return record({ [name]: first });
  };
}

const counted = pairsAs('item', 'count');
const topList: Shaper = (command) => (hasOption(command, 'WITHCOUNT', 1) ? counted : asGiven);

const doubles = always(listShape(double));

/** Where to go on, and a piece of the filter. */
const piece = always(tuple(asGiven, binary));

/** Words of VSIM that are followed by a value. */
const VALUES = ['ELE', 'FP32', 'FILTER', 'EPSILON', 'COUNT', 'EF', 'FILTER-EF'];

const similar: Shaper = (command) => {
  const isScored = hasOption(command, 'WITHSCORES', 1, VALUES);
  const hasAttributes = hasOption(command, 'WITHATTRIBS', 1, VALUES);
  if (isScored && hasAttributes) return attributed;
  if (isScored) return pairsAs('element', 'score', double);
  return hasAttributes ? pairsAs('element', 'attributes', json) : asGiven;
};

/** `[element, score, attributes, …]`, or a map of elements to the other two. */
const attributed: Shape = (value) => {
  const isMap = value instanceof ReplyMap;
  const flat = isMap ? value.items.flatMap((item) => itemsOf(item) ?? [item]) : itemsOf(value);
  if (flat === undefined || flat.length % 3 !== 0) return value;
  return flat.flatMap((element, at) =>
    at % 3 === 0
      ? [
          record({
            element,
            score: double(flat[at + 1] ?? null),
            attributes: json(flat[at + 2] ?? null),
          }),
        ]
      : [],
  );
};

const links: Shaper = (command) =>
  hasOption(command, 'WITHSCORES', 2) ? listShape(pairsAs('element', 'score', double)) : asGiven;

const embedding: Shaper = (command) =>
  hasOption(command, 'RAW', 2) ? tuple(asGiven, binary, double, double) : listShape(double);

/** By the commands' names. */
export const MODULES: { readonly [type: string]: Shaper } = {
  'json.get': document,
  'json.mget': always(listShape(json)),
  'json.arrpop': always(popped),
  'json.numincrby': always(numbers),
  'json.nummultby': always(numbers),
  'json.numpowby': always(numbers),
  'json.toggle': always(json),
  'json.type': types,
  'bf.add': yesOrNo,
  'bf.exists': yesOrNo,
  'bf.madd': yesOrNo,
  'bf.mexists': yesOrNo,
  'bf.insert': yesOrNo,
  'cf.add': yesOrNo,
  'cf.addnx': yesOrNo,
  'cf.del': yesOrNo,
  'cf.exists': yesOrNo,
  'cf.mexists': yesOrNo,
  'cf.insert': yesOrNo,
  'topk.query': yesOrNo,
  'bf.scandump': piece,
  'cf.scandump': piece,
  'bf.info': filter,
  'cf.info': always(mapOf()),
  'cms.info': always(mapOf()),
  'topk.info': always(mapOf({ decay: double })),
  'topk.list': topList,
  'tdigest.info': always(mapOf()),
  'tdigest.byrank': doubles,
  'tdigest.byrevrank': doubles,
  'tdigest.cdf': doubles,
  'tdigest.quantile': doubles,
  'tdigest.max': always(double),
  'tdigest.min': always(double),
  'tdigest.trimmed_mean': always(double),
  vadd: yesOrNo,
  vrem: yesOrNo,
  vismember: yesOrNo,
  vsetattr: yesOrNo,
  vgetattr: always(orNull(json)),
  vinfo: always(mapOf()),
  vemb: embedding,
  vlinks: links,
  vsim: similar,
};
