/** Transformations: reads their definitions, and runs and renders what was read. Contract §8. */
import type { Json } from '../../../proto/json.ts';
import { type CompiledFunctions, compileFunctions } from '../../expressions/index.ts';
import { compileSchema } from '../../schemas/compile.ts';
import type { Reading, Reference } from '../compiled.ts';
import type { TransformationDefinition } from '../definition.ts';
import { parametersOf } from './parameters.ts';
import { Places } from './places.ts';
import { Report } from './report.ts';
import { readRules } from './rules.ts';
import { Scope } from './scope.ts';
import { Shown } from './shown.ts';
import { Transformation } from './transformation.ts';

/** What a definition is, or everything that is wrong with it. */
export function readTransformation(definition: TransformationDefinition): Reading {
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
  const rules = readRules(definition.transformationRules, 'transformationRules', { report }, place);
  places.settle();
  const schemas = {
    input: schemaOf(inputSchema, 'inputSchema', report),
    output: schemaOf(outputSchema, 'outputSchema', report),
  };
  if (report.faults.length > 0) return { compiled: undefined, faults: report.faults };
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

/** Each function is read by itself as well, so that every fault is told. */
function functionsOf(
  functions: Readonly<Record<string, string>> | undefined,
  report: Report,
): CompiledFunctions | undefined {
  if (functions === undefined) return undefined;
  const names = Object.keys(functions);
  const before = report.faults.length;
  for (const name of names) {
    // The others are known by name alone.
    const others = names.filter((other) => other !== name).map((other) => [other, '() => 0']);
    const alone = { ...Object.fromEntries(others), [name]: functions[name] ?? '' };
    report.try(`functions.${name}`, () => compileFunctions(alone));
  }
  if (report.faults.length > before) return namedOnly(names);
  return compileFunctions(functions);
}

/** In the place of functions that cannot be read: what uses them is not at fault. */
function namedOnly(names: readonly string[]): CompiledFunctions {
  return compileFunctions(Object.fromEntries(names.map((name) => [name, '() => 0'])));
}

function schemaOf(schema: Json | undefined, at: string, report: Report) {
  return schema === undefined ? undefined : report.try(at, () => compileSchema(schema, { at }));
}
