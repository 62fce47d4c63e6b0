/** Which form of a reply a client asks for. RFC 9110 §12.5.1. */
import { parseAccept } from 'hono/utils/accept';
import { GatewayError } from '../../proto/errors.ts';
import type { StreamForm } from '../outcome.ts';
import type { AnyRoute } from '../route.ts';

const JSON_TYPE = 'application/json';
const NONE: readonly StreamForm[] = [];
const FORMS: readonly (readonly [StreamForm, string])[] = [
  ['lines', 'application/x-ndjson'],
  ['csv', 'text/csv'],
  ['events', 'text/event-stream'],
];

/**
 * Refuses a request whose `Accept` takes none of the forms of its reply: JSON, and those that the
 * operation streams. Ranges count from the narrowest. A header that names nothing counts as none.
 * @throws GatewayError NOT_ACCEPTABLE
 */
export function demandAcceptable(
  { headers }: Request,
  { streams }: Pick<AnyRoute, 'streams'>,
): void {
  const accept = headers.get('Accept');
  // Nearly every request: there is nothing to parse.
  if (accept === null || accept === '*/*' || accept === JSON_TYPE) return;
  const ranges = parseAccept(accept).map((each) => ({ ...each, type: each.type.toLowerCase() }));
  const types = [JSON_TYPE, ...Object.keys(streams ?? {})];
  if (ranges.length === 0 || types.some((type) => isTaken(ranges, type))) return;
  const message = `Accept takes none of the forms of this reply: ${types.join(', ')}`;
  throw new GatewayError('NOT_ACCEPTABLE', message, { details: [{ path: 'Accept', message }] });
}

interface Range {
  readonly type: string;
  readonly q: number;
}

function isTaken(ranges: readonly Range[], type: string): boolean {
  const [main] = type.split('/');
  for (const range of [type, `${main}/*`, '*/*']) {
    const meant = ranges.filter((each) => each.type === range);
    if (meant.length > 0) return meant.some(({ q }) => q > 0);
  }
  return false;
}

/** The forms that a request asks for instead of one JSON text; the one that it wants most comes first. */
export function formsOf(request: Request): readonly StreamForm[] {
  if (!request.headers.has('Accept')) return NONE;
  return FORMS.flatMap(([form, type]) => askedOf(request, form, type) ?? [])
    .sort((one, other) => other.weight - one.weight)
    .map(({ form }) => form);
}

/**
 * How much `Accept` asks for a media type; undefined where it does not, or asks for JSON before
 * it. Types with wildcards ask for nothing in particular: clients that send them get JSON.
 * @param type in lower case, without parameters
 */
function askedOf({ headers }: Request, form: StreamForm, type: string) {
  const accept = headers.get('Accept');
  // Nearly every request: there is nothing to parse.
  if (accept === null || !accept.toLowerCase().includes(type)) return undefined;
  const all = parseAccept(accept).map((each) => ({ ...each, type: each.type.toLowerCase() }));
  const mostOf = (wanted: string) =>
    all.filter((each) => each.type === wanted).sort((one, other) => other.q - one.q)[0];
  const most = mostOf(type);
  if (!most || most.q === 0 || most.q < (mostOf(JSON_TYPE)?.q ?? 0)) return undefined;
  const tellsColumns = form === 'lines' && most.params.header === 'columns';
  return { form: tellsColumns ? ('told-lines' as const) : form, weight: most.q };
}
