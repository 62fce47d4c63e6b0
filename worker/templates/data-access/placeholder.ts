/** Placeholders of data-access templates: `{{name}}`, `{{name: Number}}`, `{{?name: String = default}}`. Contract §8. */

import { isJsonObject, isRawJson, type Json } from '../../../proto/json.ts';
import { parseWritten, writtenText } from '../../../proto/written-json.ts';
import { PARAMETER_TYPES } from '../definition.ts';

type PlaceholderType = (typeof PARAMETER_TYPES)[number] | 'any';

/** One placeholder, where it is. */
export interface Placeholder {
  readonly name: string;
  readonly type: PlaceholderType;
  readonly optional: boolean;
  /** What an optional one is when the input has none; null when nothing else is said. */
  readonly fallback: Json;
}

/** A text apart: what is as it is written, and placeholders. */
export type TextPart = string | Placeholder;

/** How often a default that holds braces is read on for: JSON nests no deeper here. Spec silent. */
const CLOSES_MAX = 64;
const DECLARATION =
  /^\s*(?:(?<optional>\?)\s*)?(?<name>[\p{L}_][\p{L}\p{N}_.-]*)\s*(?::\s*(?<type>\w+)\s*)?(?:=(?<fallback>[\s\S]*))?$/u;

/** A text apart, or why it cannot be. */
export function partsOf(text: string): {
  readonly parts: readonly TextPart[];
  readonly fault?: string;
} {
  const parts: TextPart[] = [];
  const braces = new Braces(text);
  let from = 0;
  for (let pair = braces.next(0); pair !== undefined; ) {
    const [open, close] = pair;
    const found = placeholderIn(text, open + 2, close);
    if (typeof found === 'string') return { parts: [], fault: found };
    if (found) {
      if (open > from) parts.push(text.slice(from, open));
      parts.push(found.placeholder);
      from = found.end;
    }
    pair = braces.next(found?.end ?? close + 2, found === undefined ? open + 1 : from);
  }
  if (from < text.length || parts.length === 0) parts.push(text.slice(from));
  return { parts };
}

/** Pairs of double braces, found by reading the text once. */
class Braces {
  readonly #text: string;
  /** The last that open ahead of what was found, and the next. */
  #open = -1;
  #next: number;

  constructor(text: string) {
    this.#text = text;
    this.#next = text.indexOf('{{');
  }

  /** The next that close at or after a place, with the last ahead of them that open at or after another. */
  next(from: number, openFrom = from): readonly [open: number, close: number] | undefined {
    let close = this.#text.indexOf('}}', from);
    for (; close >= 0; close = this.#text.indexOf('}}', close + 1)) {
      while (this.#next >= 0 && this.#next <= close - 2) {
        this.#open = this.#next;
        this.#next = this.#text.indexOf('{{', this.#next + 1);
      }
      if (this.#open >= openFrom) return [this.#open, close];
    }
    return undefined;
  }
}

/** What is between braces; undefined for what is no placeholder, a text for one that is wrong. */
function placeholderIn(text: string, start: number, close: number) {
  const declared = text.slice(start, close);
  if (declared.trim() === '') return undefined;
  const placeholder = declaredIn(declared);
  if (typeof placeholder !== 'string') return { placeholder, end: close + 2 };
  let end = text.indexOf('}}', close + 1);
  const next = text.indexOf('{{', start);
  for (let times = 0; times < CLOSES_MAX && isOpen(declared); times += 1) {
    if (end < 0 || (next >= 0 && end > next)) break;
    const longer = declaredIn(text.slice(start, end));
    if (typeof longer !== 'string') return { placeholder: longer, end: end + 2 };
    end = text.indexOf('}}', end + 1);
  }
  return /[{}]/.test(declared) && !DECLARATION.test(declared) ? undefined : placeholder;
}

/** Whether a default begins that may hold braces. */
function isOpen(declared: string): boolean {
  return /=\s*[[{]/.test(declared);
}

function declaredIn(declared: string): Placeholder | string {
  const groups = DECLARATION.exec(declared)?.groups;
  const { name } = groups ?? {};
  if (groups === undefined || name === undefined) {
    return `has no placeholder {{${declared.slice(0, 64)}}}: write {{name}}, {{name: Number}} or {{?name: String = default}}`;
  }
  const type = groups.type?.toLowerCase() ?? 'any';
  if (groups.type !== undefined && !isType(type)) {
    return `declares {{${name}}} as ${groups.type.slice(0, 64)}: types are ${PARAMETER_TYPES.join(', ')}`;
  }
  const known = type as PlaceholderType; // Just looked at.
  const optional = groups.optional !== undefined;
  if (groups.fallback === undefined) return { name, type: known, optional, fallback: null };
  if (!optional)
    return `gives {{${name}}} a default, which makes it optional: write {{?${name} = …}}`;
  const fallback = fallbackOf(known, groups.fallback.trim());
  return fallback === undefined
    ? `gives {{?${name}}} a default that is no ${type}`
    : { name, type: known, optional, fallback };
}

function isType(text: string): boolean {
  return PARAMETER_TYPES.some((each) => each === text);
}

/** A default is text; one of another type is read as JSON. */
function fallbackOf(type: PlaceholderType, text: string): Json | undefined {
  if (type === 'string' || type === 'any') return text;
  try {
    const value = parseWritten(text);
    return isOfType(type, value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a value is what its placeholder declares. */
export function isOfType(type: PlaceholderType, value: Json): boolean {
  switch (type) {
    case 'any':
      return isScalar(value);
    case 'string':
      return typeof value === 'string';
    case 'boolean':
      return typeof value === 'boolean';
    case 'number':
      return typeof value === 'number' || isRawJson(value);
    case 'integer':
      return isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    case 'null':
      return value === null;
  }
}

/** Whether a value is neither an array nor an object. */
export function isScalar(value: Json): boolean {
  return typeof value !== 'object' || value === null || isRawJson(value);
}

function isInteger(value: Json): boolean {
  if (!isRawJson(value)) return Number.isInteger(value);
  return /^-?\d+$/.test(value.rawJSON) || Number.isSafeInteger(Number(value.rawJSON));
}

/** What a value of the type may be, to see whether a request with one could be. */
export function sampleOf({ type, fallback }: Placeholder): Json {
  if (fallback !== null) return fallback;
  switch (type) {
    case 'number':
    case 'integer':
      return 1;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return {};
    case 'null':
      return null;
    default:
      return 'text';
  }
}

/** A value within a text. Source: backends.md, "Placeholder language". */
export function insertedText(value: Json): string {
  if (typeof value === 'string') return value;
  if (value === null) return '';
  if (Array.isArray(value) && value.length === 1) {
    const [only = null] = value;
    if (isScalar(only)) return insertedText(only);
  }
  return writtenText(value);
}
