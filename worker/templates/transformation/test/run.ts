/** Runs definitions as the gateway does, for tests. */
import type { Json, JsonObject } from '../../../../proto/json.ts';
import { Budget, type RunBounds } from '../../../language/expressions/index.ts';
import type { Compiled, Rendered, Run } from '../../compiled.ts';
import type { TransformationDefinition } from '../../definition.ts';
import { readTransformation } from '../index.ts';

/** The installation's own defaults. */
export const BOUNDS: RunBounds = { fuel: 50_000_000, depth: 200, outputBytes: 32 * 1024 * 1024 };
const NOW = Date.UTC(2026, 10, 21, 8);

/** Members of a definition that a test is about. */
export type Draft = Partial<TransformationDefinition>;

/** What a call brings besides the input. */
interface Setting {
  readonly parameters?: JsonObject;
  readonly parametersAreTexts?: boolean;
  readonly bounds?: Partial<RunBounds>;
  readonly nested?: Readonly<Record<string, Compiled>>;
  readonly signal?: AbortSignal;
}

/** A whole definition. */
export function definitionOf(draft: Draft): TransformationDefinition {
  return { name: 'Test', description: '', version: '1.0.0', transformationRules: [], ...draft };
}

/** What was read. @throws Error with the faults of the definition */
export function read(draft: Draft): Compiled {
  const { compiled, faults } = readTransformation(definitionOf(draft));
  if (compiled) return compiled;
  throw new Error(JSON.stringify(faults));
}

/** What a run brings. */
export function runOf({
  parameters = {},
  parametersAreTexts = false,
  bounds,
  nested = {},
  signal,
}: Setting = {}): Run {
  return {
    budget: new Budget({ ...BOUNDS, ...bounds }, NOW),
    parameters,
    parametersAreTexts,
    signal: signal ?? new AbortController().signal,
    nested: (id) => {
      const found = nested[id];
      if (found) return found;
      throw new Error(`${id} is not nested`);
    },
    transact: () => Promise.reject(new Error('nothing is sent')),
    send: () => Promise.reject(new Error('nothing is sent')),
  };
}

/** The output of rules that reach nothing. */
export function run(draft: Draft, input: Json, setting?: Setting): Json {
  const output = read(draft).run(input, runOf(setting));
  if (output instanceof Promise) throw new Error('gives a promise');
  return output;
}

/** The output of these rules alone. */
export function apply(rules: readonly Json[], input: Json, setting?: Setting): Json {
  return run({ transformationRules: rules }, input, setting);
}

/** What rendering finds, of rules that reach nothing. */
export function render(draft: Draft, input: Json, setting?: Setting): Rendered {
  const rendered = read(draft).render(input, runOf(setting));
  if (rendered instanceof Promise) throw new Error('gives a promise');
  return rendered;
}
