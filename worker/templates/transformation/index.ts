/** Transformations: reads their definitions, and runs and renders what was read. Contract §8. */
import type { Json } from '../../../proto/json.ts';
import { unordered } from '../../../proto/ordered-json.ts';
import { type Pieces, whole } from '../../../proto/work/pieces.ts';
import {
  type CompiledFunctions,
  compileFunctions,
  globalNames,
  namespaceNames,
  Fault as SourceFault,
} from '../../language/expressions/index.ts';
import { compileSchema } from '../../language/schemas/compile.ts';
import type { Reading, Reference } from '../compiled.ts';
import type { TransformationDefinition } from '../definition.ts';
import { parametersOf } from './parameters.ts';
import { Places } from './places.ts';
import { Report } from './report.ts';
import { readRules } from './rules.ts';
import { Scope, TAKEN } from './scope.ts';
import { Shown } from './shown.ts';
import { Transformation } from './transformation.ts';

/** Faults of functions that are told at most; each takes one more reading of all. Spec silent. */
const FUNCTION_FAULTS_MAX = 50;

export { TRANSFORMERS } from './transformers/index.ts';

/** What a definition is, or everything that is wrong with it; read at once. */
export function readTransformation(definition: TransformationDefinition): Reading {
  return whole(transformationInPieces(definition));
}

/** As `readTransformation`, in pieces: each rule is compiled. */
export function* transformationInPieces(definition: TransformationDefinition): Pieces<Reading> {
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
  const shown = new Shown(performance.lazyEvaluation === true ? outputSchema : undefined);
  const place = { scope: new Scope(sources), places, shown, depth: 0, references };
  const list = definition.transformationRules;
  const rules = yield* readRules(list, 'transformationRules', { report }, place);
  places.settle();
  const schemas = {
    input: schemaOf(inputSchema, 'inputSchema', report),
    output: schemaOf(outputSchema, 'outputSchema', report),
  };
  if (report.faults.length > 0) return { compiled: undefined, faults: report.faults, references };
  const { parallelization } = performance;
  const compiled = new Transformation(definition, {
    name: definition.name,
    width: parallelization?.enabled === true ? parallelization.maxWorkers : 1,
    rules,
    places,
    references,
    usesNow,
    schemas,
    readParameters,
  });
  return { compiled, faults: [] };
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

function schemaOf(schema: Json | undefined, at: string, report: Report) {
  if (schema === undefined) return undefined;
  return report.try(at, () => compileSchema(unordered(schema), { at }));
}
