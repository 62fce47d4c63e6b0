/** What of a call's answer breaks the promise. */
import type { HostileKind, KindCall } from './kind.ts';
import type { Hostile } from './mutate.ts';
import type { Answer } from './relay.ts';

/**
 * What a caller may be told of a server that is hostile. Its own words are an error of its own: a
 * refusal of the request, of a guard that asked it, of what it lacks.
 */
const TOLD = new Set([
  'CONNECTION_FAILED',
  'OUTCOME_UNKNOWN',
  'TIMED_OUT',
  'RESULT_TOO_LARGE',
  'REQUEST_FAILED',
  'CONSTRAINT_VIOLATED',
  'SERVICE_UNAVAILABLE',
  'BAD_REQUEST',
  // A server may refuse an option of the connection.
  'INVALID_CONFIGURATION',
  'NOT_SUPPORTED',
  'NOT_FOUND',
  'TRANSACTION_OPEN',
  // Where a redirect leads, or that there is no end of them.
  'ADDRESS_REFUSED',
]);

/** What the promise forbids; undefined when the answer keeps it. */
export function faultOf(
  kind: HostileKind,
  call: KindCall,
  real: Answer,
  hostile: Hostile,
  answer: Answer,
): string | undefined {
  const { failure, text } = answer;
  if (failure !== undefined && !TOLD.has(failure)) return `${failure}: ${answer.message}`;
  const spoken = spokenFault(kind, call, answer);
  if (spoken !== undefined) return `${spoken}: ${shown(text)}`;
  if (failure !== undefined) {
    // Of a write, that is what is told when its time is over.
    const late = call.mode === 'write' ? 'OUTCOME_UNKNOWN' : 'TIMED_OUT';
    const isLate = failure === 'TIMED_OUT' || failure === late;
    const isLost = hostile.isWhole && !isLate && failure !== real.failure;
    return isLost ? `${failure} although nothing was wrong: ${answer.message}` : undefined;
  }
  const mustBeReal = hostile.isWhole || hostile.isCut;
  const isReal = text === real.text && real.failure === undefined;
  return mustBeReal && !isReal ? `another answer: ${shown(text)}` : undefined;
}

/** Of an answer's own form; what came before a failure is whole lines. */
function spokenFault(
  kind: HostileKind,
  call: KindCall,
  { failure, text }: Answer,
): string | undefined {
  const isStream = call.method !== 'run';
  if (failure !== undefined && !isStream) return undefined;
  const values = valuesOf(text, isStream);
  if (values === undefined) return 'no JSON';
  return failure === undefined ? kind.faultOf?.(call, values) : undefined;
}

function valuesOf(text: string, isStream: boolean): unknown[] | undefined {
  if (isStream && text !== '' && !text.endsWith('\n')) return undefined;
  const documents = isStream ? text.split('\n').slice(0, -1) : [text];
  try {
    return documents.map((each): unknown => JSON.parse(each));
  } catch {
    return undefined;
  }
}

function shown(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}… of ${text.length}` : text;
}
