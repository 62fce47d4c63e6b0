/** Transformations: reads their definitions, and runs and renders what was read. Contract §8. */
import { isJsonObject, type Json } from '../../../proto/json.ts';
import { type Pieces, whole } from '../../../proto/work/pieces.ts';
import {
  type CompiledFunctions,
  compileFunctions,
  globalNames,
  namespaceNames,
  Fault as SourceFault,
} from '../../language/expressions/index.ts';
import { compileInPieces } from '../../language/schemas/compile.ts';
import type { CompileResult, Reference } from '../compiled.ts';
import type { TransformationDefinition } from '../definition.ts';
import { Places } from './output-places.ts';
import { OutputSchema } from './output-schema.ts';
import { parametersOf } from './parameters.ts';
import { Report } from './report.ts';
import { Naming } from './results.ts';
import { DEPTH_MAX, readRules } from './rules.ts';
import { RESULTS_NAME, Scope, TAKEN } from './scope.ts';
import { Transformation } from './transformation.ts';

/** Faults of functions that are told at most; each takes one more reading of all. Spec silent. */
const FUNCTION_FAULTS_MAX = 50;

export { TRANSFORMERS } from './transformers/index.ts';

/** What a definition is, or everything that is wrong with it; read at once. */
export function readTransformation(definition: TransformationDefinition): CompileResult {
  return whole(transformationInPieces(definition));
}

/** As `readTransformation`, in pieces: each rule is compiled, and each schema within a schema. */
export function* transformationInPieces(
  definition: TransformationDefinition,
): Pieces<CompileResult> {
  const report = new Report();
  const { inputSchema, outputSchema, performanceSettings: performance = {} } = definition;
  let usesNow = false;
  const sources = {
    report,
    functions: functionsOf(definition.functions, report),
    usesNow: () => {
      usesNow = true;
    },
  };
  const references: Reference[] = [];
  const places = new Places();
  const readParameters = parametersOf(definition.parameters, report);
  const shown = new OutputSchema(performance.lazyEvaluation === true ? outputSchema : undefined);
  const list = definition.transformationRules;
  const naming = givesNames(list) ? new Naming() : undefined;
  if (naming && sources.functions?.has(RESULTS_NAME)) {
    report.add(
      `functions.${RESULTS_NAME}`,
      'is what rules with as call their results: choose another name',
    );
  }
  const place = { scope: new Scope(sources, naming), places, shown, depth: 0, references };
  const rules = yield* readRules(list, 'transformationRules', { report }, place);
  yield* places.settle();
  const schemas = {
    input: yield* schemaOf(inputSchema, 'inputSchema', report),
    output: yield* schemaOf(outputSchema, 'outputSchema', report),
  };
  if (report.faults.length > 0) return { compiled: undefined, faults: report.faults, references };
  const { parallelization } = performance;
  const compiled = new Transformation(definition, {
    name: definition.name,
    width: widthOf(parallelization, naming !== undefined),
    lastRound: naming?.extent.calls,
    rules,
    places,
    references,
    usesNow,
    schemas,
    readParameters,
  });
  return { compiled, faults: [] };
}

/** Requests of one round that go out together where a template does not say. Spec silent. */
const TOGETHER = 4;

function widthOf(
  settings: NonNullable<TransformationDefinition['performanceSettings']>['parallelization'],
  isInRounds: boolean,
): number {
  if (settings === undefined) return isInRounds ? TOGETHER : 1;
  return settings.enabled ? settings.maxWorkers : 1;
}

/** Whether any rule names its result: only then has `results` a meaning of its own. */
function givesNames(list: readonly Json[], depth = 0): boolean {
  return list.some((rule) => {
    if (!isJsonObject(rule) || depth > DEPTH_MAX) return false;
    if (Object.hasOwn(rule, 'as')) return true;
    return [rule.rules, rule.else].some(
      (each) => Array.isArray(each) && givesNames(each, depth + 1),
    );
  });
}

/** Names that expressions read as something else, so that no function may have them. Spec silent. */
const NOT_OF_FUNCTIONS: ReadonlySet<string> = new Set([
  ...TAKEN,
  ...globalNames,
  ...namespaceNames,
]);

/** Stands in for a function that cannot be read: what calls it is not at fault. */
const UNREADABLE = '() => 0';

/** Reads functions again without each that cannot be read, so that every fault is told. */
function functionsOf(
  functions: Readonly<Record<string, string>> | undefined,
  report: Report,
): CompiledFunctions | undefined {
  if (functions === undefined) return undefined;
  const sources = new Map(Object.entries(functions));
  for (const name of sources.keys()) {
    if (NOT_OF_FUNCTIONS.has(name)) {
      report.add(
        `functions.${name}`,
        'is what expressions call something else: choose another name',
      );
    }
  }
  for (let faults = 0; faults < FUNCTION_FAULTS_MAX; faults += 1) {
    try {
      return compileFunctions(Object.fromEntries(sources));
    } catch (error) {
      const { within, message, line, column } = faultIn(error);
      // One of a name that no function can have goes altogether; that was told already.
      if (sources.get(within) === UNREADABLE) {
        sources.delete(within);
        continue;
      }
      report.add(`functions.${within}`, message, { line, column });
      sources.set(within, UNREADABLE);
    }
  }
  return undefined;
}

function faultIn(error: unknown) {
  if (!(error instanceof SourceFault)) throw error;
  const { within = '', message, line, column } = error;
  return { within, message, line, column };
}

function* schemaOf(schema: Json | undefined, at: string, report: Report) {
  if (schema === undefined) return undefined;
  return yield* report.tryInPieces(at, compileInPieces(schema, { at }));
}
