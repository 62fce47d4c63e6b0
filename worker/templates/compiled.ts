/** What a template is once it was read: what it reaches, and how it is run and shown. Contract §8. */
import type { Json, JsonObject } from '../../proto/json.ts';
import type { Pieces } from '../../proto/work/pieces.ts';
import type { Budget } from '../language/expressions/index.ts';

/** One fault of a definition. Every one of them is told, all at once. */
export interface Fault {
  /** Where in the definition, as `transformationRules.2.expression`; of an input or output, where in that. */
  readonly path: string;
  readonly message: string;
  /** Of a validation: what its author calls it. */
  readonly code?: string;
  /** Where in an expression or function, from 1. */
  readonly line?: number;
  readonly column?: number;
}

/** Something that a template reaches by itself, not by those it nests. */
export type Reference =
  | { readonly kind: 'template'; readonly id: string; readonly path: string }
  | {
      readonly kind: 'endpoint';
      readonly id: string;
      readonly path: string;
      /** The level that its request needs there. Contract §4, §6. */
      readonly level: 'Read' | 'Write' | 'Admin';
    };

/** A request to an endpoint, as the template's own operation makes it. */
export interface EndpointCall {
  readonly endpoint: string;
  readonly operation: 'read' | 'write' | 'transaction';
  /** As the body of `/read`, `/write` or `/transaction` is. */
  readonly request: JsonObject;
}

/** What one run brings: nested runs share all but `parameters`. */
export interface Run {
  /** Fuel, depth and output of the whole run; `budget.now` is its start. */
  readonly budget: Budget;
  /** Those that the call gave; defaults are the template's to fill in. */
  readonly parameters: JsonObject;
  /** Whether they are in a query string: texts, to be read by their declared types. */
  readonly parametersAreTexts: boolean;
  /** Aborts when the caller is gone. */
  readonly signal: AbortSignal;
  /** Does long work by turns with others; left out, all is done at once. */
  readonly inPieces?: <Result>(pieces: Pieces<Result>) => Promise<Result>;
  /** A template that this one nests; those who may not run it never get here. */
  nested(id: string): Compiled;
  /** Of a nested template that runs with other rights: how it sends. Left out, and undefined, those of the run. */
  within?(id: string): Pick<Run, 'send' | 'transact' | 'within'> | undefined;
  /**
   * Sends a request with the rights of the run, which were asked before it. While rendering it
   * is never called: what would be sent is shown instead.
   * @throws GatewayError what requests to endpoints may end in
   */
  send(call: EndpointCall): Promise<Json>;
  /** The result of a transaction over several endpoints, whose body is that of `POST /transactions`. */
  transact(body: JsonObject): Promise<Json>;
}

/** What one rule did, for a render. Spec: "Render result", `transformationSteps`. */
export interface Step {
  /** Its target, or what it is. */
  readonly rule: string;
  readonly input?: Json;
  readonly transformations: readonly { readonly name: string; readonly output: Json }[];
  /** Why it left its target out or what it answered instead, where it did. */
  readonly note?: string;
  readonly logLevel?: string;
  /** Of a request, in a template whose rules name results: in which round it goes out, from 1. */
  readonly round?: number;
  /** What would have been sent, of data access. */
  readonly request?: EndpointCall;
}

/** What rendering found. */
export interface Rendered {
  readonly success: boolean;
  readonly inputValidation: { readonly valid: boolean; readonly errors?: readonly Fault[] };
  readonly output: Json;
  readonly transformationSteps: readonly Step[];
  readonly outputValidation: { readonly valid: boolean; readonly errors?: readonly Fault[] };
  /** What stopped it, where something did. */
  readonly errors?: readonly Fault[];
}

/** A template, read once and run often. Holds nothing about a caller, a request or another version. */
export interface Compiled {
  readonly references: readonly Reference[];
  /** Whether a run's time shows in its result: such results are not kept. */
  readonly usesNow: boolean;
  /** Bytes that remembering it takes, roughly. */
  readonly weight: number;
  /** Seconds for which an output may be answered again, where the template asks for it. Spec: `caching`. */
  readonly cacheTtlS: number | undefined;
  /** Whether it wants each number of an input with a fraction or an exponent as its text, as `parseOrdered` reads it. */
  readonly keepsText?: boolean;
  /**
   * The output; a promise only where it reaches an endpoint, by itself or nested, or takes long.
   * @throws GatewayError BAD_REQUEST with every path of an invalid input, TEMPLATE_FAILED, what `send` throws
   */
  run(input: Json, run: Run): Json | Promise<Json>;
  /** The same without effect: never throws for what a caller can mend. */
  render(input: Json, run: Run): Rendered | Promise<Rendered>;
}

/** A definition that was read, or everything that is wrong with it. */
export type CompileResult =
  | { readonly compiled: Compiled; readonly faults: readonly [] }
  | {
      readonly compiled: undefined;
      readonly faults: readonly Fault[];
      /** What it reaches all the same, as far as it can be read: that may be wrong as well. */
      readonly references?: readonly Reference[];
    };

/** What a definition reaches, whatever else is wrong with it. */
export function referencesIn(reading: CompileResult): readonly Reference[] {
  return (reading.compiled ?? reading).references ?? [];
}
