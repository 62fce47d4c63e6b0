/** What a request of a template is read with, and what is found in it on the way. */

import type { Kind } from '../../../kinds/index.ts';
import type { Json, JsonObject } from '../../../proto/json.ts';
import type { Fault } from '../compiled.ts';
import { asData, type Where } from './insert.ts';
import { asDigits, asLiteral, operatorIn } from './mongo.ts';
import { type Placeholder, partsOf, type TextPart } from './placeholder.ts';
import type { TextRole } from './text-role.ts';
import type { Scope } from './values.ts';

/** Makes a value of the request. */
export type Fill = (scope: Scope) => Json;

/** How texts of a request say that a value is there. */
export interface Language {
  /** The text at a path of the request, apart. */
  partsOf(text: string, path: readonly string[]): ReturnType<typeof partsOf>;
  /** The name of a member apart. */
  partsOfName(name: string): ReturnType<typeof partsOf>;
  /** A fault in the words of the language. */
  told(message: string): string;
}

/** What a request is read with, and what is found in it. */
export interface RequestReader {
  readonly kind: Kind;
  /** Placeholders in double braces when left out. */
  readonly language?: Language | undefined;
  /** Its type, in lower case. */
  readonly type: string;
  /** As its author wrote it. */
  readonly request: JsonObject;
  readonly inTransaction: boolean;
  /** Where the request is in the definition. */
  readonly at: string;
  readonly faults: Fault[];
  readonly placeholders: Placeholder[];
  /** Paths within the request, dotted, at which values are: what they are is not known yet. */
  readonly open: Set<string>;
}

/** A text apart; placeholders and what is wrong with them are noted. */
export function partsIn(
  reader: RequestReader,
  text: string,
  path: readonly string[],
): readonly TextPart[] {
  return noted(reader, reader.language?.partsOf(text, path) ?? partsOf(text), path);
}

/** The same of the name of a member. */
export function partsInName(reader: RequestReader, name: string, path: readonly string[]) {
  return noted(reader, reader.language?.partsOfName(name) ?? partsOf(name), path);
}

function noted(
  reader: RequestReader,
  { parts, fault: found }: ReturnType<typeof partsOf>,
  path: readonly string[],
): readonly TextPart[] {
  if (found !== undefined) fault(reader, path, found);
  for (const part of parts) if (typeof part !== 'string') reader.placeholders.push(part);
  return parts;
}

/** Whether a text has no placeholders. */
export function isPlain(parts: readonly TextPart[]): boolean {
  return parts.every((part) => typeof part === 'string');
}

/** Notes what an author has to mend. */
export function fault(reader: RequestReader, path: readonly string[], message: string): void {
  const { at, faults, language } = reader;
  faults.push({ path: [at, ...path].join('.'), message: language?.told(message) ?? message });
}

/** The value of a placeholder as data of its kind, wherever it is. */
export function inserted(
  reader: RequestReader,
  scope: Scope,
  placeholder: Placeholder,
  { path, place }: { readonly path: readonly string[]; readonly place: TextRole },
): Json {
  const value = scope.value(placeholder);
  const { kind } = reader;
  if (kind !== 'mongo' && kind !== 'pinecone') return asData(whereIn(reader, path), value);
  const operator = operatorIn(value);
  if (operator !== undefined) scope.refuse(placeholder, operator);
  if (kind === 'pinecone') return value;
  return place === 'expression' ? asLiteral(value) : asDigits(path, value);
}

/** Where a value is put, as far as its kind wants to know. */
export function whereIn(
  { kind, type, inTransaction }: RequestReader,
  path: readonly string[],
): Where {
  return { kind, type, inTransaction, path };
}
