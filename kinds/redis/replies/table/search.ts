/** Replies of the search module: documents as `{id, score?, payload?, sort_key?, fields}`. */
import type { RedisCommand } from '../../command.ts';
import { ReplyMap, type ReplyValue } from '../../reply-value.ts';
import { isList, pairsOf, utf8Of } from '../natural.ts';
import { Members, record, type Shaped } from '../shaped.ts';
import {
  always,
  asGiven,
  double,
  entriesOf,
  exactly,
  itemsOf,
  listShape,
  mapOf,
  orNull,
  pairedMapOf,
  type Shape,
  type Shaper,
} from '../shapes.ts';
import { hasOption, optionName } from '../words.ts';
import { indexInfo } from './search-info.ts';

/** A score, which EXPLAINSCORE makes a list with its explanation. */
function scored(value: ReplyValue): { score: Shaped; explanation?: Shaped } {
  const [score, explanation] = exactly(value, 2) ?? [value];
  const told = double(score ?? null);
  return explanation === undefined ? { score: told } : { score: told, explanation };
}

/** What RESP3 calls the parts of a document, and what they become. */
const PARTS: {
  readonly [name: string]: (value: ReplyValue) => { readonly [name: string]: Shaped };
} = {
  id: (id) => ({ id }),
  score: scored,
  payload: (payload) => ({ payload }),
  sortkey: (sort_key) => ({ sort_key }),
  extra_attributes: (value) => ({ fields: fields(value) }),
  values: (values) => (itemsOf(values)?.length === 0 ? {} : { values }),
};

const fields = mapOf();

/** The same parts as an object with names of ours; parts that are not known keep theirs. */
const document: Shape = (value) => {
  if (!(value instanceof ReplyMap) || hasTwice(value)) return value;
  const members: { [name: string]: Shaped } = {};
  for (let at = 0; at < value.items.length; at += 2) {
    const name = utf8Of(value.items[at] ?? null) ?? '';
    const part = value.items[at + 1] ?? null;
    Object.assign(members, Object.hasOwn(PARTS, name) ? PARTS[name]?.(part) : { [name]: part });
  }
  return record(members);
};

/** Whether a name is there twice, because an object would lose one. */
function hasTwice({ items }: ReplyMap): boolean {
  const names = items.filter((_, at) => at % 2 === 0).map((name) => utf8Of(name));
  return names.includes(undefined) || new Set(names).size < names.length;
}

/** Members of the whole, of RESP3, except for those that say nothing. */
const found: Shape = (value) => {
  if (!(value instanceof ReplyMap)) return value;
  const told = mapOf({ results: listShape(document) })(value);
  if (!(told instanceof Members)) return told;
  return new Members(
    pairsOf(told.items).flatMap(([name = null, part = null]) =>
      saysNothing(utf8Of(name), part) ? [] : [name, part],
    ),
  );
};

/** RESP2 has none of these. */
function saysNothing(name: string | undefined, part: Shaped): boolean {
  if (name === 'format') return utf8Of(part) === 'STRING';
  return (name === 'attributes' || name === 'warning') && isList(part) && part.length === 0;
}

/** What of a document is before its fields in RESP2, in that order. */
const BEFORE = [
  ['WITHSCORES', 'score'],
  ['WITHPAYLOADS', 'payload'],
  ['WITHSORTKEYS', 'sortkey'],
] as const;
/** Words of FT.SEARCH that are followed by a value. */
const VALUES = [
  'PAYLOAD',
  'SORTBY',
  'LANGUAGE',
  'SCORER',
  'EXPANDER',
  'SLOP',
  'TIMEOUT',
  'DIALECT',
];

/** RESP2: the count, then of each document its id, what was asked for, and its fields. */
function flatSearch(command: RedisCommand, items: readonly ReplyValue[]): Shaped {
  const [total_results = null, ...rest] = items;
  const asked = BEFORE.filter(([option]) => hasOption(command, option, 2, VALUES));
  const hasFields = !hasOption(command, 'NOCONTENT', 2, VALUES) && !returnsNothing(command);
  const width = 1 + asked.length + (hasFields ? 1 : 0);
  if (rest.length % width !== 0) return items;
  const results: Shaped[] = [];
  for (let at = 0; at < rest.length; at += width) {
    const [id = null, ...parts] = rest.slice(at, at + width);
    const named = asked.map(([, name], index) => PARTS[name]?.(parts[index] ?? null));
    const last = hasFields ? { fields: orNull(fields)(parts.at(-1) ?? null) } : {};
    results.push(record(Object.assign({ id }, ...named, last)));
  }
  return record({ total_results, results });
}

function returnsNothing({ args }: RedisCommand): boolean {
  const at = args.findIndex((word) => optionName(word) === 'RETURN');
  return at > 1 && optionName(args[at + 1]) === '0';
}

/** RESP2: the count, then the fields of each row. */
function flatAggregate(items: readonly ReplyValue[]): Shaped {
  const [total_results = null, ...rows] = items;
  return record({ total_results, results: rows.map((row) => record({ fields: fields(row) })) });
}

const search: Shaper = (command) => (value) => {
  const items = itemsOf(value);
  return items === undefined ? found(value) : flatSearch(command, items);
};

const rows: Shape = (value) => {
  const items = itemsOf(value);
  return items === undefined ? found(value) : flatAggregate(items);
};

/** With a cursor: `[rows, cursor]`. */
const withCursor: Shape = (value) => {
  const [result, cursor, ...more] = itemsOf(value) ?? [];
  if (result === undefined || cursor === undefined || more.length > 0 || !isWhole(result)) {
    return rows(value);
  }
  const told = rows(result);
  return told instanceof Members ? new Members([...told.items, 'cursor', cursor]) : told;
};

function isWhole(value: ReplyValue): boolean {
  return value instanceof ReplyMap || isList(value);
}

const aggregate: Shaper = (command) => (hasOption(command, 'WITHCURSOR', 2) ? withCursor : rows);

/** RESP2: `[result, profile]`; RESP3 has the profile among the members of the result, or next to it. */
const profile: Shaper = (command) => (value) => {
  const [result, told, ...more] = itemsOf(value) ?? [];
  if (result === undefined || told === undefined || more.length > 0) {
    return value instanceof ReplyMap && !hasMember(value, 'Results')
      ? found(value)
      : mapOf({ Results: found })(value);
  }
  const isSearch = optionName(command.args[1]) === 'SEARCH';
  const shaped = isSearch ? search({ ...command, args: [] })(result) : rows(result);
  return shaped instanceof Members ? new Members([...shaped.items, 'profile', told]) : shaped;
};

function hasMember({ items }: ReplyMap, name: string): boolean {
  return items.some((item, at) => at % 2 === 0 && utf8Of(item) === name);
}

/** Suggestions, with what was asked for after each. */
const suggestions: Shaper = (command) => {
  const asked: (readonly [string, Shape])[] = [];
  if (hasOption(command, 'WITHSCORES', 2)) asked.push(['score', double]);
  if (hasOption(command, 'WITHPAYLOADS', 2)) asked.push(['payload', asGiven]);
  if (asked.length === 0) return asGiven;
  return (value) => {
    const items = itemsOf(value);
    if (items === undefined || items.length % (asked.length + 1) !== 0) return value;
    return items.flatMap((string, at) => {
      if (at % (asked.length + 1) !== 0) return [];
      const told = asked.map(([name, of], index) => [name, of(items[at + 1 + index] ?? null)]);
      return [record({ string, ...Object.fromEntries(told) })];
    });
  };
};

/** RESP2: `["TERM", term, [[score, suggestion], …]]` of each; RESP3: `{results: {term: [{suggestion: score}]}}`. */
const spelling: Shape = (value) => {
  if (!(value instanceof ReplyMap)) {
    return listShape((item) => {
      const [word, term = null, told = null] = exactly(item, 3) ?? [];
      if (word === undefined || utf8Of(word) !== 'TERM') return item;
      return record({ term, suggestions: listShape(scoredFirst)(told) });
    })(value);
  }
  const entries = value.items.length === 2 ? entriesOf(value.items[1] ?? null) : undefined;
  if (entries === undefined || utf8Of(value.items[0] ?? null) !== 'results') return value;
  return entries.flatMap((term, at) =>
    at % 2 === 0
      ? [record({ term, suggestions: listShape(suggestion)(entries[at + 1] ?? null) })]
      : [],
  );
};

const scoredFirst: Shape = (value) => {
  const [score, told] = exactly(value, 2) ?? [];
  if (score === undefined || told === undefined) return value;
  return record({ suggestion: told, score: double(score) });
};

const suggestion: Shape = (value) => {
  const [told, score, ...more] = entriesOf(value) ?? [];
  if (told === undefined || score === undefined || more.length > 0) return value;
  return record({ suggestion: told, score: double(score) });
};

/** By the commands' names. */
export const SEARCH: { readonly [type: string]: Shaper } = {
  'ft.search': search,
  'ft.hybrid': search,
  'ft.aggregate': aggregate,
  'ft.cursor read': always(withCursor),
  'ft.profile': profile,
  'ft.info': always(indexInfo),
  'ft.get': always(orNull(mapOf())),
  'ft.mget': always(listShape(orNull(mapOf()))),
  'ft.sugget': suggestions,
  'ft.spellcheck': always(spelling),
  'ft.syndump': always(mapOf()),
  'ft.config get': always(pairedMapOf()),
  'ft.config help': always(configHelp),
};

/** RESP2: `[option, name, value, …]` of each. */
function configHelp(value: ReplyValue): Shaped {
  if (value instanceof ReplyMap) return mapOf({}, mapOf())(value);
  const items = itemsOf(value);
  if (items === undefined || items.some((item) => !itemsOf(item)?.length)) return value;
  return new Members(
    items.flatMap((item) => {
      const [name = null, ...rest] = itemsOf(item) ?? [];
      return [name, mapOf()(rest)];
    }),
  );
}
