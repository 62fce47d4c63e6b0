/** Replies of commands on strings, hashes, sorted sets and places. Contract §6: scores as `[{member, score}]`. */
import { isList } from '../natural.ts';
import { record } from '../shaped.ts';
import {
  always,
  asGiven,
  double,
  exactly,
  itemsOf,
  listShape,
  mapOf,
  orNull,
  pairsAs,
  type Shape,
  type Shaper,
  tuple,
} from '../shapes.ts';
import { afterKeys, hasOption } from '../words.ts';

/** Members with their scores. */
const scores = pairsAs('member', 'score', double);
/** Fields may come twice: of HSCAN while the hash grows, of HRANDFIELD with a negative count. */
const fields = pairsAs('field', 'value');

/** With WITHSCORES among the words from `start` on. */
const scoredFrom =
  (start: number): Shaper =>
  (command) =>
    hasOption(command, 'WITHSCORES', start) ? scores : asGiven;

/** With WITHSCORES after the keys that a number at the beginning counts. */
const scoredAfterKeys: Shaper = (command) =>
  hasOption(command, 'WITHSCORES', afterKeys(command, 0)) ? scores : asGiven;

/** `[member, score]`, or several of them. */
const popped: Shape = (value) => {
  const items = itemsOf(value);
  if (items === undefined || items.length === 0 || isList(items[0] ?? null)) return scores(value);
  return scores(items);
};

/** `[key, member, score]`. */
const poppedFrom: Shape = (value) => {
  const [key, member, score] = exactly(value, 3) ?? [];
  if (key === undefined || member === undefined || score === undefined) return value;
  return record({ key, member, score: double(score) });
};

const ranked: Shape = (value) => {
  const [rank, score] = exactly(value, 2) ?? [];
  if (rank === undefined || score === undefined) return value;
  return record({ rank, score: double(score) });
};

const rank: Shaper = (command) => (hasOption(command, 'WITHSCORE', 2) ? ranked : asGiven);

const position: Shape = (value) => {
  const [longitude, latitude] = exactly(value, 2) ?? [];
  if (longitude === undefined || latitude === undefined) return value;
  return record({ longitude: double(longitude), latitude: double(latitude) });
};

/** What GEOSEARCH and similar commands answer for each member, in this order whatever the order of the options. */
const TOLD = [
  ['WITHDIST', 'distance', asGiven],
  ['WITHHASH', 'hash', asGiven],
  ['WITHCOORD', 'coordinates', position],
] as const;

const placesFrom =
  (start: number): Shaper =>
  (command) => {
    const told = TOLD.filter(([option]) => hasOption(command, option, start, ['FROMMEMBER']));
    if (told.length === 0) return asGiven;
    return listShape((value) => {
      const [member, ...more] = itemsOf(value) ?? [];
      if (member === undefined || more.length !== told.length) return value;
      return record({
        member,
        ...Object.fromEntries(told.map(([, name, shape], at) => [name, shape(more[at] ?? null)])),
      });
    });
  };

const increments: Shaper = (command) => (hasOption(command, 'INCR', 1) ? orNull(double) : asGiven);

/** HRANDFIELD's values come with the fields when that is asked for. */
const withValues: Shaper = (command) => (hasOption(command, 'WITHVALUES', 2) ? fields : asGiven);
const hashScan: Shaper = (command) =>
  hasOption(command, 'NOVALUES', 2, ['MATCH', 'COUNT']) ? asGiven : tuple(asGiven, fields);

/** LCS with IDX: `{matches, len}`. */
const common: Shaper = (command) => (hasOption(command, 'IDX', 2) ? mapOf() : asGiven);

/** By the commands' names. */
export const SORTED: { readonly [type: string]: Shaper } = {
  lcs: common,
  hgetall: always(mapOf()),
  hrandfield: withValues,
  hscan: hashScan,
  zadd: increments,
  zincrby: always(double),
  zscore: always(double),
  zmscore: always(listShape(orNull(double))),
  zrank: rank,
  zrevrank: rank,
  zdiff: scoredAfterKeys,
  zinter: scoredAfterKeys,
  zunion: scoredAfterKeys,
  zrandmember: scoredFrom(2),
  zrange: scoredFrom(3),
  zrevrange: scoredFrom(3),
  zrangebyscore: scoredFrom(3),
  zrevrangebyscore: scoredFrom(3),
  zscan: always(tuple(asGiven, scores)),
  zpopmin: always(popped),
  zpopmax: always(popped),
  bzpopmin: always(poppedFrom),
  bzpopmax: always(poppedFrom),
  zmpop: always(tuple(asGiven, scores)),
  bzmpop: always(tuple(asGiven, scores)),
  geopos: always(listShape(position)),
  geosearch: placesFrom(1),
  georadius: placesFrom(5),
  georadius_ro: placesFrom(5),
  georadiusbymember: placesFrom(4),
  georadiusbymember_ro: placesFrom(4),
};
