/** Servers that commands name, to which theirs shall connect: they pass the relay's check of addresses first. Contract §6, "Admin". */
import { GatewayError } from '../../../proto/errors.ts';
import type { RedisCommand } from '../../../proto/kinds/redis/command.ts';
import { optionName, textOfWord } from '../../../proto/kinds/redis/replies/words.ts';
import type { Host } from '../driver.ts';

/** Where a command's host stands, its port behind it. */
const PLACES: Readonly<Record<string, number>> = {
  migrate: 0,
  replicaof: 0,
  slaveof: 0,
  'cluster meet': 0,
  'sentinel monitor': 1,
};
/** Peers of clusters, in forms of modules of their own. */
const NOT_TAKEN = /^(?:[\w.]*clusterset\w*|\w+\.(?:networktest|forceshardsconnection))$/;

/**
 * The command with the address that was checked in place of the host's name, so that its server
 * cannot find another.
 * @throws GatewayError ADDRESS_REFUSED, CONNECTION_FAILED, BAD_REQUEST
 */
export async function vetted(
  command: RedisCommand,
  host: Host,
  signal: AbortSignal,
): Promise<RedisCommand> {
  const at = placeOf(command);
  if (at === undefined) return command;
  const [name, port] = [command.args[at], command.args[at + 1]];
  // Too few words: the server says so.
  if (name === undefined || port === undefined) return command;
  if (optionName(name) === 'NO' && optionName(port) === 'ONE') return command;
  const number = Number(textOfWord(port));
  const address = await host.vet(textOfWord(name), number, signal);
  return { ...command, args: command.args.with(at, address) };
}

/** Whether a command names a server. */
export function namesHost(command: RedisCommand): boolean {
  return placeOf(command) !== undefined;
}

/** Types that name none, remembered: nearly all requests are of such. */
const without = new Set<string>();
const WITHOUT_MAX = 1_000;
const PARENTS = new Set(['cluster', 'sentinel', 'failover']);

function placeOf(command: RedisCommand): number | undefined {
  const { type } = command;
  if (without.has(type)) return undefined;
  const place = findPlace(command);
  const [first = ''] = type.trim().toLowerCase().split(/\s+/);
  if (place === undefined && !PARENTS.has(first)) {
    if (without.size >= WITHOUT_MAX) without.clear();
    without.add(type);
  }
  return place;
}

function findPlace({ type, args }: RedisCommand): number | undefined {
  const [first = '', sub = ''] = type.trim().toLowerCase().split(/\s+/);
  if (NOT_TAKEN.test(first) || NOT_TAKEN.test(sub)) {
    const message = `${type} makes servers connect to each other: it is not taken`;
    throw new GatewayError('BAD_REQUEST', message, { details: [{ path: 'type', message }] });
  }
  if (first === 'failover') {
    const to = args.findIndex((word) => optionName(word) === 'TO');
    return to < 0 ? undefined : to + 1;
  }
  if (Object.hasOwn(PLACES, first)) return PLACES[first];
  const isInArgs = sub === '';
  const name = `${first} ${isInArgs ? optionName(args[0]).toLowerCase() : sub}`;
  const place = Object.hasOwn(PLACES, name) ? PLACES[name] : undefined;
  return place === undefined ? undefined : place + (isInArgs ? 1 : 0);
}
