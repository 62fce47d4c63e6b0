/** A workflow once its definition was read: what the engine runs. Immutable, and of no caller or run. */
import type { Json } from '../../../proto/json.ts';
import type { Budget, Plain, ObjectValue as Root } from '../../language/expressions/index.ts';
import type { CompiledSchema } from '../../language/schemas/compile.ts';
import type { DeadLetters, Handler } from './handling.ts';
import type { Trigger } from './trigger-tree.ts';

export type { Fault, Reference } from './findings.ts';
export type { DeadLetters, Escalation, Handler, Retry } from './handling.ts';
export type { Root };

/** What a value or an expression reads of a run, so that no more is loaded. */
export interface Uses {
  /** Members of `$` that are read: `input`, `trigger`, `run`, `error`. */
  readonly roots: ReadonlySet<RootName>;
  /**
   * Ids of the actions that are read, each with the members that are: `output`, `status`,
   * `attempts`, `started`, `ended`, `by`, `url`. `all` stands for an action as a whole. An
   * expression that names `$` or `$.actions` as a whole reads all that are visible.
   */
  readonly actions: ReadonlyMap<string, ReadonlySet<ActionMember> | 'all'>;
  /** Names that loops give (`as`, `index`) and that are read. */
  readonly names: ReadonlySet<string>;
}

export type RootName = 'input' | 'trigger' | 'run' | 'error';
export type ActionMember = 'output' | 'status' | 'attempts' | 'started' | 'ended' | 'by' | 'url';

/**
 * An expression. `root` is `$`: an object with at least the members that `uses` names. What an
 * expression is next to comes on top: `$.output` of an action's `output`, `$.results` of an
 * aggregation, `event` of a wait's filter (see `Action`).
 */
export interface Expr {
  /** Its place in the definition, as `actions.2.condition`. */
  readonly where: string;
  readonly source: string;
  readonly uses: Uses;
  /**
   * Its value as JSON has it; undefined where it has none.
   * @param root the value of `$`, only read
   * @param named values of further names, in the order in which the member's own docstring gives them
   * @throws RunFault | BudgetFault | ThrownFault
   */
  evaluate(root: Root, budget: Budget, named?: readonly Plain[]): Plain | undefined;
}

/** JSON in which texts may be expressions. Spec: workflows.md §2, "Values". */
export interface Value {
  readonly where: string;
  readonly uses: Uses;
  /** What it always is, when nothing in it is an expression; escapes are taken away. */
  readonly constant: Json | undefined;
  /**
   * The value: undefined when it is one expression without value; members without value are left out.
   * @throws RunFault | BudgetFault | ThrownFault; GatewayError BAD_REQUEST of an endpoint's request, when a
   * value from data would become an operator, a command or a name there
   */
  evaluate(root: Root, budget: Budget): Plain | undefined;
}

/** A workflow of one version. */
export interface Workflow {
  /** A list runs by `next` from `start`; a graph runs by `after`. */
  readonly form: 'list' | 'graph';
  /** Id of the first action of a list; of a graph, of its first in the list, without meaning. */
  readonly start: string;
  /** Those of the top level, in the order of the definition. */
  readonly actions: readonly Action[];
  /** All actions of the tree by their ids: also those in branches, loops, options, fallbacks, compensations and escalations. */
  readonly byId: ReadonlyMap<string, Action>;
  readonly output: Value | undefined;
  /** Over `$.input`: the name of a run. */
  readonly key: Expr | undefined;
  /** The raw `input.schema`, and it compiled; undefined takes any input. */
  readonly input: { readonly schema: Json; readonly compiled: CompiledSchema } | undefined;
  readonly settings: Settings;
  /** Undefined where there is no dead letter queue, or it is not enabled. */
  readonly deadLetters: DeadLetters | undefined;
  readonly triggers: readonly Trigger[];
  /** Ids of actions that its expressions hold by reading all of them, at most: what it takes of memory besides its text. */
  readonly looks: number;
}

/** Spec: workflows.md §1, `executionSettings`. */
export interface Settings {
  /** Of a whole run. Default 30 days. */
  readonly timeoutMs: number;
  /** Runs at a time; undefined is as many as come. */
  readonly maxConcurrency: number | undefined;
  /** Over `$.input`: `maxConcurrency` counts per value. */
  readonly concurrencyKey: Expr | undefined;
  /** Of ended runs; undefined is the organization's `dataRetentionDays`. */
  readonly retentionMs: number | undefined;
}

/** What follows an action: one of the same list, or null for the end of the list. */
export type Next =
  | { readonly to: string | null }
  | { readonly condition: Expr; readonly true: string | null; readonly false: string | null };

/** What every action has. */
export interface Common {
  readonly id: string;
  /** Its place in the definition, as `actions.2.branches.0.1`. */
  readonly where: string;
  readonly name: string | undefined;
  /**
   * Of the type `condition` it is made of `true` and `false`, with the output as condition: the
   * engine follows `ConditionAction.true` and `.false` there. In a graph always `{to: null}`.
   */
  readonly next: Next;
  /**
   * In a graph, where every action has it: the ids after which it begins; an empty list begins at once.
   * Any list may be a graph, the top level, a branch and a body alike: it runs by `after` where its first action has it, else by `next`.
   */
  readonly after: readonly string[] | undefined;
  /** What its record shows as input; of an endpoint its `request` is that, and this is undefined. */
  readonly input: Value | undefined;
  /** Over the scope and `$.output`: what is kept as `$.actions.<id>.output`. */
  readonly output: Value | undefined;
  /** Of one attempt of `endpoint`, `template`, `parallel`, `loop`, `subworkflow`; undefined is the type's default. */
  readonly timeoutMs: number | undefined;
  readonly idempotencyKey: Expr | undefined;
  readonly compensation: Action | undefined;
  /** Resolved: `default` and what is under its id, as far as it holds for this action. */
  readonly handler: Handler;
  /** The list that it is in. */
  readonly place: ActionParent;
}

/** What an action is part of. */
export type ActionParent =
  | { readonly in: 'workflow' }
  | { readonly in: 'branch'; readonly of: string; readonly branch: number }
  | { readonly in: 'loop'; readonly of: string }
  | { readonly in: 'option'; readonly of: string; readonly option: string }
  | { readonly in: 'compensation'; readonly of: string }
  /** `of` undefined: the fallback or escalation of `errorHandler.default`, which many actions share. */
  | { readonly in: 'fallback'; readonly of: string | undefined }
  | { readonly in: 'escalation'; readonly of: string | undefined };

export type Action =
  | EndpointAction
  | TemplateAction
  | ConditionAction
  | ParallelAction
  | LoopAction
  | WaitAction
  | HumanTaskAction
  | SubworkflowAction
  | DynamicAction;
export type ActionType = Action['type'];

export interface EndpointAction extends Common {
  readonly type: 'endpoint';
  /** Id or UUID. */
  readonly endpoint: string;
  readonly operation: 'read' | 'write';
  /** The body of `/read` or `/write`, whole: guarded as a data-access template's request is. */
  readonly request: Value;
  /** Of kind `Http`: whether a status is no failure. Default 2xx and 3xx. */
  readonly expects: (status: number) => boolean;
}

export interface TemplateAction extends Common {
  readonly type: 'template';
  /** Id or UUID. */
  readonly template: string;
}

/** Goes one of two ways. */
export interface ConditionAction extends Common {
  readonly type: 'condition';
  readonly condition: Expr;
  readonly true: string | null;
  readonly false: string | null;
}

export interface ParallelAction extends Common {
  readonly type: 'parallel';
  /** Each begins with its first action and goes by `next`. */
  readonly branches: readonly (readonly Action[])[];
  readonly joinResults: boolean;
}

export interface LoopAction extends Common {
  readonly type: 'loop';
  readonly collection: Expr;
  /** Default `item`. */
  readonly as: string;
  readonly index: string | undefined;
  readonly mode: 'sequential' | 'parallel';
  /** 1 to 100, default 10; of `sequential` 1. */
  readonly maxConcurrency: number;
  readonly body: readonly Action[];
  /** By name; over the scope outside the loop and `$.results`. */
  readonly aggregation: ReadonlyMap<string, Expr> | undefined;
  readonly continueOnError: boolean;
}

/** A time limit, and where the run then goes on: an id of the same list; null is the end of the list, undefined the failure `TIMED_OUT`. */
export interface Timeout {
  readonly duration: Value;
  readonly action: string | null | undefined;
}

export interface WaitAction extends Common {
  readonly type: 'wait';
  readonly wait:
    | {
        readonly mode: 'event';
        readonly source: Value;
        /** `*` stands for any characters. Compile with `patternOf`. */
        readonly pattern: string;
        /** Its further name is `event`. */
        readonly filter: Expr | undefined;
        readonly since: 'run' | 'wait';
      }
    | { readonly mode: 'duration'; readonly duration: Value }
    | { readonly mode: 'until'; readonly until: Value }
    | { readonly mode: 'callback' };
  readonly timeout: Timeout | undefined;
}

/** One field of a task's form. */
export interface FormField {
  readonly id: string;
  readonly type:
    | 'string'
    | 'text'
    | 'number'
    | 'integer'
    | 'boolean'
    | 'date'
    | 'select'
    | 'multiselect';
  readonly label: string | undefined;
  readonly required: boolean;
  /** Of `select` and `multiselect`: texts, or `{value, label}`. */
  readonly options: Value | undefined;
}

export interface HumanTaskAction extends Common {
  readonly type: 'humanTask';
  readonly title: Value;
  readonly description: Value | undefined;
  /** `{roles?, users?}`; checked as far as it is constant. */
  readonly assignees: Value;
  readonly fields: readonly FormField[];
  readonly timeout: (Timeout & { readonly escalation: readonly string[] | undefined }) | undefined;
}

export interface SubworkflowAction extends Common {
  readonly type: 'subworkflow';
  /** Id or UUID. */
  readonly workflow: string;
  readonly waitForCompletion: boolean;
}

export interface DynamicAction extends Common {
  readonly type: 'dynamicAction';
  readonly expression: Expr;
  readonly options: ReadonlyMap<string, Action>;
  /** Resolved: also where the definition names a key of `options`. */
  readonly otherwise: Action | undefined;
}
