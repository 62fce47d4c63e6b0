/** `/json/map`: builds a value of another shape. Contract §7. */
import { GatewayError } from '../../proto/errors.ts';
import { isJsonObject, type Json } from '../../proto/json.ts';
import { truncated } from '../../proto/truncate.ts';
import type { Pieces } from '../../proto/work/pieces.ts';
import type { Budget } from '../language/paths/budget.ts';
import { Builder } from '../language/paths/build.ts';
import { dotted } from '../language/paths/dotted.ts';
import { faultOf, PathFault } from '../language/paths/fault.ts';
import { Path } from '../language/paths/path.ts';
import type { Step } from '../language/paths/step.ts';
import { compileInPieces, type Fault, schemaOf } from '../language/schemas/compile.ts';
import { declares } from './declares.ts';
import { mappedMaxBytes, type ResultLimits, resultTooLarge, searchBudget } from './limits.ts';
import { Size, SMALL_VALUES, VALUES_OF_A_PIECE } from './size.ts';

/** What is asked for. */
interface Mapping {
  readonly json: Json;
  readonly schema: Json;
  /** From path to path. */
  readonly mappings: Readonly<Record<string, string>>;
}

/** One pair of paths, in a direction. */
interface Pair {
  /** Its name in `mappings`. */
  readonly name: string;
  readonly source: Path;
  readonly target: readonly Step[];
  /** What the output would be read from in the other direction. */
  readonly other: Path;
}

/**
 * The output, in pieces.
 * @throws GatewayError BAD_REQUEST, RESULT_TOO_LARGE
 */
export function* mapped({ json, schema, mappings }: Mapping, limits: ResultLimits): Pieces<Json> {
  const wanted = schemaOf(schema);
  yield* compileInPieces(wanted);
  const budget = searchBudget('mappings');
  const pairs = yield* pairsOf(mappings, wanted, budget);
  const shape = wanted === schema ? schema : schemaOf(yield* listed(schema, pairs, budget));
  yield;
  const compiled = yield* compileInPieces(shape);
  yield;
  const output = yield* build(json, pairs, budget, mappedMaxBytes(limits));
  yield;
  const faults = yield* compiled.inPieces(output);
  const [first] = faults;
  if (first === undefined) return output;
  const where = first.path === '' ? '' : `${first.path}: `;
  throw new GatewayError(
    'BAD_REQUEST',
    `The output does not fit the schema: ${where}${first.message}`,
    {
      details: faults,
    },
  );
}

/**
 * The output. Spec silent: a source that is not there leaves its target out, one that can find
 * several values gives an array of all that it finds; without any value the output is an empty
 * object.
 */
function* build(
  json: Json,
  pairs: readonly Pair[],
  budget: Budget,
  maxBytes: number,
): Pieces<Json> {
  const builder = new Builder();
  let size = 0;
  const add = ({ bytes }: Size) => {
    size += 1 + bytes;
    if (size > maxBytes) throw resultTooLarge(maxBytes);
  };
  function* count(measured: Size): Pieces<void> {
    while (!measured.measure(maxBytes - size, VALUES_OF_A_PIECE)) yield;
    add(measured);
  }
  for (const { name, source, target } of pairs) {
    const found: Json[] = [];
    yield* source.search(json, budget, ({ value }) => {
      found.push(value);
      // The same part of the input may be asked for many times over.
      const measured = new Size(value, budget);
      if (!measured.measure(maxBytes - size, SMALL_VALUES)) return count(measured);
      add(measured);
      return undefined;
    });
    const value = source.isSingle ? found[0] : found;
    const fault = value === undefined ? undefined : builder.put(target, value);
    if (fault !== undefined) throw badMappings([{ path: pathOf(name), message: fault }]);
    yield;
  }
  const built = builder.finish();
  if (built !== undefined) return built;
  if (pairs.length > 0) yield* demandDirection(json, pairs, budget);
  return {};
}

/**
 * Nothing at all was found: where every path of the other direction is in the input, that was meant.
 * @throws GatewayError BAD_REQUEST
 */
function* demandDirection(json: Json, pairs: readonly Pair[], budget: Budget): Pieces<void> {
  for (const { other } of pairs) {
    // The whole input is there always, and shows nothing.
    if (other.steps?.length === 0) return;
    let isFound = false;
    yield* other.search(json, budget, () => {
      isFound = true;
      return undefined;
    });
    if (!isFound) return;
  }
  throw badMappings(
    pairs.map((pair) => ({ path: pathOf(pair.name), message: directionFault(pair) })),
  );
}

/** Characters of a path that a message repeats. */
const SHOWN_MAX = 64;

function directionFault({ name, source, other }: Pair): string {
  const [from, to] = [source, other].map(({ text }) => JSON.stringify(truncated(text, SHOWN_MAX)));
  return name === source.text
    ? `is read from ${from}, which the input does not have: write {${to}: ${from}}`
    : `is read from ${from}, which the input does not have, into ${to}, a path of schema: for the other way about let schema have ${from}`;
}

/** A skeleton's type stands for each of the values where a source may find several. backends.md §7. */
function* listed(skeleton: Json, pairs: readonly Pair[], budget: Budget): Pieces<Json> {
  let whole = skeleton;
  for (const { source, target } of pairs) {
    if (source.isSingle) continue;
    whole = withList(whole, target, budget);
    yield;
  }
  return whole;
}

/** What copying a member of a skeleton costs. */
const STEPS_PER_MEMBER = 16;

function withList(skeleton: Json, [step, ...rest]: readonly Step[], budget: Budget): Json {
  if (step === undefined) {
    return typeof skeleton === 'string' && !/^(?:any|array)$/i.test(skeleton)
      ? [skeleton]
      : skeleton;
  }
  if (!isJsonObject(skeleton)) return skeleton;
  const wanted = typeof step === 'object' ? step.token : step;
  budget.charge(STEPS_PER_MEMBER * (1 + rest.length + Object.keys(skeleton).length));
  return Object.fromEntries(
    Object.entries(skeleton).map(([name, of]) => [
      name,
      name === wanted ? withList(of, rest, budget) : of,
    ]),
  );
}

/** Reads the paths, and finds out which of each two is the target. */
function* pairsOf(mappings: Mapping['mappings'], schema: Json, budget: Budget): Pieces<Pair[]> {
  const faults: Fault[] = [];
  const compiled: [name: string, left: Path, right: Path][] = [];
  for (const [name, other] of Object.entries(mappings)) {
    const [left, right] = [pathIn(name, name, faults), pathIn(name, other, faults)];
    if (left && right) compiled.push([name, left, right]);
  }
  if (faults.length > 0) throw badMappings(faults);
  const [lefts, rights] = [compiled.map(([, left]) => left), compiled.map(([, , right]) => right)];
  const isReversed =
    (yield* areDeclared(lefts, schema, budget)) && !(yield* areDeclared(rights, schema, budget));
  const pairs = compiled.flatMap(([name, left, right]): Pair[] => {
    const [source, { steps: target }] = isReversed ? [right, left] : [left, right];
    const other = isReversed ? left : right;
    if (target) return [{ name, source, target, other }];
    faults.push({ path: pathOf(name), message: 'the path in the output does not name one place' });
    return [];
  });
  if (faults.length > 0) throw badMappings(faults);
  return pairs;
}

function* areDeclared(paths: readonly Path[], schema: Json, budget: Budget): Pieces<boolean> {
  for (const { steps } of paths) {
    if (!(yield* declares(schema, steps, budget))) return false;
    yield;
  }
  return true;
}

function pathIn(name: string, text: string, faults: Fault[]): Path | undefined {
  try {
    return new Path(text);
  } catch (fault) {
    if (!(fault instanceof PathFault)) throw fault;
    faults.push({ path: pathOf(name), message: `${JSON.stringify(text)} ${faultOf(text, fault)}` });
    return undefined;
  }
}

/** Where a mapping is in the body. */
function pathOf(name: string): string {
  return dotted.child('mappings', name);
}

function badMappings(details: readonly { path: string; message: string }[]): GatewayError {
  const message = details[0]
    ? `${details[0].path}: ${details[0].message}`
    : 'The mappings are not as they should be';
  return new GatewayError('BAD_REQUEST', message, { details });
}
