/** What holds for the definitions of templates and of workflows alike. */
import { GatewayError } from '../../proto/errors.ts';
import { isHeavierThan } from '../../proto/json-weight.ts';
import type { Fault } from '../../proto/schema-faults.ts';
import type { Pieces } from '../../proto/work/pieces.ts';

/** Largest definition, in bytes of its JSON. Contract §8; workflows.md §1. */
const MAX_BYTES = 1024 * 1024;
/** Bytes of a body that are not stored with its definition: an id, a status, members that null removes. */
const BESIDE_BYTES = 16 * 1024;
/** A code unit of a text takes at most three bytes of UTF-8. */
const BYTES_PER_UNIT = 3;

const encoder = new TextEncoder();

/** Refuses a definition whose JSON text is larger than 1 MiB. @throws GatewayError PAYLOAD_TOO_LARGE */
export function demandSize(text: string): void {
  if (text.length * BYTES_PER_UNIT <= MAX_BYTES) return;
  if (encoder.encode(text).byteLength <= MAX_BYTES) return;
  throw tooLarge();
}

/** Refuses a body whose definition can only be larger than that, before it is parsed. @throws GatewayError PAYLOAD_TOO_LARGE */
export function* weighDefinition(bytes: Uint8Array): Pieces<void> {
  if (yield* isHeavierThan(bytes, MAX_BYTES + BESIDE_BYTES)) throw tooLarge();
}

function tooLarge(): GatewayError {
  return new GatewayError('PAYLOAD_TOO_LARGE', `The definition is larger than ${MAX_BYTES} bytes`);
}

/** The error for a definition that has faults: its message is the first of them, its details are all. */
export function refusal(faults: readonly Fault[]): GatewayError {
  const [first] = faults;
  const message = first ? `${first.path}: ${first.message}` : 'The definition cannot be read';
  return new GatewayError('BAD_REQUEST', message, { details: faults });
}
