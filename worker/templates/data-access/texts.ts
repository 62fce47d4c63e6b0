/** Texts with values among them, each escaped as the form of the text has it. */

import { kindSpec } from '../../../kinds/index.ts';
import type { Json } from '../../../proto/json.ts';
import { orderedText } from '../../../proto/ordered-json.ts';
import { parseOrdered } from '../../../proto/parse-ordered.ts';
import { parseWritten } from '../../../proto/written-json.ts';
import {
  asPath,
  type Escape,
  escapeOfBody,
  inCookie,
  inGlob,
  inPath,
  inRegex,
} from './http-roles.ts';
import { operatorIn } from './mongo.ts';
import { insertedText, type Placeholder, type TextPart } from './placeholder.ts';
import { type Fill, fault, type RequestReader } from './reader.ts';
import type { TextRole } from './text-role.ts';
import type { Scope } from './values.ts';

/** A text and where it is. */
interface PlacedText {
  readonly text: string;
  readonly parts: readonly TextPart[];
  readonly path: readonly string[];
  readonly place: TextRole;
}

/** A text that is more than a placeholder, or wants its value in a form of its own. */
export function readTextAt(
  reader: RequestReader,
  at: PlacedText,
  readDocument: (document: Json) => Fill,
): Fill {
  const { parts, path, place } = at;
  switch (place) {
    case 'json':
    case 'document':
      return readJsonText(reader, at, readDocument);
    case 'body':
      return readBody(reader, at, readDocument);
    case 'path':
      return mixed(parts, parts.length === 1 ? asPath : inPath, IN_PATH);
    case 'cookie':
      return mixed(parts, inCookie, 'has characters that no cookie can hold');
    case 'regex':
      return mixed(parts, inRegex, '');
    case 'glob':
      return mixed(parts, inGlob, '');
    case 'expression':
      return readExpression(reader, at);
    case 'code':
      fault(reader, path, IN_CODE);
      return () => null;
    default:
      return mixed(parts, (text) => text, '');
  }
}

const IN_CODE =
  'has a placeholder within a text that the backend reads as code: let it stand for the whole';
const IN_PATH = 'must be a text that is not empty: it is a part of a path';

/** A document in a text. */
function readJsonText(
  reader: RequestReader,
  at: PlacedText,
  readDocument: (document: Json) => Fill,
): Fill {
  const { text, parts, path, place } = at;
  const [only] = parts;
  if (parts.length === 1 && place === 'json' && typeof only === 'object') {
    return readWholeRequest(reader, only, path);
  }
  const document = documentIn(text, kindSpec(reader.kind).keepsText);
  if (document === undefined) {
    fault(reader, path, 'is no JSON: put quotes around its placeholders, values keep their types');
    return () => null;
  }
  const fill = readDocument(document);
  return (scope) => orderedText(fill(scope));
}

/** All parameters of a request to Pinecone may be its caller's; a command may not. */
function readWholeRequest(
  reader: RequestReader,
  placeholder: Placeholder,
  path: readonly string[],
): Fill {
  if (reader.kind === 'mongo') {
    fault(
      reader,
      path,
      'is one placeholder, and so the command its caller chooses: write the command',
    );
  } else if (placeholder.type !== 'object') {
    fault(
      reader,
      path,
      `is one placeholder, whose text would be code: write {{${placeholder.name}: Object}}`,
    );
  }
  return (scope) => {
    const value = scope.value(placeholder);
    const operator = operatorIn(value);
    if (operator !== undefined) scope.refuse(placeholder, operator);
    return value;
  };
}

/** A body that is text: JSON as a document, other forms by their media type. */
function readBody(
  reader: RequestReader,
  at: PlacedText,
  readDocument: (document: Json) => Fill,
): Fill {
  const { text, parts, path } = at;
  const document = /^\s*[[{]/.test(text) ? documentIn(text) : undefined;
  if (document !== undefined) {
    const fill = readDocument(document);
    return (scope) => orderedText(fill(scope));
  }
  const escapeIt = escapeOfBody(reader.request);
  const looksLikeJson = /^\s*[[{]/.test(text.replace(/^\s*\{\{/, ''));
  if (escapeIt === undefined || looksLikeJson) fault(reader, path, IN_BODY);
  return mixed(parts, escapeIt ?? (() => undefined), 'is no text that this body can hold');
}

const IN_BODY =
  'has a placeholder within a text of a form that is not known: write JSON with quotes around its placeholders, or a Content-Type of a form, XML or text/plain';

function documentIn(text: string, keepsText = false): Json | undefined {
  try {
    return keepsText ? parseOrdered(text) : parseWritten(text);
  } catch {
    return undefined;
  }
}

/** MongoDB reads a text that begins with `$` as the name of a field. */
function readExpression(reader: RequestReader, { parts, path }: PlacedText): Fill {
  const [first] = parts;
  if (typeof first === 'string' && first.startsWith('$')) fault(reader, path, IN_CODE);
  const fill = mixed(parts, (text) => text, '');
  const beginsItself = typeof first === 'string' && first !== '';
  return (scope) => {
    const text = fill(scope);
    const isName = !beginsItself && typeof text === 'string' && text.startsWith('$');
    return isName ? { $literal: text } : text;
  };
}

/** Each value as text in its place. */
function mixed(parts: readonly TextPart[], escapeIt: Escape, message: string): Fill {
  return (scope) =>
    parts
      .map((part) => (typeof part === 'string' ? part : escaped(scope, part, escapeIt, message)))
      .join('');
}

function escaped(
  scope: Scope,
  placeholder: Placeholder,
  escapeIt: Escape,
  message: string,
): string {
  const text = insertedText(scope.value(placeholder));
  const isPath = escapeIt === inPath || escapeIt === asPath;
  const isMissing = text === '' && isPath && !placeholder.optional;
  const found = isMissing ? undefined : escapeIt(text);
  if (found === undefined) scope.refuse(placeholder, message);
  return found ?? '';
}
