/** Reads what a relay tells of a failure besides its code: whatever it writes, it is told in the shapes that errors have. */
import { BACKEND_US } from '../../proto/driver.ts';
import type { ErrorDetails } from '../../proto/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../proto/json.ts';
import { parseInPieces } from '../../proto/json-pieces.ts';
import { whole } from '../../proto/work/pieces.ts';
import type { Timing } from '../outcome.ts';

/** Entries that are told. Spec silent. */
const ENTRIES_MAX = 1_000;
/** Seconds of `Retry-After` at most. Spec silent. */
const RETRY_MAX_S = 3_600;
/** Microseconds of a day: nothing takes longer. */
const DAY_US = 86_400_000_000;
/** Members by what they hold, where they are there. */
const TEXTS = ['path', 'message', 'code', 'source', 'constraint', 'rule'];
const COUNTS = ['line', 'column', 'position', 'operation'];

/** Entries that are none are left out, and so is all that is no JSON or nests deeper than `DEPTH_MAX`. */
export function detailsIn(text: string): readonly ErrorDetails[] {
  const entries = text === '' ? [] : entriesIn(text);
  return entries.slice(0, ENTRIES_MAX).filter(isDetail);
}

function entriesIn(text: string): readonly Json[] {
  try {
    const parsed = whole(parseInPieces(text));
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return []; // A node of an organization may write anything.
  }
}

function isDetail(entry: Json): entry is Json & ErrorDetails {
  if (!isJsonObject(entry)) return false;
  const has = (name: string) => Object.hasOwn(entry, name);
  const { applied } = entry;
  const isTyped =
    TEXTS.every((name) => !has(name) || typeof entry[name] === 'string') &&
    COUNTS.every((name) => !has(name) || isCount(entry[name])) &&
    (!has('applied') || applied === true);
  return isTyped && hasShape(entry, has);
}

function hasShape({ message }: JsonObject, has: (name: string) => boolean): boolean {
  if (has('operation') || has('rule')) return true;
  return message !== undefined && (has('path') || (has('source') && has('code')));
}

function isCount(value: Json | undefined): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** Seconds of a `Retry-After`; undefined where it holds none, or more than an hour. */
export function retryAfterIn(header: string | null): number | undefined {
  const seconds = header !== null && /^\d{1,4}$/.test(header) ? Number(header) : undefined;
  return seconds === undefined || seconds > RETRY_MAX_S ? undefined : seconds;
}

/** Notes how long the backend took, where the relay reports it. */
export function noteBackend(timing: Timing, metadata: Headers): void {
  const us = Number(metadata.get(BACKEND_US) ?? Number.NaN);
  if (us >= 0 && us <= DAY_US) timing.backend = us / 1000;
}
