/** The one place of the worker that does JSON Schema: reads a schema, and checks values against it. */
import { GatewayError } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import { textInPieces } from '../../../proto/json-bytes.ts';
import { parseInPieces } from '../../../proto/json-pieces.ts';
import { LruMap } from '../../../proto/lru-map.ts';
import { type Pieces, whole } from '../../../proto/work/pieces.ts';
import { type Built, build } from './build.ts';
import { checkInPieces, checkValue } from './check.ts';
import { requireShallow } from './depth.ts';
import { type Fault, Faults } from './faults.ts';
import { circles, cutShort } from './in-place.ts';
import { faultsOfSchema, META_SCHEMAS } from './meta.ts';
import { Resources } from './resource.ts';
import type { ValidationBudget } from './validation-budget.ts';

export type { Fault } from './faults.ts';
export { schemaOf } from './skeleton.ts';

/** A schema that values can be checked against, as often as one likes. */
export interface CompiledSchema {
  /**
   * What is wrong with a value: at most 100 faults, none when it fits. `format` is an annotation,
   * as both drafts have it, and says nothing.
   * @param work what it may take; `MOST_STEPS` when left out
   * @throws GatewayError BAD_REQUEST when checking takes too many steps or leads too deep
   */
  validate(value: Json, work?: ValidationBudget): readonly Fault[];
  /**
   * The same in pieces; small values take one.
   * @param stepsAtOnce steps of the first
   */
  inPieces(value: Json, work?: ValidationBudget, stepsAtOnce?: number): Pieces<readonly Fault[]>;
}

/** How a schema is read. */
interface CompileOptions {
  /** Where it is in the request; faults of the schema are told under it. Default `schema`. */
  readonly at?: string;
  /** Documents that references may lead to, by absolute URI; besides them only the drafts' own. */
  readonly documents?: ReadonlyMap<string, Json>;
}

/** Of a schema's JSON, in UTF-16 code units: reading it may take half a second. Spec silent. */
const LONGEST = 1_048_576;
/** Schemas that are remembered are small in every way: an expression may remember 128 KiB. Spec silent. */
const REMEMBERED = 32;
const LONGEST_REMEMBERED = 8192;
const MOST_PATTERNS_REMEMBERED = 4;
/** By their texts, which are all that they are made of; nothing from a caller is in them. */
const remembered = new LruMap<string, CompiledSchema>(REMEMBERED);

/**
 * Reads a schema of draft 2020-12, or 7 where `$schema` says so. Nothing is ever fetched: what it
 * refers to is in it or in `documents`, and no `$id` of one schema is seen by another.
 * @throws GatewayError BAD_REQUEST with the path of everything that is wrong with it
 */
export function compileSchema(schema: Json, options: CompileOptions = {}): CompiledSchema {
  return whole(compileInPieces(schema, options));
}

/** As `compileSchema`, in pieces: each schema within is read by itself. @throws GatewayError as `compileSchema` does */
export function* compileInPieces(
  schema: Json,
  { at = 'schema', documents = NONE }: CompileOptions = {},
): Pieces<CompiledSchema> {
  yield* requireShallow(schema, at);
  const text = yield* textInPieces(schema);
  if (text.length > LONGEST) {
    const message = `is longer than ${LONGEST} characters`;
    const details = [{ path: at, message }];
    throw new GatewayError('BAD_REQUEST', `${at}: ${message}`, { details });
  }
  const isOnItsOwn = documents.size === 0;
  const known = isOnItsOwn ? remembered.get(text) : undefined;
  if (known !== undefined) return known;
  // A copy: it never changes, and no object is in it twice.
  const { compiled, patterns } = yield* read(yield* parseInPieces(text), at, documents);
  const result: CompiledSchema = {
    validate: (value, work) => checkValue(compiled, value, work),
    inPieces: (value, work, stepsAtOnce) => checkInPieces(compiled, value, work, stepsAtOnce),
  };
  const isSmall = text.length <= LONGEST_REMEMBERED && patterns <= MOST_PATTERNS_REMEMBERED;
  if (isOnItsOwn && isSmall) remembered.set(text, result);
  return result;
}

const NONE: ReadonlyMap<string, Json> = new Map();

function* read(schema: Json, at: string, documents: ReadonlyMap<string, Json>): Pieces<Built> {
  const faults = new Faults(at);
  const resources = yield* Resources.read(schema, {
    documents: documents.size === 0 ? META_SCHEMAS : new Map([...documents, ...META_SCHEMAS]),
    faults,
    check: faultsOfSchema,
  });
  const built = yield* build(resources, faults);
  yield;
  for (const url of circles(built.compiled)) {
    faults.add(built.places.get(url) ?? [], 'leads back to itself without an end');
  }
  faults.throwIfAny();
  yield;
  cutShort(built.compiled);
  return built;
}
