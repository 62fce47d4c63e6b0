/** Reads a request with placeholders once, and fills it for each run. */
import {
  isJsonObject,
  isRawJson,
  type Json,
  type JsonObject,
  setMember,
} from '../../../proto/json.ts';
import { inOrder, namesOf, orderedText } from '../../../proto/ordered-json.ts';
import { readBound, readStatementText } from './bind.ts';
import { encodingOf } from './http-roles.ts';
import { asData } from './insert.ts';
import { faultOfName } from './mongo.ts';
import { insertedText, type Placeholder } from './placeholder.ts';
import {
  type Fill,
  fault,
  inserted,
  isPlain,
  partsIn,
  partsInName,
  type RequestReader,
  whereIn,
} from './reader.ts';
import { roleOf } from './text-role.ts';
import { readTextAt } from './texts.ts';
import type { Scope } from './values.ts';

/** Members that may be null: what is left out of a request otherwise. */
const NULLABLE = new Set(['body', 'value', 'params', 'namespace']);

/** A whole request. */
export function readRequest(reader: RequestReader): Fill {
  const fill = readHolder(reader, reader.request, []);
  if (reader.kind !== 'http') return fill;
  return (scope) => {
    const filled = fill(scope);
    if (!isJsonObject(filled)) return filled;
    const encoding = encodingOf(reader.request, filled.body);
    return encoding === undefined ? filled : { ...filled, body_encoding: encoding };
  };
}

/** An object that may hold a statement with its parameters: a request, or a statement of a batch. */
function readHolder(reader: RequestReader, holder: JsonObject, path: readonly string[]): Fill {
  const bound = readBound(reader, holder, path, readValue);
  const rest = Object.entries(holder).filter(([name]) => !bound?.members.includes(name));
  const members = rest.map(([name, value]) => {
    const at = [...path, name];
    if (!isPlain(partsInName(reader, name, path)))
      fault(reader, at, 'has a placeholder for a name: members of a request are fixed');
    return { name, fill: readValue(reader, value, at), leaves: leavesOut(reader, value, at) };
  });
  return (scope) => {
    const filled: JsonObject = {};
    for (const { name, fill, leaves } of members) {
      if (leaves === undefined || scope.value(leaves) !== null)
        setMember(filled, name, fill(scope));
    }
    return bound ? { ...filled, ...bound.bind(scope) } : filled;
  };
}

/** The optional placeholder that a member is: without a value it is not there. Spec silent. */
function leavesOut(
  reader: RequestReader,
  value: Json,
  path: readonly string[],
): Placeholder | undefined {
  const isOption = path.length === 2 && path[0] === 'options' && reader.kind === 'mongo';
  const [name = ''] = path;
  if (typeof value !== 'string' || (path.length !== 1 && !isOption)) return undefined;
  if (path.length === 1 && NULLABLE.has(name)) return undefined;
  const [only, ...others] = partsIn({ ...reader, faults: [], placeholders: [] }, value, path);
  return typeof only === 'object' && others.length === 0 && only.optional ? only : undefined;
}

function readValue(reader: RequestReader, value: Json, path: readonly string[]): Fill {
  if (typeof value === 'string') return readText(reader, value, path);
  if (Array.isArray(value)) {
    const fills = value.map((each, index) => readValue(reader, each, [...path, String(index)]));
    return (scope) => fills.map((fill) => fill(scope));
  }
  if (!isJsonObject(value) || isRawJson(value)) return () => value;
  if (path[0] === 'queries' && path.length === 2) return readHolder(reader, value, path);
  return readObject(reader, value, path);
}

function readObject(reader: RequestReader, value: JsonObject, path: readonly string[]): Fill {
  const members = namesOf(value).map((name) => {
    const at = [...path, name];
    const each = value[name] ?? null;
    return {
      fillName: readName(reader, name, at),
      fill: readValue(reader, each, at),
      leaves: leavesOut(reader, each, at),
    };
  });
  const isNamed = members.every(({ fillName }) => typeof fillName === 'string');
  return (scope) => {
    const filled: JsonObject = {};
    const names = new Set<string>();
    for (const { fillName, fill, leaves } of members) {
      if (leaves !== undefined && scope.value(leaves) === null) continue;
      const name = typeof fillName === 'string' ? fillName : fillName(scope);
      setMember(filled, name, fill(scope));
      names.add(name);
    }
    inOrder(filled, [...names]);
    return isNamed ? filled : asData(whereIn(reader, path), filled);
  };
}

/** The name of a member: a text, and never an operator that its author did not write. */
function readName(
  reader: RequestReader,
  name: string,
  path: readonly string[],
): string | ((scope: Scope) => string) {
  const parts = partsInName(reader, name, path);
  if (isPlain(parts)) return name;
  const message = faultOfFilledName(reader, name, path);
  if (message !== undefined) fault(reader, path, message);
  reader.open.add(path.slice(0, -1).join('.'));
  const isOperators = reader.kind === 'mongo' || reader.kind === 'pinecone';
  return (scope) =>
    parts
      .map((part) => {
        if (typeof part === 'string') return part;
        const text = insertedText(scope.value(part));
        const operator = isOperators ? faultOfName(text) : undefined;
        if (operator !== undefined) scope.refuse(part, operator);
        return text;
      })
      .join('');
}

function faultOfFilledName({ kind }: RequestReader, name: string, path: readonly string[]) {
  const [member] = path;
  const isCommand = member === 'command' && path.length === (path[1] === DOCUMENT ? 3 : 2);
  if (isCommand) return 'has a placeholder for a name: it would choose the command';
  if (kind === 'http' && member === 'headers') {
    return 'has a placeholder for a name: headers are fixed, their values are not';
  }
  const isOperator = (kind === 'mongo' || kind === 'pinecone') && isOperatorFilled(name);
  return isOperator ? 'has a placeholder within an operator: operators are fixed' : undefined;
}

/** Whether a step of a name begins with `$` and has a placeholder; what lies between two braces is looked at once. */
function isOperatorFilled(name: string): boolean {
  const runs = name.split('{');
  return runs.some(
    (run, at) =>
      runs[at + 1] === '' &&
      at + 2 < runs.length &&
      (run.includes('.$') || (at === 0 && run.startsWith('$'))),
  );
}

/** Is in paths for the document that a text is. */
const DOCUMENT = 'document';

function readText(reader: RequestReader, text: string, path: readonly string[]): Fill {
  const parts = partsIn(reader, text, path);
  if (isPlain(parts)) {
    const plain = parts.join('');
    return () => plain;
  }
  const place = roleOf(reader, path);
  if (place === 'fixed') {
    fault(reader, path, 'has a placeholder, and is fixed: it decides what the request is');
    return () => text;
  }
  reader.open.add(path.join('.'));
  if (place === 'statement') return readStatementText(reader, parts, path);
  const [only, ...others] = parts;
  if (typeof only === 'object' && others.length === 0 && place !== 'json') {
    return wholeText(reader, only, { path, place });
  }
  const readDocument = (document: Json) => readValue(reader, document, [...path, DOCUMENT]);
  return readTextAt(reader, { text, parts, path, place }, readDocument);
}

/** A text that is one placeholder: the value with its type. */
function wholeText(
  reader: RequestReader,
  placeholder: Placeholder,
  at: Parameters<typeof inserted>[3],
): Fill {
  if (at.place === 'document') return (scope) => orderedText(scope.value(placeholder));
  if (at.place === 'path' || at.place === 'cookie') {
    return readTextAt(reader, { text: '', parts: [placeholder], ...at }, () => () => null);
  }
  return (scope) => inserted(reader, scope, placeholder, at);
}
