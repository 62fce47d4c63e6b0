/** Hosts in commands to which the server will connect: the relay checks their addresses first. Contract §6, "Admin". */

import { type RedisCommand, wordText } from '../../../kinds/redis/command.ts';
import { optionName } from '../../../kinds/redis/replies/words.ts';
import { badRequest } from '../../../proto/errors.ts';
import type { Host } from '../driver.ts';

/** Where a command's host is, its port behind it. */
const PLACES: Readonly<Record<string, number>> = {
  migrate: 0,
  replicaof: 0,
  slaveof: 0,
  'cluster meet': 0,
  'sentinel monitor': 1,
};
/** How far a node's port for its cluster lies above its own. */
const BUS_PORT_ABOVE = 10_000;
/** Peers of clusters, in forms of modules of their own. */
const NOT_TAKEN = /^(?:[\w.]*clusterset\w*|\w+\.(?:networktest|forceshardsconnection))$/;

/**
 * The command with the address that was checked instead of the host's name, so that its server
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
  const number = Number(wordText(port));
  const address = await host.vet(wordText(name), number, signal);
  const bus = busPortOf(command, at, number);
  // At the address that was checked: the name may lead elsewhere by now.
  if (bus !== undefined) await host.vet(address, bus, signal);
  return { ...command, args: command.args.with(at, address) };
}

/** The port of CLUSTER MEET to which the server connects at once: the one that is told to it, or as far above as it always is. */
function busPortOf({ type, args }: RedisCommand, at: number, port: number): number | undefined {
  if (!/^cluster\b/i.test(type.trim())) return undefined;
  const told = args[at + 2];
  return told === undefined ? port + BUS_PORT_ABOVE : Number(wordText(told));
}

/** Whether a command names a server. */
export function namesHost(command: RedisCommand): boolean {
  return placeOf(command) !== undefined;
}

/** Types that name no host, remembered: nearly all requests have one of them. */
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
    throw badRequest('type', message, message);
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
