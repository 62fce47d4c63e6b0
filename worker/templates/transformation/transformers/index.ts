/** All transformers, and how rules name them. Contract §8, §13. */
import { isJsonObject, isRawJson, type Json } from '../../../../proto/json.ts';
import { plainNumber } from '../../../../proto/passed.ts';
import { faultOf as faultOfText, PathFault } from '../../../language/paths/fault.ts';
import { Path } from '../../../language/paths/path.ts';
import type { Execution } from '../execution.ts';
import { RuleFault } from '../failure.ts';
import { Members } from '../report.ts';
import { ENCODE } from './encode.ts';
import { LIST } from './list.ts';
import { NUMBER } from './number.ts';
import { OBJECT } from './object.ts';
import { TEXT } from './text.ts';
import type { Argument, Passing, Transformer } from './transformer.ts';

export type { Argument, Transformer } from './transformer.ts';

/** Every transformer there is, with what its documentation says. */
export const TRANSFORMERS: readonly Transformer[] = [
  ...TEXT,
  ...NUMBER,
  ...LIST,
  ...OBJECT,
  ...ENCODE,
];

const BY_NAME: ReadonlyMap<string, Transformer> = new Map(
  TRANSFORMERS.map((each) => [each.name, each]),
);

/** A transformer with its arguments, as a rule names it. */
export interface Step {
  readonly name: string;
  /** @throws RuleFault, RunOver */
  readonly apply: (value: Passing, x: Execution) => Passing;
}

/** Reads `transformers` of a rule. */
export function stepsOf(rule: Members): readonly Step[] {
  const list = rule.list('transformers') ?? [];
  return list.flatMap((each, index) => {
    const at = `${rule.at('transformers')}.${index}`;
    if (typeof each === 'string') return stepOf(each, [], at, at, rule);
    if (!isJsonObject(each)) {
      rule.report.add(at, 'must be the name of a transformer, or an object {name, args}');
      return [];
    }
    const members = new Members(each, at, rule.report);
    members.refuseOthers(['name', 'args'], 'a transformer');
    const [name, args = []] = [members.needText('name'), members.list('args')];
    return name === undefined
      ? []
      : stepOf(name, args, members.at('name'), members.at('args'), rule);
  });
}

function stepOf(
  name: string,
  args: readonly Json[],
  at: string,
  atArgs: string,
  { report }: Members,
): Step[] {
  const transformer = BY_NAME.get(name);
  if (transformer === undefined) {
    report.add(at, `${name} is no transformer: there are ${[...BY_NAME.keys()].join(', ')}`);
    return [];
  }
  const fault = faultOf(transformer, args, atArgs);
  if (fault !== undefined) {
    report.add(fault.path, fault.message);
    return [];
  }
  return [{ name, apply: applying(transformer, args.map(argumentOf(transformer))) }];
}

/** An argument as it is read: what is only put keeps how its numbers are written. */
function argumentOf({ args = [] }: Transformer): (value: Json, at: number) => Json {
  return (value, at) => (args[at]?.kind === 'any' ? value : plainNumber(value));
}

/** What a refusal costs: the host notes where each is thrown, some eight microseconds. */
export const REFUSAL_STEPS = 400;

/** Charges a look at every character of a text, and at every digit of a number kept as text. @throws RunOver */
export function payInput(value: NonNullable<Json>, x: Execution): void {
  if (typeof value === 'string') x.spend(1 + (value.length >> 2));
  else x.spend(1 + (isRawJson(value) ? value.rawJSON.length >> 2 : 0));
}

/** Null and what is not there pass through; what goes wrong is told with the name. */
function applying(transformer: Transformer, args: readonly Json[]): Step['apply'] {
  const { name, ofNothing, passesNumbers = false } = transformer;
  const change = transformer.make(args);
  return (value, x) => {
    if (value === undefined || value === null)
      return ofNothing === undefined ? value : ofNothing(args);
    payInput(value, x);
    try {
      return change(passesNumbers ? value : plainNumber(value), x);
    } catch (error) {
      if (!(error instanceof RuleFault)) throw error;
      x.spend(REFUSAL_STEPS);
      throw new RuleFault(`${name} ${error.message}`);
    }
  };
}

function faultOf({ name, args = [] }: Transformer, given: readonly Json[], at: string) {
  const least = args.filter((each) => !each.isOptional && !each.isRest).length;
  const most = args.some((each) => each.isRest) ? Number.POSITIVE_INFINITY : args.length;
  if (given.length < least || given.length > most) {
    return { path: at, message: `${name} ${countOf(least, most, args)}, not ${given.length}` };
  }
  for (const [index, value] of given.entries()) {
    const argument = args[Math.min(index, args.length - 1)];
    const message = argument && faultOfArgument(argument, value);
    if (message !== undefined) return { path: `${at}.${index}`, message: `${name} ${message}` };
  }
  return undefined;
}

function countOf(least: number, most: number, args: readonly Argument[]): string {
  if (most === 0) return 'takes no arguments';
  const names = args.map((each) => each.name).join(', ');
  const count =
    least === most
      ? String(least)
      : most === Number.POSITIVE_INFINITY
        ? `at least ${least}`
        : `${least} to ${most}`;
  return `takes ${count} ${most === 1 ? 'argument' : 'arguments'} (${names})`;
}

function faultOfArgument(argument: Argument, value: Json): string | undefined {
  const { name, kind } = argument;
  if (kind === 'any') return undefined;
  if (kind === 'integer') return faultOfInteger(argument, value);
  if (typeof kind !== 'string') {
    return kind.some((each) => each === value)
      ? undefined
      : `takes one of ${kind.join(', ')} as ${name}`;
  }
  if (kind === 'path') return faultOfPath(name, value);
  if (typeof value === 'string') return undefined;
  return kind === 'text' ? `takes a text as ${name}` : `takes the name of a member as ${name}`;
}

function faultOfPath(name: string, value: Json): string | undefined {
  if (typeof value !== 'string') return `takes a path as ${name}`;
  try {
    new Path(value);
    return undefined;
  } catch (fault) {
    if (!(fault instanceof PathFault)) throw fault;
    return `takes a path as ${name}: ${faultOfText(value, fault)}`;
  }
}

function faultOfInteger({ name, least, most }: Argument, given: Json): string | undefined {
  const value = plainNumber(given);
  const [from, to] = [least ?? Number.MIN_SAFE_INTEGER, most ?? Number.MAX_SAFE_INTEGER];
  const fits = typeof value === 'number' && Number.isInteger(value) && value >= from && value <= to;
  if (fits) return undefined;
  const upTo = most === undefined ? ` of at least ${least}` : ` from ${least} to ${most}`;
  return `takes an integer${least === undefined ? '' : upTo} as ${name}`;
}
