/** What FT.INFO reports: one object under both versions of the protocol. */
import { ReplyMap, type ReplyValue } from '../../reply-value.ts';
import { utf8Of } from '../natural.ts';
import { asGiven, double, itemsOf, listShape, mapOf, type Shape } from '../shapes.ts';

/** What RESP2 writes after an attribute's pairs. */
const FLAGS = new Set([
  ...['SORTABLE', 'UNF', 'NOSTEM', 'NOINDEX', 'CASESENSITIVE'],
  ...['WITHSUFFIXTRIE', 'INDEXEMPTY', 'INDEXMISSING'],
]);

/** Members that are text, also where it looks like a number. */
const TEXT = [
  ...['identifier', 'attribute', 'type', 'SEPARATOR', 'index_name', 'key_type', 'filter'],
  ...['default_language', 'language_field', 'score_field', 'payload_field', 'PHONETIC'],
  ...['last indexing error', 'last indexing error key', 'background indexing status'],
];
const AS_TEXT = Object.fromEntries(TEXT.map((name) => [name, asGiven]));

/** Measures that RESP2 gives as text. */
const measures = mapOf(AS_TEXT, double);

/** RESP2 has no list around the flags. */
const attribute: Shape = (value) => {
  const items = value instanceof ReplyMap ? undefined : itemsOf(value);
  if (items === undefined) return measures(value);
  const pairs: ReplyValue[] = [];
  const flags: ReplyValue[] = [];
  for (let at = 0; at < items.length; ) {
    const item = items[at] ?? null;
    if (at >= 6 && FLAGS.has(utf8Of(item) ?? '')) {
      flags.push(item);
      at += 1;
    } else {
      pairs.push(item, items[at + 1] ?? null);
      at += 2;
    }
  }
  return mapOf(AS_TEXT, (item) => (item === flags ? flags : double(item)))([
    ...pairs,
    'flags',
    flags,
  ]);
};

const statistics = listShape(mapOf({ 'Index Errors': mapOf() }));

/** An index's description. */
export const indexInfo: Shape = mapOf(
  {
    ...AS_TEXT,
    index_definition: measures,
    attributes: listShape(attribute),
    gc_stats: measures,
    cursor_stats: measures,
    dialect_stats: measures,
    'Index Errors': mapOf(),
    'field statistics': statistics,
    index_options: asGiven,
    stopwords_list: asGiven,
  },
  double,
);
