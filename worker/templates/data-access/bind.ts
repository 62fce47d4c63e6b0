/** Statements within requests, and the parameters next to them. */
import type { Json, JsonObject } from '../../../proto/json.ts';
import { asParameter } from './insert.ts';
import { isStatementKind } from './literals.ts';
import type { TextPart } from './placeholder.ts';
import { type Fill, fault, isPlain, partsIn, type RequestReader, whereIn } from './reader.ts';
import { type Insert, quotedValue, readStatement } from './statement.ts';
import { roleOf } from './text-role.ts';
import type { Scope } from './values.ts';

/** Reads a value of a request. */
type ReadValue = (reader: RequestReader, value: Json, path: readonly string[]) => Fill;

/** A statement that is filled together with its parameters. */
interface BoundMembers {
  /** What of the object it takes. */
  readonly members: readonly string[];
  bind(scope: Scope): JsonObject;
}

/** The statement that an object holds; undefined where there is none with placeholders. */
export function readBound(
  reader: RequestReader,
  holder: JsonObject,
  path: readonly string[],
  readValue: ReadValue,
): BoundMembers | undefined {
  const member = typeof holder.query === 'string' ? 'query' : 'sql';
  const text = holder[member];
  if (!isStatementKind(reader.kind) || typeof text !== 'string') return undefined;
  const at = [...path, member];
  const quiet = { ...reader, faults: [], placeholders: [] };
  if (isPlain(partsIn(quiet, text, at)) || roleOf(reader, at) !== 'statement') return undefined;
  const statement = readStatement(
    reader.kind,
    partsIn(reader, text, at),
    holder.params,
    insertInto(reader),
  );
  if (typeof statement === 'string') {
    fault(reader, at, statement);
    return undefined;
  }
  reader.open.add(at.join('.')).add([...path, 'params'].join('.'));
  const own =
    holder.params === undefined ? undefined : readValue(reader, holder.params, [...path, 'params']);
  return {
    members: [member, 'params'],
    bind(scope) {
      const { text: bound, params } = statement.bind(scope, own?.(scope));
      return { [member]: bound, params };
    },
  };
}

/** A statement that is alone in a batch: its values are next to it. */
export function readStatementText(
  reader: RequestReader,
  parts: readonly TextPart[],
  path: readonly string[],
): Fill {
  // One of an object was read with its parameters, or its fault was told.
  if (!isStatementKind(reader.kind) || path.length !== 2) return () => null;
  const statement = readStatement(reader.kind, parts, undefined, insertInto(reader));
  if (typeof statement === 'string') {
    fault(reader, path, statement);
    return () => null;
  }
  return (scope) => {
    const { text, params } = statement.bind(scope, undefined);
    return { query: text, params };
  };
}

function insertInto(reader: RequestReader): Insert {
  const where = whereIn(reader, []);
  return (scope, { placeholder, quoted }) => {
    const value = scope.value(placeholder);
    return asParameter(where, quoted ? quotedValue(value) : value);
  };
}
