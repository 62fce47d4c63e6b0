/** Requests to Redis: members, or words, become the command as it travels. */
import * as z from 'zod';
import { isJsonObject, type Json, type JsonObject } from '../../proto/json.ts';
import { meantName } from '../../proto/near-name.ts';
import { TIMEOUT_MAX_MS } from '../members.ts';
import type { RedisCommand, RedisRequest as Request, Word } from './command.ts';
import { modeOfCommand } from './effects.ts';
import type { Scope } from './grammar.ts';
import { wordsOf } from './members.ts';
import { REWRITES } from './rewrites.ts';
import { splitLine } from './split.ts';
import { allCommands, commandFrom, commandNamed, isContainer, isName } from './table.ts';
import { anyWord, type Fault, WordFault } from './words.ts';

/** Most commands of a pipeline. Spec silent. */
export const PIPELINE_MAX = 20_000;
/** Most words of a command: what servers take at all. Source: redis.io, `PROTO_MAX_MULTIBULK`. */
const WORDS_MAX = 1_048_576;

/** A request, however it was written. What it answers is read in the same way again. */
export const RedisRequest: z.ZodType<Request> = z.unknown().transform((given, context) => {
  const faults: Fault[] = [];
  const request = requestOf(given as JsonObject, faults); // The caller has checked it.
  if (faults.length === 0) return request;
  for (const { path, message } of faults) {
    context.addIssue({ code: 'custom', path: path.split('.'), message });
  }
  return z.NEVER;
});

function requestOf(given: JsonObject, faults: Fault[]): Request {
  const { timeout_ms, ...members } = given;
  const timeout = timeoutOf(timeout_ms, faults);
  const { type } = members;
  if (type === 'pipeline') return { ...pipelineOf(members, faults), ...timeout };
  return { ...commandOf(members, '', faults), ...timeout };
}

function timeoutOf(value: Json | undefined, faults: Fault[]): { timeout_ms?: number } {
  if (value === undefined) return {};
  const isRight =
    typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= TIMEOUT_MAX_MS;
  if (isRight) return { timeout_ms: value };
  faults.push({ path: 'timeout_ms', message: `must be an integer from 1 to ${TIMEOUT_MAX_MS}` });
  return {};
}

function pipelineOf({ type: _, pipeline, ...others }: JsonObject, faults: Fault[]) {
  for (const path of Object.keys(others)) {
    faults.push({ path, message: 'is not a member of a pipeline, whose commands have their own' });
  }
  const commands: RedisCommand[] = [];
  if (!Array.isArray(pipeline) || pipeline.length < 1 || pipeline.length > PIPELINE_MAX) {
    const message = `must be a list of 1 to ${PIPELINE_MAX} commands`;
    faults.push({ path: 'pipeline', message });
    return { type: 'pipeline' as const, pipeline: commands };
  }
  for (const [at, each] of pipeline.entries()) {
    const prefix = `pipeline.${at}.`;
    if (isJsonObject(each))
      commands.push(commandOf(withoutKind(each, prefix, faults), prefix, faults));
    else faults.push({ path: `pipeline.${at}`, message: 'must be an object with a type' });
  }
  return { type: 'pipeline' as const, pipeline: commands };
}

/** As of a request of its own, its kind may be next to it. */
function withoutKind(
  { kind, ...members }: JsonObject,
  prefix: string,
  faults: Fault[],
): JsonObject {
  const isRight =
    kind === undefined || (typeof kind === 'string' && /^(?:redis|valkey)$/i.test(kind));
  if (!isRight) faults.push({ path: `${prefix}kind`, message: 'must be Redis' });
  return members;
}

/** Faults of a pipeline that get a hint with a near name: looking for one takes longer than all else. Spec silent. */
const HINTED_MAX = 10;

const NONE: RedisCommand = { type: '', args: [] };

/** Names what is wrong, and answers what stands for the command then. */
type Refuse = (path: string, message: string) => RedisCommand;

/** One command; what is wrong is named with `prefix`. */
function commandOf({ type, ...given }: JsonObject, prefix: string, faults: Fault[]): RedisCommand {
  const refuse: Refuse = (path, message) => {
    faults.push({ path: `${prefix}${path}`, message });
    return NONE;
  };
  if (type === undefined) return refuse('type', 'is required, such as get');
  if (typeof type !== 'string') return refuse('type', 'must be text');
  const name = type.toLowerCase();
  if (!isName(name)) return refuse('type', 'must be the name of a command, without its words');
  if (name === 'pipeline') return refuse('type', 'must be a command: a pipeline has none within');
  if (name.startsWith('raw_command')) return rawCommand(name, given, refuse);
  const { args } = given;
  if (args !== undefined && !Array.isArray(args)) return refuse('args', 'must be a list of words');
  const command = commandFrom(name, argsOf(args ?? [], refuse));
  const entry = commandNamed(command.type);
  const unknown = entry === undefined ? unknownSubcommand(command.type) : undefined;
  if (unknown !== undefined) return refuse('type', unknown);
  const subcommands = args === undefined ? subcommandsOf(command.type) : [];
  if (subcommands.length > 0)
    return refuse('type', `needs one of ${subcommands.join(', ')} behind it`);
  const isWords = args !== undefined && Object.keys(given).length === 1;
  const isHinted = faults.length < HINTED_MAX;
  return isWords ? command : byMembers(command.type, entry?.grammar, given, refuse, isHinted);
}

/** The command that members say; `args` next to them mean nothing, unless they are one of its members. */
function byMembers(
  type: string,
  grammar: Scope | undefined,
  given: JsonObject,
  refuse: Refuse,
  isHinted: boolean,
): RedisCommand {
  const { args: _, ...members } = given;
  if (grammar === undefined) return refuse('type', unknownCommand(type, isHinted));
  const faults: Fault[] = [];
  const all = grammar.slots.has('args') ? given : members;
  const words = wordsOf(grammar, REWRITES[type]?.(all) ?? all, faults);
  for (const { path, message } of faults) refuse(path, message);
  return { type, args: words };
}

function unknownCommand(type: string, isHinted: boolean): string {
  const names = isHinted ? [...allCommands()].map(({ name }) => name) : [];
  const meant = meantName(type, names);
  const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
  return `is not a command whose members are known: give its words in args, a list${hint}`;
}

/** The subcommands of a name that is not a command by itself. */
function subcommandsOf(type: string): string[] {
  // Alone, it lists all commands.
  if (type === 'command' || !isContainer(type)) return [];
  const parent = `${type} `;
  const names = [...allCommands()].map(({ name }) => name);
  return names.flatMap((name) => (name.startsWith(parent) ? name.slice(parent.length) : []));
}

/** Why a name of two words is not a command. */
function unknownSubcommand(name: string): string | undefined {
  const [first = '', second] = name.split(' ');
  if (second === undefined || commandNamed(first) === undefined) return undefined;
  return isContainer(first)
    ? `is not known: ${first} has no subcommand ${second}`
    : `must be ${first} alone: its words stand in members, or in args`;
}

/** The words of `args`. */
function argsOf(args: readonly Json[], refuse: Refuse): Word[] {
  if (args.length > WORDS_MAX) refuse('args', `must be at most ${WORDS_MAX} words`);
  return args.map((each, at) => {
    try {
      return anyWord(each);
    } catch (thrown) {
      if (!(thrown instanceof WordFault)) throw thrown;
      refuse(`args.${at}`, thrown.message);
      return '';
    }
  });
}

/** A command as one text, or as the list of its words. Source: backends.md §4.3, "raw". */
function rawCommand(type: string, members: JsonObject, refuse: Refuse): RedisCommand {
  const { command, ...others } = members;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    return refuse(unknown, 'is not a member of this command; it has command');
  }
  const [name, ...args] = rawWords(command, refuse);
  if (typeof name !== 'string' || !isName(name) || name.includes(' '))
    return refuse('command', RAW);
  const meant = commandFrom(name, args);
  if (type === 'raw_command') return meant;
  if (type !== 'raw_command_read_only') return refuse('type', 'is not the name of a command');
  if (modeOfCommand(meant) === 'read') return meant;
  return refuse('command', `must only read: ${meant.type} may write`);
}

const RAW = 'must be a command with its words: a text quoted as redis-cli takes it, or a list';

function rawWords(command: Json | undefined, refuse: Refuse): readonly Word[] {
  const words = typeof command === 'string' ? splitLine(command) : command;
  if (!Array.isArray(words)) return [];
  return argsOf(words, (path, message) => refuse(path.replace('args', 'command'), message));
}
