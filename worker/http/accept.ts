/** Which form of a reply a client asks for. RFC 9110 §12.5.1. */
import { parseAccept } from 'hono/utils/accept';
import type { StreamForm } from '../outcome.ts';

const JSON_TYPE = 'application/json';
const NONE: readonly StreamForm[] = [];
const FORMS: readonly (readonly [StreamForm, string])[] = [
  ['lines', 'application/x-ndjson'],
  ['events', 'text/event-stream'],
];

/** The forms that a request asks for in place of one JSON text. */
export function formsOf(request: Request): readonly StreamForm[] {
  if (!request.headers.has('Accept')) return NONE;
  return FORMS.filter(([, type]) => asksFor(request, type)).map(([form]) => form);
}

/**
 * Whether `Accept` names a media type beside JSON, and JSON not before it. Types with wildcards
 * ask for nothing in particular: clients that send them get JSON.
 * @param type in lower case, without parameters
 */
export function asksFor({ headers }: Request, type: string): boolean {
  const accept = headers.get('Accept');
  // Nearly every request: there is nothing to parse.
  if (accept === null || !accept.toLowerCase().includes(type)) return false;
  const named = parseAccept(accept);
  const weightOf = (wanted: string) =>
    Math.max(0, ...named.filter((each) => each.type.toLowerCase() === wanted).map(({ q }) => q));
  const weight = weightOf(type);
  return weight > 0 && weight >= weightOf(JSON_TYPE);
}
