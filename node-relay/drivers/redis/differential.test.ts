/** Every command of three servers through the driver, and through a connection of its own to a twin: no value is lost or made up. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  isPipeline,
  type RedisCommand,
  type RedisRequest,
  type Word,
} from '../../../kinds/redis/command.ts';
import { withoutAddresses } from '../../../kinds/redis/replies/index.ts';
import { commandFrom } from '../../../kinds/redis/table.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { OnceMark } from '../../../proto/once.ts';
import { ownRedis, type RedisServer } from '../../../test/servers/redis-server.ts';
import { digestOf } from '../contract-once.ts';
import { callOf, jsonOf, openClient } from '../test/host.ts';
import { type RedisClient, redis } from './index.ts';
import { markNames } from './once-name.ts';
import { CORE } from './test/differential/core.ts';
import { differenceOf, leavesOfJson, leavesOfWire } from './test/differential/leaves.ts';
import { likenessOf, NOT_COMPARED, POORER } from './test/differential/likeness.ts';
import { JSON_VALUES, PROBABLE, SERIES, VECTORS } from './test/differential/modules.ts';
import { SEARCH } from './test/differential/search.ts';
import { SERVER, SESSION } from './test/differential/server.ts';
import { SORTED, STREAMS } from './test/differential/sets.ts';
import { commandsIn } from './test/differential/words.ts';
import { DirectClient } from './test/direct-client.ts';

const GROUPS = Object.entries({
  CORE,
  SORTED,
  STREAMS,
  JSON_VALUES,
  PROBABLE,
  SERIES,
  VECTORS,
  SEARCH,
  SERVER,
});
/** The others are about the server as a whole, which has its marks, too. How vectors are linked is random. */
const KEPT = GROUPS.filter(([name]) => name !== 'SERVER');
const JSON_COMMANDS = new Set([
  'json.get',
  'json.mget',
  'json.arrpop',
  'json.toggle',
  'vgetattr',
  'vsim',
]);

const compared = new Set<string>();

/** The command as it travels. */
function commandOf([name = Buffer.alloc(0), ...rest]: readonly Buffer[]): RedisCommand {
  const args = rest.map((bytes): Word => {
    const text = bytes.toString();
    return Buffer.from(text).equals(bytes) ? text : { $bytes: bytes.toString('base64') };
  });
  return commandFrom(name.toString().toLowerCase(), args);
}

type Run = (request: RedisRequest) => Promise<Uint8Array>;

let marks = 0;

/** A mark that no write has left. */
function newMark(): OnceMark {
  marks += 1;
  const [key, secret] = [digestOf(`key ${marks}`), digestOf(`secret ${marks}`)];
  return { key, body: digestOf('body'), place: 'causeway_once', secret };
}

/** Keys that a write may have left besides its own; none where its keys lie in several slots. */
function marksOf(request: RedisRequest, mark: OnceMark): Word[] {
  try {
    return Object.values(markNames(isPipeline(request) ? request.pipeline : [request], mark));
  } catch {
    return ['none'];
  }
}

/** What cannot be kept with its mark runs as it does without. */
function isNotKept(thrown: unknown): boolean {
  return thrown instanceof GatewayError && thrown.message.includes('config.once');
}

/**
 * What a request answers with a mark, and what its repeat does where it was kept; as without a mark where it cannot
 * have one. Its marks are gone afterwards.
 */
async function keptOnce(
  session: RedisClient,
  request: RedisRequest,
): Promise<readonly [Uint8Array, Uint8Array?]> {
  const mark = newMark();
  const once = () => session.once({ request }, mark, callOf('write'));
  try {
    const { result } = await once();
    const again = await once();
    return again.isReplay ? [result, again.result] : [result];
  } catch (thrown) {
    if (!isNotKept(thrown)) throw thrown;
    return [await session.run(request, callOf('write'))];
  } finally {
    await session.run({ type: 'del', args: marksOf(request, mark) }, callOf('write'));
  }
}

/** What the driver says: the result's values, or the server's error. */
async function toldBy(run: Run, command: RedisCommand): Promise<string[]> {
  try {
    const { result } = jsonOf(await run(command)) as { result: unknown };
    return leavesOfJson(result);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const [detail] = error.details;
    return [detail && 'message' in detail ? String(detail.message) : error.message];
  }
}

async function difference(run: Run, direct: DirectClient, words: Buffer[]): Promise<string[]> {
  const command = commandOf(words);
  const { type } = command;
  // Of some families the server reports no subcommands.
  for (const name of [type, type.split(' ')[0] ?? '']) compared.add(name);
  // Some errors tell the name as it was written; the driver writes it small.
  const [name = '', ...rest] = words;
  const isJson = JSON_COMMANDS.has(type) && !words.some((word) => String(word) === 'INDENT');
  const said = leavesOfWire(await direct.send(String(name).toLowerCase(), ...rest), isJson);
  const told = await toldBy(run, command);
  const unlike = differenceOf(said.map(withoutAddresses), told, likenessOf(type));
  // An index takes in what is there already while others go on.
  if (type === 'ft.create') await new Promise((resolve) => setTimeout(resolve, 300));
  return unlike === undefined ? [] : [`${words.join(' ').slice(0, 90)}: ${unlike}`];
}

describe.each([
  ['redis-8', 3],
  ['redis-8', 2],
  ['redis-7', 3],
  ['valkey-9', 3],
] as const)('%s over RESP%i', (product, protocol) => {
  let servers: RedisServer[] = [];
  let session: RedisClient;
  let direct: DirectClient;
  let names: string[] = [];

  beforeAll(async () => {
    servers = await Promise.all([ownRedis({ product }), ownRedis({ product })]);
    const [own, twin] = servers;
    const connection = { url: `${own?.url}?protocol=${protocol}` };
    session = await openClient(redis, { connection, mode: 'write' });
    direct = await DirectClient.connect(twin?.url ?? '');
    const list = await direct.send('COMMAND', 'LIST');
    names = (list.parts ?? []).map(({ text }) => String(text).toLowerCase().replace('|', ' '));
  });
  afterAll(async () => {
    await session.close();
    direct.close();
    await Promise.all(servers.map((server) => server.stop()));
  });

  /** Those lines of a text that this server has commands for. */
  const linesOf = (text: string) =>
    commandsIn(text).filter((words) => {
      const { type } = commandOf(words);
      const [parent = ''] = type.split(' ');
      const hasSubcommands = names.some((each) => each.startsWith(`${parent} `));
      if (protocol === 2 && POORER.some((line) => line.test(words.join(' ')))) return false;
      return names.includes(hasSubcommands ? type : parent) || type === 'nosuchcommand';
    });

  test.each(GROUPS)('answers the same: %s', async (_, text) => {
    await direct.send('FLUSHALL');
    const run: Run = (request) => session.run(request, callOf('write'));
    await run({ type: 'flushall', args: [] });
    const unlike: string[] = [];
    for (const words of linesOf(text)) unlike.push(...(await difference(run, direct, words)));
    expect(unlike).toEqual([]);
  });

  test.each(KEPT)('answers the same, and again, where it is kept once: %s', async (_, text) => {
    await direct.send('FLUSHALL');
    await session.run({ type: 'flushall', args: [] }, callOf('write'));
    const [unlike, replays]: [string[], Uint8Array[]] = [[], []];
    const run: Run = async (request) => {
      const [first, again] = await keptOnce(session, request);
      if (again) replays.push(again);
      if (again && Buffer.compare(first, again) !== 0) unlike.push(`again: ${request.type}`);
      return first;
    };
    const lines = linesOf(text).filter(([name]) => String(name).toLowerCase() !== 'vlinks');
    for (const words of lines) unlike.push(...(await difference(run, direct, words)));
    expect(unlike).toEqual([]);
    expect(replays.length > 0).toBe(lines.length > 0);
  });

  test('answers the same in a session', async () => {
    const lease = await session.lease(callOf('write'));
    const run: Run = (request) => lease.run(request, callOf('write'));
    const unlike: string[] = [];
    for (const words of linesOf(SESSION)) unlike.push(...(await difference(run, direct, words)));
    await lease.close();
    expect(unlike).toEqual([]);
  });

  test('has no command that is neither compared nor said not to be', async () => {
    const isContainer = (name: string) => names.some((each) => each.startsWith(`${name} `));
    const excused = (name: string) => NOT_COMPARED.some(([pattern]) => pattern.test(name));
    const left = names.filter(
      (name) => !compared.has(name) && !excused(name) && !isContainer(name),
    );
    const count = names.filter((name) => excused(name) && !compared.has(name)).length;
    process.stdout.write(`${product}: ${names.length} commands, ${count} of them not compared\n`);
    expect(left).toEqual([]);
  });
});
