/** Lets go of the values of a large request once they are written. */
import type { PostgresRequest } from '../index.ts';
import type { FieldValue } from './encode.ts';

/**
 * Puts the texts of its parameters, which mean the same, in the place of a request's values: these are nowhere then, and the request can
 * still be sent once more.
 */
export function keepTexts(request: PostgresRequest, texts: readonly FieldValue[]): void {
  if (!('params' in request) || request.params === undefined) return;
  if (request.type !== 'query_typed' && request.type !== 'query_typed_read_only') {
    request.params = [...texts];
    return;
  }
  request.params = request.params.map(([, name], at) => {
    const text = texts[at] ?? null;
    return [text === null ? null : { Text: text }, name];
  });
}
