/** Parts of HTTP requests, and forms of text that values are put into: each escaped as its form has it. */
import { isJsonObject, type Json, type JsonObject } from '../../../proto/json.ts';
import type { TextRole } from './text-role.ts';

/** What is at a path of a request. */
export function roleInHttp(path: readonly string[]): TextRole {
  const [member, name = ''] = path;
  if (member === 'method' || member === 'fail_on_status' || member === 'retry') return 'fixed';
  if (member === 'body_encoding') return 'fixed';
  if (member === 'headers') {
    if (path.length === 1) return 'fixed';
    return name.toLowerCase() === 'cookie' ? 'cookie' : 'value';
  }
  if (path.length > 1) return 'value';
  if (member === 'path') return 'path';
  return member === 'body' ? 'body' : 'value';
}

/** Puts a text into another; undefined when it cannot be there. */
export type Escape = (text: string) => string | undefined;

/** A part of a path: dots that lead elsewhere are refused where the request is read. */
export const inPath: Escape = (text) =>
  text.isWellFormed() ? encodeURIComponent(text) : undefined;
/** A value of a form. */
const inForm: Escape = (text) => (text.isWellFormed() ? encodeURIComponent(text) : undefined);
/** A whole path: its slashes part segments, all else is data. */
export const asPath: Escape = (text) =>
  text.isWellFormed() ? text.split('/').map(encodeURIComponent).join('/') : undefined;
/** RFC 6265, section 4.1.1: nothing else can be within a cookie. */
export const inCookie: Escape = (text) =>
  /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/.test(text) ? text : undefined;
/** Text within a pattern of Redis' stands for itself. */
export const inGlob: Escape = (text) => text.replace(/[*?[\]\\^]/g, '\\$&');
/** Text within a regular expression stands for itself. */
export const inRegex: Escape = (text) => text.replace(/[\\^$.*+?()[\]{}|/#\-\s]/g, '\\$&');
const plain: Escape = (text) => text;

/** Characters of XML's markup. */
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};
const inXml: Escape = (text) => text.replace(/[&<>"']/g, (found) => ENTITIES[found] ?? '');

/** How values are within a body that is text; undefined when its form is none that is known. */
export function escapeOfBody({ headers, body_encoding: encoding }: JsonObject): Escape | undefined {
  const type = contentType(headers);
  if (type === undefined) return encoding === undefined || encoding === 'text' ? plain : undefined;
  const [media = ''] = type.toLowerCase().split(';', 1);
  if (media.trim() === 'text/plain') return plain;
  if (media.trim() === 'application/x-www-form-urlencoded') return inForm;
  return /(?:[/+]xml|\/html)\s*$/.test(media) ? inXml : undefined;
}

function contentType(headers: Json | undefined): string | undefined {
  if (!isJsonObject(headers)) return undefined;
  const found = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type');
  return typeof found?.[1] === 'string' ? found[1] : undefined;
}

/**
 * How a body is sent that turned out to look like bytes, which its author did not write: as JSON.
 * @param written the request as its author wrote it
 */
export function encodingOf(written: JsonObject, body: Json | undefined): 'json' | undefined {
  if (written.body_encoding !== undefined || !isJsonObject(body) || !('$bytes' in body)) {
    return undefined;
  }
  return isJsonObject(written.body) && '$bytes' in written.body ? undefined : 'json';
}
