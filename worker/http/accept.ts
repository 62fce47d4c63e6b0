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
  const ranges = rangesOf(accept);
  const types = [JSON_TYPE, ...Object.keys(streams ?? {})];
  if (ranges.length === 0 || types.some((type) => isTaken(ranges, type))) return;
  const message = `Accept takes none of the forms of this reply: ${types.join(', ')}`;
  throw new GatewayError('NOT_ACCEPTABLE', message, { details: [{ path: 'Accept', message }] });
}

/** Whether `Accept` takes JSON: all do that ask for nothing else. */
export function takesJson(accept: string | undefined): boolean {
  // Nearly every request: there is nothing to parse.
  if (accept === undefined || accept === '*/*' || accept === JSON_TYPE) return true;
  const ranges = rangesOf(accept);
  return ranges.length === 0 || isTaken(ranges, JSON_TYPE);
}

interface Range {
  readonly type: string;
  readonly q: number;
}

function rangesOf(accept: string) {
  return parseAccept(accept).map((each) => ({ ...each, type: each.type.toLowerCase() }));
}

function isTaken(ranges: readonly Range[], type: string): boolean {
  return weightOf(ranges, type) > 0;
}

/** How much a media type is wanted, by the narrowest range that has it. */
function weightOf(ranges: readonly Range[], type: string): number {
  const [main] = type.split('/');
  for (const range of [type, `${main}/*`, '*/*']) {
    const meant = ranges.filter((each) => each.type === range);
    if (meant.length > 0) return Math.max(...meant.map(({ q }) => q));
  }
  return 0;
}

/**
 * The forms that a request asks for instead of one JSON text; the one that it wants most comes first.
 * @param wildcards whether a range with one asks for what it has, where JSON is not taken
 */
export function formsOf(request: Request, wildcards = true): readonly StreamForm[] {
  const accept = request.headers.get('Accept');
  if (accept === null) return NONE;
  const widened = wildcards && !takesJson(accept) ? rangesOf(accept) : [];
  return FORMS.flatMap(
    ([form, type]) => askedOf(request, form, type) ?? takenOf(widened, form, type),
  )
    .sort((one, other) => other.weight - one.weight)
    .map(({ form }) => form);
}

function takenOf(ranges: readonly Range[], form: StreamForm, type: string) {
  const weight = weightOf(ranges, type);
  return weight > 0 ? [{ form, weight }] : [];
}

/**
 * How much `Accept` asks for a media type; undefined where it does not, or asks for JSON before
 * it.
 * @param type in lower case, without parameters
 */
function askedOf({ headers }: Request, form: StreamForm, type: string) {
  const accept = headers.get('Accept');
  // Nearly every request: there is nothing to parse.
  if (accept === null || !accept.toLowerCase().includes(type)) return undefined;
  const all = rangesOf(accept);
  const mostOf = (wanted: string) =>
    all.filter((each) => each.type === wanted).sort((one, other) => other.q - one.q)[0];
  const most = mostOf(type);
  if (!most || most.q === 0 || most.q < (mostOf(JSON_TYPE)?.q ?? 0)) return undefined;
  const tellsColumns = form === 'lines' && most.params.header === 'columns';
  return { form: tellsColumns ? ('told-lines' as const) : form, weight: most.q };
}
