/** What running and rendering have in common: nested calls first, then rules, then the output's schema. */
import { GatewayError } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import { type Pieces, whole } from '../../../proto/work/pieces.ts';
import { BudgetFault } from '../../language/expressions/index.ts';
import type { CompiledSchema } from '../../language/schemas/compile.ts';
import type { Fault, Reference, Run } from '../compiled.ts';
import { type Execution, Output, type Rule } from './execution.ts';
import { endOfRun, reasonsOf, TooManyFaults } from './failure.ts';
import { callAll } from './nested.ts';
import type { Places } from './output-places.ts';
import type { ReadParameters } from './parameters.ts';
import { Rounds } from './results.ts';
import { begun } from './rule-context.ts';
import { RESULTS } from './scope.ts';
import { withSearches } from './searches.ts';

/** What was read of a definition. */
export interface Parts {
  readonly name: string;
  readonly rules: readonly Rule[];
  readonly places: Places;
  readonly references: readonly Reference[];
  readonly usesNow: boolean;
  readonly schemas: {
    readonly input: CompiledSchema | undefined;
    readonly output: CompiledSchema | undefined;
  };
  readonly readParameters: ReadParameters;
  /** Nested calls under way at a time. */
  readonly width: number;
  /** Of a template whose rules name results: the last round of its requests, -1 where it sends none. */
  readonly lastRound: number | undefined;
}

/**
 * Makes the calls of nested templates that rules are going to need; a promise where one of them is,
 * or where finding out takes long.
 */
export function callNested(parts: Parts, x: Execution): Promise<void> | undefined {
  const { rules, width, lastRound } = parts;
  if (lastRound !== undefined) {
    x.rounds = new Rounds();
    return callInRounds(parts, lastRound, x, x.rounds);
  }
  if (!rules.some(({ gather }) => gather !== undefined)) return undefined;
  const gathered = withSearches(x, () => {
    for (const { gather } of rules) gather?.(x);
  });
  if (gathered instanceof Promise) return gathered.then(() => callAll(x, width));
  return x.calls.length === 0 ? undefined : callAll(x, width);
}

/** The same, where rules name results: what a request needs is known before the round in which it goes out. */
function callInRounds(
  parts: Parts,
  last: number,
  x: Execution,
  rounds: Rounds,
): Promise<void> | undefined {
  for (; rounds.now <= last && !rounds.isStopped; rounds.now += 1) {
    const sent = after(gatherRound(parts, x, rounds), (from) => callAll(x, parts.width, from));
    if (!(sent instanceof Promise)) continue;
    return sent.then(() => {
      rounds.now += 1;
      return callInRounds(parts, last, x, rounds);
    });
  }
  return undefined;
}

/** Finds the calls of a round; answers the place of the first. */
function gatherRound({ rules }: Parts, x: Execution, rounds: Rounds): number | Promise<number> {
  const from = x.calls.length;
  const gathered = withSearches(x, () => {
    beginRules(x);
    x.spend(rules.length);
    for (const { gather } of rules) gather?.(x);
  });
  return after(gathered, () => {
    // What a failed rule would have led to, and all next to it, is not sent.
    if (rounds.isStopped) x.calls.length = from;
    for (let at = from; at < x.calls.length; at += 1) rounds.made(x.calls[at]?.rule ?? 0, at);
    return from;
  });
}

/** Rules name results again each time that they are gone through. */
function beginRules(x: Execution): void {
  if (x.rounds === undefined) return;
  x.slots[RESULTS] = {};
  x.rounds.begin();
}

/** Runs the rules: their output, as far as it came; a promise where that takes long. @throws what ends the run */
export function applyRules({ rules, places }: Parts, x: Execution): Json | Promise<Json> {
  return withSearches(x, () => {
    const output = begun(new Output(), places);
    beginRules(x);
    x.spend(1 + rules.length);
    try {
      for (const { apply } of rules) apply(x, output);
    } catch (error) {
      if (!(error instanceof TooManyFaults)) throw error;
    }
    return output.value ?? {};
  });
}

/** What is wrong with a value by a schema, if there is one; a promise where it takes long to tell. */
export function faultsBy(
  schema: CompiledSchema | undefined,
  value: Json,
  { inPieces }: Run,
): readonly Fault[] | Promise<readonly Fault[]> {
  if (schema === undefined) return [];
  const pieces = faultsInPieces(schema, value);
  const first = pieces.next();
  if (first.done) return first.value;
  return inPieces === undefined ? whole(pieces) : inPieces(pieces);
}

function* faultsInPieces(schema: CompiledSchema, value: Json): Pieces<readonly Fault[]> {
  try {
    return yield* schema.inPieces(value);
  } catch (error) {
    // Checking takes too many steps, or the value is too deep.
    if (error instanceof GatewayError && error.code === 'BAD_REQUEST') {
      return [{ path: '', message: error.message }];
    }
    throw error;
  }
}

/** Does something with what is there, or will be. */
export function after<Given, Made>(
  given: Given | Promise<Given>,
  make: (given: Given) => Made | Promise<Made>,
): Made | Promise<Made> {
  return given instanceof Promise ? given.then(make) : make(given);
}

/** The faults that a spent budget is told as; undefined for anything else. */
export function budgetFaults(
  error: unknown,
  path = 'transformationRules',
): readonly Fault[] | undefined {
  const end = endOfRun(error);
  if (!(end instanceof BudgetFault)) return undefined;
  return reasonsOf(end).map(({ isAuthored: _, ...reason }) => ({ path, ...reason }));
}
