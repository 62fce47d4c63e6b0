/** Definitions of templates as they are stored: one JSON text per version, in either shape. Spec: "Template". */
import type { Json, JsonObject } from '../../proto/json.ts';
import type { RunAs } from '../db/templates.ts';

/** What both shapes have. */
interface Common {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  /** Whose rights a run has; left out, the caller's. */
  readonly runAs?: RunAs;
}

/** What a data-access template does with its request. */
export const REQUEST_SORTS = ['Read', 'Write', 'Transaction', 'TwoPhaseTransaction'] as const;
export type RequestSort = (typeof REQUEST_SORTS)[number];

/** Constructor shape: requests to endpoints, with placeholders. */
export interface DataAccessDefinition extends Common {
  readonly request: RequestSort;
  /** `{endpoint, …request}`, or `{endpoint?, operations}` of a transaction. */
  readonly template: JsonObject;
}

/** What a parameter may be declared as. */
export const PARAMETER_TYPES = [
  'string',
  'number',
  'integer',
  'boolean',
  'array',
  'object',
  'null',
] as const;

/** A parameter of a transformation. */
export interface ParameterDefinition {
  readonly description?: string;
  readonly default?: Json;
  readonly type?: (typeof PARAMETER_TYPES)[number];
}

/** How a transformation is run. */
interface PerformanceSettings {
  /** `ttl` in seconds. */
  readonly caching?: { readonly enabled: boolean; readonly ttl: number };
  readonly parallelization?: { readonly enabled: boolean; readonly maxWorkers: number };
  readonly lazyEvaluation?: boolean;
}

/** Transformation shape. */
export interface TransformationDefinition extends Common {
  readonly inputSchema?: Json;
  readonly outputSchema?: Json;
  /** Each a rule, or a conditional block of rules: worker/templates/transformation reads them. */
  readonly transformationRules: readonly Json[];
  /** Sources by name. */
  readonly functions?: Readonly<Record<string, string>>;
  readonly parameters?: Readonly<Record<string, ParameterDefinition>>;
  readonly performanceSettings?: PerformanceSettings;
}

export type Definition = DataAccessDefinition | TransformationDefinition;

/** Whether it is of the constructor shape. */
export function isDataAccess(definition: Definition): definition is DataAccessDefinition {
  return 'request' in definition;
}

/** Whether its runs have the rights of its author. */
export function isDoor({ runAs }: Definition): boolean {
  return runAs === 'author';
}
