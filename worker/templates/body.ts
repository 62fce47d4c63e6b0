/** Reads the bodies that carry a definition: every fault is told, with its path, all at once. */
import type { ZodType } from 'zod';
import { isJsonObject, type Json, type JsonObject } from '../../proto/json.ts';
import { textInPieces } from '../../proto/json-bytes.ts';
import { passedOf } from '../../proto/passed.ts';
import { faultsOf, IN_OUR_WORDS } from '../../proto/schema-faults.ts';
import type { Pieces } from '../../proto/work/pieces.ts';
import { parseAsWrittenInPieces, parseDefinitionInPieces } from '../../proto/written-json.ts';
import { demandSize, refusal } from '../shapes/definition.ts';
import { idFromName, isUuid } from '../shapes/ids.ts';
import type { Fault } from './compiled.ts';
import type { DataAccessDefinition, Definition, TransformationDefinition } from './definition.ts';
import { DataAccessInput, TransformationInput } from './schema.ts';
import { readTransformation } from './transformation/index.ts';

/** A definition and the id that it is to have. */
interface NamedDefinition {
  readonly id: string;
  readonly definition: Definition;
}

const decoder = new TextDecoder();

/** Of a body, whether it is of the constructor shape. */
function isAccessShape(body: JsonObject): boolean {
  return Object.hasOwn(body, 'request') || Object.hasOwn(body, 'template');
}

/** Members that hold values which runs only move, or schemas that are shown again. */
const WRITTEN = ['transformationRules', 'inputSchema', 'outputSchema', 'parameters'];

/**
 * A body whose values tell how they were written, in pieces. In a request to an endpoint every number does:
 * some kinds tell `1.0` from `1`.
 * @throws GatewayError BAD_REQUEST for a member of such a request that is there twice
 */
export function* asWritten(body: JsonObject, bytes: Uint8Array | undefined): Pieces<JsonObject> {
  if (bytes === undefined) return body;
  const text = decoder.decode(bytes);
  if (!isJsonObject(body.template)) {
    const written = yield* parseAsWrittenInPieces(text, body);
    return written === body ? body : (passedOf(written, WRITTEN) as JsonObject);
  }
  const { template } = (yield* parseDefinitionInPieces(text)) as JsonObject; // As the body is, an object.
  return template === undefined ? body : { ...body, template };
}

/**
 * The definition that a create body is.
 * @throws GatewayError BAD_REQUEST, PAYLOAD_TOO_LARGE
 */
export function definitionIn(body: JsonObject): NamedDefinition {
  if (isAccessShape(body)) {
    const { id, name = id, ...rest } = parsed(DataAccessInput, body);
    return { id, definition: { name, ...rest } as DataAccessDefinition };
  }
  const { id, ...definition } = parsed(TransformationInput, body);
  const chosen = id ?? idFromName(definition.name);
  if (chosen === '' || chosen === 'subjects') {
    throw refusal([{ path: 'id', message: 'is required: the name makes none' }]);
  }
  if (isUuid(chosen)) {
    throw refusal([
      { path: 'id', message: 'is required: the name makes a UUID, which no id may be' },
    ]);
  }
  return { id: chosen, definition: definition as TransformationDefinition };
}

/**
 * What a schema reads; the rules of a transformation are read as well, so that what is wrong
 * there is told next to what is wrong elsewhere.
 * @throws GatewayError BAD_REQUEST
 */
export function parsed<Output>(schema: ZodType<Output>, body: JsonObject): Output {
  const result = schema.safeParse(body, IN_OUR_WORDS);
  const dropped = faultsOfDropped(body);
  if (result.success && dropped.length === 0) return withOwn(result.data, body);
  const told = [...dropped, ...(result.success ? [] : faultsOf(result.error, 'body'))];
  // Where the shape is wrong, what the rules' reader says about the same place says it again.
  const others = faultsOfRules(body).filter(({ path }) =>
    told.every((each) => path !== each.path && !path.startsWith(`${each.path}.`)),
  );
  throw refusal([...told, ...others]);
}

/** Schemas make copies of objects, which know nothing about how they were written. */
function withOwn<Output>(data: Output, body: JsonObject): Output {
  const names = HOLDERS.filter((name) => Object.hasOwn(body, name));
  return Object.assign(
    data as object,
    Object.fromEntries(names.map((name) => [name, body[name]])),
  ) as Output;
}

/** Members whose own members have names of the author's choice. */
const HOLDERS = ['parameters', 'functions', 'inputSchema', 'outputSchema', 'template'];

/** A name that schemas drop without a word. Spec silent: nothing that a definition names may be called so. */
function faultsOfDropped(body: JsonObject): Fault[] {
  return HOLDERS.filter((name) => {
    const holder = body[name];
    return isJsonObject(holder) && Object.hasOwn(holder, '__proto__');
  }).map((name) => ({ path: `${name}.__proto__`, message: 'is a name that is not taken' }));
}

/** The JSON text of a definition, in pieces. @throws GatewayError PAYLOAD_TOO_LARGE */
export function* definitionText(definition: Definition): Pieces<string> {
  // Of JSON, as all definitions are.
  const text = yield* textInPieces(definition as unknown as JsonObject);
  demandSize(text);
  return text;
}

/** As far as a body that is wrong elsewhere can be read. */
function faultsOfRules(body: JsonObject): readonly Fault[] {
  const { transformationRules: rules, functions, parameters } = body;
  if (!Array.isArray(rules)) return [];
  const draft = {
    name: '',
    description: '',
    version: '',
    transformationRules: rules,
    ...(isTexts(functions) ? { functions } : {}),
    ...(isJsonObject(parameters) && Object.values(parameters).every(isJsonObject)
      ? { parameters: parameters as Record<string, JsonObject> }
      : {}),
  };
  return readTransformation(draft).faults;
}

function isTexts(value: Json | undefined): value is Record<string, string> {
  return isJsonObject(value) && Object.values(value).every((each) => typeof each === 'string');
}
