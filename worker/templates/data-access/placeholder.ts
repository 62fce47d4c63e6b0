/** Placeholders of data-access templates: `{{name}}`, `{{name: Number}}`, `{{?name: String = default}}`. Contract §8. */
import { isJsonObject, isRawJson, type Json, parseJson } from '../../../proto/json.ts';

/** What a placeholder may be declared as; `any` is undeclared: a scalar. */
export const PLACEHOLDER_TYPES = [
  'string',
  'number',
  'integer',
  'boolean',
  'array',
  'object',
  'null',
] as const;
export type PlaceholderType = (typeof PLACEHOLDER_TYPES)[number] | 'any';

/** One placeholder, where it stands. */
export interface Placeholder {
  readonly name: string;
  readonly type: PlaceholderType;
  readonly optional: boolean;
  /** What an optional one is when the input has none; null when nothing else is said. */
  readonly fallback: Json;
}

/** A text apart: what is as it is written, and placeholders. */
export type Part = string | Placeholder;

/** Name, type and default; what is no name at all is left alone. */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;
const DECLARATION =
  /^\s*(?<optional>\?)?\s*(?<name>[A-Za-z_][\w.-]*)\s*(?::\s*(?<type>\w+)\s*)?(?:=(?<fallback>[\s\S]*))?$/;

/** A text apart, or why it cannot be. */
export function partsOf(text: string): {
  readonly parts: readonly Part[];
  readonly fault?: string;
} {
  const parts: Part[] = [];
  let at = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    const [whole, declared = ''] = match;
    if (declared.trim() === '') continue;
    const placeholder = declaredIn(declared);
    if (typeof placeholder === 'string') return { parts: [], fault: placeholder };
    if (match.index > at) parts.push(text.slice(at, match.index));
    parts.push(placeholder);
    at = match.index + whole.length;
  }
  if (at < text.length || parts.length === 0) parts.push(text.slice(at));
  return { parts };
}

function declaredIn(declared: string): Placeholder | string {
  const groups = DECLARATION.exec(declared)?.groups;
  const { name } = groups ?? {};
  if (groups === undefined || name === undefined) {
    return `has no placeholder {{${declared}}}: write {{name}}, {{name: Number}} or {{?name: String = default}}`;
  }
  const type = (groups.type ?? 'any').toLowerCase();
  if (!isType(type)) {
    return `has a placeholder of unknown type ${groups.type}: it is one of ${PLACEHOLDER_TYPES.join(', ')}`;
  }
  const optional = groups.optional !== undefined;
  if (groups.fallback === undefined) return { name, type, optional, fallback: null };
  if (!optional)
    return `gives {{${name}}} a default, which makes it optional: write {{?${name} = …}}`;
  const fallback = fallbackOf(type, groups.fallback.trim());
  return fallback === undefined
    ? `gives {{?${name}}} a default that is no ${type}`
    : { name, type, optional, fallback };
}

function isType(text: string): text is PlaceholderType {
  return text === 'any' || PLACEHOLDER_TYPES.some((each) => each === text);
}

/** A default is text; one of another type is read as JSON. */
function fallbackOf(type: PlaceholderType, text: string): Json | undefined {
  if (type === 'string' || type === 'any') return text;
  try {
    const value = parseJson(text);
    return isOfType(type, value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a value is what its placeholder declares. */
export function isOfType(type: PlaceholderType, value: Json): boolean {
  switch (type) {
    case 'any':
      return !Array.isArray(value) && !isJsonObject(value);
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

function isInteger(value: Json): boolean {
  return isRawJson(value) ? /^-?\d+$/.test(value.rawJSON) : Number.isInteger(value);
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
export function textOf(value: Json): string {
  if (typeof value === 'string') return value;
  if (value === null) return '';
  if (Array.isArray(value) && value.length === 1) {
    const [only = null] = value;
    if (only === null || typeof only !== 'object' || isRawJson(only)) return textOf(only);
  }
  return JSON.stringify(value);
}
