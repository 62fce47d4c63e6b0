/** Reads a request with placeholders once, and fills it for each run. */
import { isJsonObject, isRawJson, type Json, parseJson, setMember } from '../../../proto/json.ts';
import type { Kind } from '../../../proto/kinds/index.ts';
import type { Fault } from '../compiled.ts';
import { insert } from './insert.ts';
import { isStatementKind } from './literals.ts';
import { type Part, type Placeholder, partsOf, textOf } from './placeholder.ts';
import { placeOf } from './places.ts';
import { readStatement, type Values } from './statement.ts';

/** Makes a value of the request. */
export type Fill = (values: Values) => Json;

/** What a request is read with, and what is found in it. */
export interface Reader {
  readonly kind: Kind;
  /** Its type, in lower case. */
  readonly type: string;
  /** Where the request stands in the definition. */
  readonly at: string;
  readonly faults: Fault[];
  readonly placeholders: Placeholder[];
  /** Paths within the request, dotted, at which values stand: what they are is not known yet. */
  readonly open: Set<string>;
}

/** A whole request. */
export function readRequest(reader: Reader, request: { readonly [member: string]: Json }): Fill {
  const params = request.params;
  const statements = isStatementKind(reader.kind) ? statementMembers(request) : [];
  const members = Object.entries(request).filter(([member]) => !statements.includes(member));
  const bound = statements.map((member) => boundMember(reader, request, member));
  const takesParams = bound.some((each) => each !== undefined);
  const fills = members
    .filter(([member]) => !(takesParams && member === 'params'))
    .map(([member, value]) => {
      if (partsOf(member).parts.some((part) => typeof part !== 'string')) {
        fault(reader, [member], 'has a placeholder for a name: members of a request are fixed');
      }
      return [member, readValue(reader, value, [member])] as const;
    });
  const fillParams = params === undefined ? undefined : readValue(reader, params, ['params']);
  return (values) => {
    const filled: { [member: string]: Json } = {};
    for (const [member, fill] of fills) setMember(filled, member, fill(values));
    for (const [index, member] of statements.entries()) {
      const { text, params: own } = bound[index]?.(values, fillParams?.(values)) ?? {};
      setMember(filled, member, text ?? request[member] ?? null);
      if (own !== undefined) setMember(filled, 'params', own as Json);
      else if (takesParams && fillParams) setMember(filled, 'params', fillParams(values));
    }
    return filled;
  };
}

/** Members of a request that are one statement. */
function statementMembers(request: { readonly [member: string]: Json }): string[] {
  return ['query', 'sql'].filter((member) => typeof request[member] === 'string');
}

/** A statement that is bound anew for each run; undefined when nothing in it is to be filled. */
function boundMember(reader: Reader, request: { readonly [member: string]: Json }, member: string) {
  const { kind } = reader;
  const text = request[member];
  const parts = typeof text === 'string' ? partsIn(reader, text, [member]) : [];
  if (!isStatementKind(kind) || !parts.some((part) => typeof part !== 'string')) return undefined;
  if (placeOf(kind, reader.type, [member]) === 'fixed') {
    fault(reader, [member], 'has a placeholder where nothing can be bound: use type query');
    return undefined;
  }
  const statement = readStatement(kind, parts);
  if (typeof statement === 'string') {
    fault(reader, [member], statement);
    return undefined;
  }
  reader.open.add(member).add('params');
  return (values: Values, params: Json | undefined) => statement.bind(escaped(values), params);

  /** A parameter of an operation is never read as a reference to a result. */
  function escaped(values: Values): Values {
    return (placeholder) => insert(kind, 'value', values(placeholder), placeholder.name);
  }
}

function readValue(reader: Reader, value: Json, path: readonly string[]): Fill {
  if (typeof value === 'string') return readText(reader, value, path);
  if (Array.isArray(value)) {
    const fills = value.map((each, index) => readValue(reader, each, [...path, String(index)]));
    return (values) => fills.map((fill) => fill(values));
  }
  if (!isJsonObject(value) || isRawJson(value)) return () => value;
  const members = Object.entries(value).map(([name, each]) => ({
    fillName: readName(reader, name, [...path, name]),
    fill: readValue(reader, each, [...path, name]),
  }));
  return (values) => {
    const filled: { [member: string]: Json } = {};
    for (const { fillName, fill } of members) setMember(filled, fillName(values), fill(values));
    return filled;
  };
}

/** The name of a member: a text, and never an operator that its author did not write. */
function readName(
  reader: Reader,
  name: string,
  path: readonly string[],
): (values: Values) => string {
  const parts = partsIn(reader, name, path);
  if (parts.every((part) => typeof part === 'string')) return () => name;
  if (path[0] === 'command')
    fault(reader, path, 'has a placeholder for a name: it would choose the command');
  reader.open.add(path.slice(0, -1).join('.'));
  return (values) =>
    parts
      .map((part) =>
        typeof part === 'string'
          ? part
          : textOf(insert(reader.kind, 'name', values(part), part.name)),
      )
      .join('');
}

function readText(reader: Reader, text: string, path: readonly string[]): Fill {
  const parts = partsIn(reader, text, path);
  if (parts.every((part) => typeof part === 'string')) return () => text;
  const place = placeOf(reader.kind, reader.type, path);
  if (place === 'fixed') {
    fault(reader, path, 'has a placeholder, and is fixed: it decides what the request is');
    return () => text;
  }
  reader.open.add(path.join('.'));
  const [only, ...others] = parts;
  const whole = typeof only === 'object' && others.length === 0 ? only : undefined;
  if (place === 'json' && !whole)
    return readJsonText(reader, text, path) ?? mixed(reader, parts, 'value');
  if (place === 'statement') return readStatementText(reader, parts, path);
  if (place === 'json' && reader.kind === 'mongo') {
    fault(
      reader,
      path,
      'is one placeholder, and so the command its caller chooses: write the command',
    );
  }
  if (whole) return (values) => insert(reader.kind, place, values(whole), whole.name);
  if (place === 'code') {
    fault(
      reader,
      path,
      'has a placeholder within a text that the backend reads as code: let it stand for the whole',
    );
  }
  return mixed(reader, parts, place === 'url' ? 'url' : 'value');
}

/** A statement of a batch: its values stand beside it. */
function readStatementText(reader: Reader, parts: readonly Part[], path: readonly string[]): Fill {
  const { kind } = reader;
  const statement = isStatementKind(kind) ? readStatement(kind, parts) : 'cannot be bound';
  if (typeof statement === 'string') {
    fault(reader, path, statement);
    return () => null;
  }
  if (path.length === 3) {
    fault(reader, path, 'has a placeholder beside params: write the statement as a text alone');
  }
  return (values) => {
    const { text, params = [] } = statement.bind(values, undefined);
    return { query: text, params: params as Json };
  };
}

/** A document in a text; undefined when it is none. */
function readJsonText(reader: Reader, text: string, path: readonly string[]): Fill | undefined {
  let document: Json;
  try {
    document = parseJson(text);
  } catch {
    if (/^\s*[[{]/.test(text)) {
      fault(
        reader,
        path,
        'is no JSON: put quotes around its placeholders, values keep their types',
      );
    }
    return undefined;
  }
  const fill = readValue(reader, document, [...path, 'document']);
  return (values) => JSON.stringify(fill(values));
}

function mixed(reader: Reader, parts: readonly Part[], place: 'value' | 'url'): Fill {
  return (values) =>
    parts
      .map((part) => {
        if (typeof part === 'string') return part;
        const text = textOf(insert(reader.kind, 'text', values(part), part.name));
        return place === 'url' ? encodeURIComponent(text) : text;
      })
      .join('');
}

function partsIn(reader: Reader, text: string, path: readonly string[]): readonly Part[] {
  const { parts, fault: found } = partsOf(text);
  if (found !== undefined) fault(reader, path, found);
  for (const part of parts) if (typeof part !== 'string') reader.placeholders.push(part);
  return parts;
}

function fault({ at, faults }: Reader, path: readonly string[], message: string): void {
  faults.push({ path: [at, ...path].join('.'), message });
}
