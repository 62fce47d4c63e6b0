/** Checks values: the library evaluates, this counts what it costs and gathers what is wrong. */
import {
  type CompiledSchema,
  type EvaluationPlugin,
  interpret,
  type Keyword,
} from '@hyperjump/json-schema/experimental';
import type { JsonNode } from '@hyperjump/json-schema/instance/experimental';
import type { Json } from '../../proto/json.ts';
import { type KeywordNode, TRIED } from './build.ts';
import { type Fault, MOST_FAULTS } from './faults.ts';
import { type Evaluation, OF_LIBRARY } from './keyword.ts';
import { OF_MEMBERS } from './members.ts';
import { type Failure, faultsOf, NEVER } from './messages.ts';
import { nodeOf, type ValueNode } from './node.ts';
import { OF_VALUES } from './values.ts';
import { Work } from './work.ts';

/** What is wrong with a value, at most 100 faults. */
export function check(compiled: CompiledSchema, value: Json): readonly Fault[] {
  const work = new Work();
  const watch = new Watch(compiled, work);
  const { valid } = interpret(compiled, nodeOf(value, work), { plugins: [watch] });
  if (valid) return [];
  const faults = new Map<string, Fault>();
  for (const failure of watch.failures) {
    for (const fault of faultsOf(failure)) faults.set(`${fault.path} ${fault.message}`, fault);
  }
  return [...faults.values()].slice(0, MOST_FAULTS);
}

/** What is kept of one keyword while the schemas it holds are evaluated. */
interface Scope extends Evaluation {
  failures?: Failure[];
  /** How many failures there were when the present schema began. */
  before?: number;
  /** Of schemas that failed: where their failures begin. */
  starts?: number[];
  /** How many schemas failed. */
  failed?: number;
  readonly schemaEvaluatedProperties?: ReadonlySet<string>;
  readonly schemaEvaluatedItems?: ReadonlySet<number>;
}

/** Keywords that visit every item or member, and how many they visit in a step. */
const VISITORS: ReadonlySet<string> = new Set([
  OF_LIBRARY.contains,
  OF_LIBRARY.items,
  OF_LIBRARY.maxProperties,
  OF_LIBRARY.minProperties,
  OF_LIBRARY.prefixItems,
  OF_LIBRARY.properties,
  OF_LIBRARY.propertyNames,
  OF_LIBRARY.unevaluatedItems,
  OF_LIBRARY.unevaluatedProperties,
  OF_MEMBERS.additionalProperties,
  OF_MEMBERS.patternProperties,
]);
const VISITS_PER_STEP = 8;

class Watch implements EvaluationPlugin<Scope> {
  readonly id = 'causeway:watch';
  readonly #ast: CompiledSchema['ast'];
  readonly #work: Work;
  /** Of the whole value, when all is evaluated and it does not fit. */
  failures: readonly Failure[] = [];

  constructor({ ast }: CompiledSchema, work: Work) {
    this.#ast = ast;
    this.#work = work;
  }

  beforeSchema(_url: string, _node: JsonNode, scope: Scope): void {
    this.#work.spend(1);
    this.#work.enter();
    scope.before = scope.failures?.length ?? 0;
  }

  beforeKeyword([id, , value]: KeywordNode, node: JsonNode): void {
    const isVisitor = VISITORS.has(id);
    const visits = isVisitor ? node.children.length : Array.isArray(value) ? value.length : 0;
    this.#work.spend(1 + visits / VISITS_PER_STEP);
  }

  afterKeyword(
    [id, , value]: KeywordNode,
    node: JsonNode,
    inner: Scope,
    isValid: boolean,
    outer: Scope,
    { simpleApplicator = false }: Keyword<unknown>,
  ): void {
    if (isValid) return;
    // Every node is one of ours: check() starts with nodeOf().
    const own: Failure = { id, value, node: node as ValueNode, failed: inner.failed ?? 0 };
    const isOnlyWhatItHolds = simpleApplicator || id === OF_LIBRARY.conditional;
    append(outer, isOnlyWhatItHolds ? (inner.failures ?? []) : likeliest(own, inner));
  }

  afterSchema(url: string, node: JsonNode, scope: Scope, isValid: boolean): void {
    this.#work.leave();
    const evaluated =
      scope.schemaEvaluatedProperties?.size ?? scope.schemaEvaluatedItems?.size ?? 0;
    this.#work.spend(evaluated / VISITS_PER_STEP);
    if (isValid) return;
    const before = scope.before ?? 0;
    if (this.#ast[url] === false) {
      append(scope, [{ id: NEVER, value: false, node: node as ValueNode, failed: 0 }]);
    }
    if (url.includes(TRIED)) scope.failures?.splice(before);
    else {
      scope.starts ??= [];
      scope.starts.push(before);
      scope.failed = (scope.failed ?? 0) + 1;
    }
    this.failures = scope.failures ?? [];
  }
}

function append(scope: Scope, failures: readonly Failure[]): void {
  scope.failures ??= [];
  const room = MOST_FAULTS - scope.failures.length;
  if (room > 0) scope.failures.push(...failures.slice(0, room));
}

/**
 * Of a keyword that wants one of several schemas: the failures of the only one that is meant for
 * such a value at all, if there is one; else the keyword's own.
 */
function likeliest(own: Failure, { failures = [], starts = [] }: Scope): readonly Failure[] {
  const isOfSeveral = own.id === OF_LIBRARY.anyOf || own.id === OF_LIBRARY.oneOf;
  const hasNone = Array.isArray(own.value) && starts.length === own.value.length;
  if (!isOfSeveral || !hasNone) return [own];
  const branches = starts.map((start, index) => failures.slice(start, starts[index + 1]));
  const meant = branches.filter((branch) => !branch.some((each) => isOtherKind(each, own.node)));
  const [only] = meant;
  if (only !== undefined && only.length > 0 && meant.length === 1) return only;
  const types = branches.map(([first]) => first).filter((first) => first !== undefined);
  const areTypes = types.every(({ id, node }) => id === OF_VALUES.type && node === own.node);
  if (!areTypes || types.length < branches.length) return [own];
  return [{ ...own, id: OF_VALUES.type, value: types.flatMap(({ value }) => value) }];
}

/** Whether a value is of another type, or carries another mark, than a schema is meant for. */
function isOtherKind({ id, node }: Failure, of: ValueNode): boolean {
  if (id === OF_VALUES.type) return node === of;
  if (id !== OF_VALUES.const && id !== OF_VALUES.enum) return false;
  return node.parent?.parent === of;
}
