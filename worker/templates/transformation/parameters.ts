/** Parameters of a transformation: defaults, declared types, and texts of a query string. Contract §8. */
import { GatewayError } from '../../../proto/errors.ts';
import {
  isJsonObject,
  isRawJson,
  type Json,
  type JsonObject,
  setMember,
} from '../../../proto/json.ts';
import { parseAsWritten } from '../../../proto/written-json.ts';
import type { Fault } from '../compiled.ts';
import { PARAMETER_TYPES, type ParameterDefinition } from '../definition.ts';
import { isOfType } from './checks.ts';
import { Members, type Report } from './report.ts';

/** What a call's parameters become. @throws GatewayError BAD_REQUEST with every path */
export type ReadParameters = (given: JsonObject, areTexts: boolean) => JsonObject;

type Declared = ReadonlyMap<string, ParameterDefinition>;

/** Longest text of a parameter that is read as another type, in UTF-16 units; a query string is no longer. */
const TEXT_MAX = 65_536;

/** Reads the declarations. */
export function parametersOf(
  declared: Readonly<Record<string, ParameterDefinition>> | undefined,
  report: Report,
): ReadParameters {
  const known: Declared = new Map(Object.entries(declared ?? {}));
  for (const [name, definition] of known) checkDeclared(name, definition, report);
  const defaults: JsonObject = {};
  for (const [name, { default: value }] of known) {
    if (value !== undefined) setMember(defaults, name, value);
  }
  return (given, areTexts) => {
    if (Object.keys(given).length === 0) return defaults;
    return readAll(given, areTexts, known, defaults);
  };
}

function checkDeclared(name: string, definition: unknown, report: Report): void {
  const path = `parameters.${name}`;
  if (!isJsonObject(definition)) {
    report.add(path, 'must be an object with description, type and default');
    return;
  }
  const members = new Members(definition, path, report);
  members.refuseOthers(['description', 'type', 'default'], 'a parameter');
  const [type, value] = [members.get('type'), members.get('default')];
  const isType = typeof type === 'string' && PARAMETER_TYPES.some((each) => each === type);
  if (type !== undefined && !isType) {
    members.fault('type', `must be one of ${PARAMETER_TYPES.join(', ')}`);
  } else if (typeof type === 'string' && value !== undefined && !isOfType(value, type)) {
    members.fault('default', `is not of type ${type}`);
  }
}

function readAll(
  given: JsonObject,
  areTexts: boolean,
  known: Declared,
  defaults: JsonObject,
): JsonObject {
  const faults: Fault[] = [];
  const values: JsonObject = { ...defaults };
  for (const [name, value] of Object.entries(given)) {
    const definition = known.get(name);
    const read = definition && parameterOf(value, areTexts, definition);
    if (read !== undefined) setMember(values, name, read);
    else faults.push({ path: `parameters.${name}`, message: refusalOf(definition, known) });
  }
  const [first] = faults;
  if (first === undefined) return values;
  throw new GatewayError('BAD_REQUEST', `${first.path}: ${first.message}`, { details: faults });
}

/** A value of the declared type; undefined when it is none. */
function parameterOf(
  value: Json,
  areTexts: boolean,
  { type }: ParameterDefinition,
): Json | undefined {
  if (type === undefined) return value;
  const read = areTexts ? fromText(value, type) : value;
  return read !== undefined && isOfType(read, type) ? read : undefined;
}

function refusalOf(definition: ParameterDefinition | undefined, known: Declared): string {
  if (definition !== undefined) return `is not of type ${definition.type}`;
  const names = [...known.keys()].slice(0, 20).join(', ');
  return `is no parameter of the template${names === '' ? '' : `: there is ${names}`}`;
}

/** A text of a query string by the declared type; undefined when it is no such. */
function fromText(text: Json, type: string): Json | undefined {
  if (typeof text !== 'string' || type === 'string') return text;
  if (text.length > TEXT_MAX) return undefined;
  try {
    const value = parseAsWritten(text);
    return typeof value === 'number' || isRawJson(value) || isOfType(value, type)
      ? value
      : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
