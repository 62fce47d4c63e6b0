/** Checks values: the library evaluates, this counts what it costs and gathers what is wrong. */
import {
  type CompiledSchema,
  type EvaluationPlugin,
  interpret,
  type Keyword,
} from '@hyperjump/json-schema/experimental';
import type { JsonNode } from '@hyperjump/json-schema/instance/experimental';
import type { Json } from '../../../proto/json.ts';
import type { Pieces } from '../../../proto/work/pieces.ts';
import { type KeywordNode, TRIED } from './build.ts';
import { type Fault, MOST_FAULTS } from './faults.ts';
import { type Evaluation, OF_LIBRARY } from './keyword.ts';
import { OF_MEMBERS } from './members.ts';
import { type Failure, failureFaults, NEVER } from './messages.ts';
import { nodeOf, type ValueNode } from './node.ts';
import { evaluateInPieces } from './pieces.ts';
import { ValidationBudget } from './validation-budget.ts';
import { VALUE, type ValueTest } from './values.ts';

/** What is wrong with a value, at most 100 faults. */
export function checkValue(
  compiled: CompiledSchema,
  value: Json,
  work: ValidationBudget = new ValidationBudget(),
): readonly Fault[] {
  const watch = new Watch(compiled, work);
  const { valid } = interpret(compiled, nodeOf(value, work), { plugins: [watch] });
  return valid ? [] : faultsIn(watch);
}

/** Steps that are taken at once: what takes no more pays nothing for pieces. */
const STEPS_AT_ONCE = 5_000;

/** The same, in pieces where it takes longer. */
export function* checkInPieces(
  compiled: CompiledSchema,
  value: Json,
  work: ValidationBudget = new ValidationBudget(),
  stepsAtOnce: number = STEPS_AT_ONCE,
): Pieces<readonly Fault[]> {
  const atOnce = new ValidationBudget(Math.min(stepsAtOnce, work.left));
  try {
    return checkValue(compiled, value, atOnce);
  } catch (error) {
    if (atOnce.left >= 0 || work.left <= stepsAtOnce) throw error;
  }
  yield;
  const watch = new Watch(compiled, work);
  const plugins = [...compiled.ast.plugins, watch];
  const isValid = yield* evaluateInPieces(compiled, nodeOf(value, work), plugins);
  return isValid ? [] : faultsIn(watch);
}

function faultsIn(watch: Watch): readonly Fault[] {
  const faults = new Map<string, Fault>();
  for (const failure of watch.failures) {
    for (const fault of failureFaults(failure)) faults.set(`${fault.path} ${fault.message}`, fault);
  }
  if (faults.size === 0) return [{ path: '', message: 'does not fit the schema' }];
  return [...faults.values()].slice(0, MOST_FAULTS);
}

/** Keywords that visit every item or member, and how many they visit in a step. */
const VISITORS: ReadonlySet<string> = new Set([
  OF_LIBRARY.contains,
  OF_LIBRARY.items,
  OF_LIBRARY.prefixItems,
  OF_LIBRARY.properties,
  OF_LIBRARY.propertyNames,
  OF_LIBRARY.unevaluatedItems,
  OF_LIBRARY.unevaluatedProperties,
  OF_MEMBERS.additionalProperties,
  OF_MEMBERS.patternProperties,
]);
const VISITS_PER_STEP = 8;
/** To evaluate a schema takes that long besides its keywords. */
const STEPS_PER_SCHEMA = 2;

/** What the library keeps where something asks for what was not looked at. */
interface Unevaluated extends Evaluation {
  readonly schemaEvaluatedProperties?: ReadonlySet<string>;
  readonly schemaEvaluatedItems?: ReadonlySet<number>;
}

/** What is wrong with a value by the schemas that one keyword holds. */
interface Finding {
  readonly failures: Failure[];
  /** Where the failures of each schema begin that the value does not fit. */
  readonly starts: number[];
}

class Watch implements EvaluationPlugin<Unevaluated> {
  readonly id = 'causeway:watch';
  readonly #ast: CompiledSchema['ast'];
  readonly #work: ValidationBudget;
  /** By depth: what was found in the schemas that the present keyword of that depth holds. */
  readonly #found: (Finding | undefined)[] = [];
  /** By depth: how many failures there were when its present schema began. */
  readonly #before: number[] = [];

  constructor({ ast }: CompiledSchema, work: ValidationBudget) {
    this.#ast = ast;
    this.#work = work;
  }

  /** Of a value that does not fit. */
  get failures(): readonly Failure[] {
    return this.#found[0]?.failures ?? [];
  }

  beforeSchema(): void {
    const depth = this.#work.enter();
    this.#work.spend(STEPS_PER_SCHEMA);
    this.#before[depth] = this.#found[depth]?.failures.length ?? 0;
  }

  beforeKeyword([id, , asked]: KeywordNode, node: JsonNode): void {
    const visits = VISITORS.has(id) ? (node as ValueNode).size : 0;
    const names = Array.isArray(asked) ? asked.length : 0;
    this.#work.spend(1 + (visits + names) / VISITS_PER_STEP);
    this.#found[this.#work.depth] = undefined;
  }

  afterKeyword(
    [id, , asked]: KeywordNode,
    node: JsonNode,
    _inner: Unevaluated,
    isValid: boolean,
    _outer: Unevaluated,
    { simpleApplicator = false }: Keyword<unknown>,
  ): void {
    if (isValid) return;
    const { depth } = this.#work;
    const inner = this.#found[depth] ?? { failures: [], starts: [] };
    // Every node is one of ours: check() starts with nodeOf().
    const own = { id, asked, node: node as ValueNode, failed: inner.starts.length };
    if (id === VALUE) this.#add(depth - 1, failedTests(own));
    else if (simpleApplicator || id === OF_LIBRARY.conditional)
      this.#add(depth - 1, inner.failures);
    else this.#add(depth - 1, likeliest(own, inner));
  }

  afterSchema(url: string, node: JsonNode, evaluation: Unevaluated, isValid: boolean): void {
    const depth = this.#work.leave();
    const { schemaEvaluatedProperties, schemaEvaluatedItems } = evaluation;
    const evaluated = (schemaEvaluatedProperties?.size ?? 0) + (schemaEvaluatedItems?.size ?? 0);
    this.#work.spend(evaluated / VISITS_PER_STEP);
    if (isValid) return;
    const before = this.#before[depth] ?? 0;
    if (this.#ast[url] === false) {
      this.#add(depth, [{ id: NEVER, asked: false, node: node as ValueNode, failed: 0 }]);
    }
    if (url.startsWith(TRIED, url.indexOf('#'))) this.#found[depth]?.failures.splice(before);
    else this.#at(depth).starts.push(before);
  }

  #add(depth: number, failures: readonly Failure[]): void {
    const { failures: known } = this.#at(depth);
    const room = MOST_FAULTS - known.length;
    if (room > 0) known.push(...failures.slice(0, room));
  }

  #at(depth: number): Finding {
    this.#found[depth] ??= { failures: [], starts: [] };
    return this.#found[depth];
  }
}

function failedTests({ asked, node }: Failure): Failure[] {
  return (asked as ValueTest[])
    .filter((test) => !test.holds(node))
    .map((test) => ({ id: test.keyword, asked: test.asked, node, failed: 0 }));
}

/**
 * Of a keyword that wants one of several schemas: the failures of the only one that is meant for
 * such a value at all, if there is one; else the keyword's own.
 */
function likeliest(own: Failure, { failures, starts }: Finding): readonly Failure[] {
  const isOfSeveral = own.id === OF_LIBRARY.anyOf || own.id === OF_LIBRARY.oneOf;
  const hasNone = Array.isArray(own.asked) && starts.length === own.asked.length;
  if (!isOfSeveral || !hasNone) return [own];
  const branches = starts.map((start, index) => failures.slice(start, starts[index + 1]));
  const meant = branches.filter((branch) => !branch.some((each) => isOtherKind(each, own.node)));
  const [only = []] = meant;
  if (only.length > 0 && meant.length === 1) return only;
  const types = branches.flatMap(([first]) => first ?? []);
  const areTypes = types.every(({ id, node }) => id === 'type' && node === own.node);
  if (!areTypes || types.length < branches.length) return [own];
  return [{ ...own, id: 'type', asked: types.flatMap(({ asked }) => asked) }];
}

/** Whether a value is of another type, or carries another mark, than a schema is meant for. */
function isOtherKind({ id, node }: Failure, of: ValueNode): boolean {
  if (id === 'type') return node === of;
  return (id === 'const' || id === 'enum') && node.parent.parent === of;
}
