/** Everything of a server that a read might leave otherwise than it was, as texts that can be compared. */
import type { DirectClient, Wire } from '../../../node-relay/drivers/redis/test/direct-client.ts';

/** By what it is of: a key, a setting, an index, … */
export type State = ReadonlyMap<string, string>;

/** Of connections, what is theirs to keep; the rest of their line counts and reports time. */
const OF_CLIENT = /\b(?:name|db|sub|psub|ssub|multi|watch|flags|user|resp|lib-name|redir)=\S*/g;
/** Of indexes: the rest of their description counts and reports sizes. */
const OF_INDEX = ['index_definition', 'attributes', 'num_docs', 'stopwords_list', 'index_options'];
/** Counted by the server with every change of data, and what it holds besides data. */
const OF_INFO = [
  ...['rdb_changes_since_last_save', 'number_of_cached_scripts', 'number_of_functions'],
  ...['role', 'connected_slaves', 'pubsub_channels', 'pubsub_patterns', 'maxmemory'],
];

/** Reads it on a connection of its own. */
export async function stateOf(
  direct: DirectClient,
  dictionaries: Iterable<string>,
): Promise<State> {
  const state = new Map<string, string>();
  const asked: Promise<void>[] = [];
  const ask = (name: string, words: readonly (string | Buffer)[], read = textOf) => {
    asked.push(direct.send(...words).then((reply) => void state.set(name, read(reply))));
  };
  const keys = ((await direct.send('KEYS', '*')).parts ?? []).map(
    ({ text }) => text ?? Buffer.alloc(0),
  );
  for (const key of keys) {
    const name = `key ${key.toString('latin1')}`;
    // `SORT_RO` of a sorted set makes its table a larger one for good: what it holds is compared instead.
    const { text: type } = await direct.send('TYPE', key);
    const isSortedSet = type?.toString() === 'zset';
    ask(`${name}, bytes`, isSortedSet ? ['ZRANGE', key, '0', '-1', 'WITHSCORES'] : ['DUMP', key]);
    ask(`${name}, expiry`, ['PEXPIRETIME', key]);
  }
  ask('settings', ['CONFIG', 'GET', '*'], pairs);
  ask('users', ['ACL', 'LIST']);
  ask('log of users', ['ACL', 'LOG'], (reply) => String(reply.parts?.length));
  ask('functions', ['FUNCTION', 'DUMP']);
  ask('slow log', ['SLOWLOG', 'LEN']);
  ask('channels', ['PUBSUB', 'CHANNELS']);
  ask('server', ['INFO', 'everything'], infoOf);
  ask('clients', ['CLIENT', 'LIST'], clientsOf);
  ask('modules', ['MODULE', 'LIST'], (reply) => String(reply.parts?.length));
  ask("search's settings", ['FT.CONFIG', 'GET', '*'], sorted);
  for (const each of dictionaries) ask(`dictionary ${each}`, ['FT.DICTDUMP', each], sorted);
  for (const { text = Buffer.alloc(0) } of (await direct.send('FT._LIST')).parts ?? []) {
    ask(`index ${text}`, ['FT.INFO', text], indexOf);
    ask(`synonyms of ${text}`, ['FT.SYNDUMP', text], sorted);
  }
  await Promise.all(asked);
  return state;
}

/** What differs, by name. */
export function differencesOf(before: State, after: State): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter(
    (name) => before.get(name) !== after.get(name) && !isOver(name, before, after),
  );
}

/** Whether it is of a key that is gone because its time has passed. */
function isOver(name: string, before: State, after: State): boolean {
  const [key = ''] = /^key .*(?=, (?:bytes|expiry)$)/s.exec(name) ?? [];
  const [ends = ''] = /\d+$/.exec(before.get(`${key}, expiry`) ?? '') ?? [];
  return key !== '' && !after.has(name) && ends !== '' && Number(ends) <= Date.now();
}

function textOf({ text, parts, type }: Wire): string {
  if (parts) return `${type}[${parts.map(textOf).join(',')}]`;
  return `${type}${text?.toString('latin1')}`;
}

function sorted({ parts = [] }: Wire): string {
  return parts.map(textOf).sort().join(',');
}

/** The server's table has another order after a while. */
function pairs({ parts = [] }: Wire): string {
  const names = parts.flatMap((_, at) => (at % 2 === 0 ? [parts.slice(at, at + 2)] : []));
  return names
    .map((pair) => pair.map(textOf).join('='))
    .sort()
    .join(',');
}

function infoOf({ text }: Wire): string {
  const lines = String(text).split('\r\n');
  return lines.filter((line) => OF_INFO.some((each) => line.startsWith(`${each}:`))).join(',');
}

function clientsOf({ text }: Wire): string {
  const lines = String(text)
    .split('\n')
    .map((line) => (line.match(OF_CLIENT) ?? []).join(' '));
  return [...new Set(lines)].sort().join('\n');
}

function indexOf({ parts = [] }: Wire): string {
  const known = parts.flatMap((part, at) =>
    at % 2 === 0 && OF_INDEX.includes(String(part.text)) ? parts.slice(at, at + 2) : [],
  );
  return known.map(textOf).join(',');
}

/** Where two texts part, with a little of each. */
export function partingOf(one = '', other = ''): string {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  const near = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 30), at + 30));
  return `${near(one)} became ${near(other)}`;
}
